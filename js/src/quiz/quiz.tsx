/**
 * A panel behind a quiz: the questions first, then the guesses beside the truth, with the panel below.
 *
 * In: a `Quiz` or null, and a panel.  Out: the panel, at once where there is no quiz.
 * Must never: show anything of the panel before the quiz is answered or skipped, or keep a guess anywhere.
 */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Quiz } from "../schema.ts";
import { Form } from "./form.tsx";
import { NO_GUESSES } from "./guesses.ts";
import { Results } from "./results.tsx";

type Stage = "asking" | "answered" | "skipped";

export function Quizzed({ quiz, children }: { quiz: Quiz | null; children: ComponentChildren }) {
  const [stage, setStage] = useState<Stage>("asking");
  const [guesses, setGuesses] = useState(NO_GUESSES);
  if (quiz && stage === "asking") {
    return (
      <Form
        quiz={quiz}
        guesses={guesses}
        onGuess={setGuesses}
        onAnswer={() => setStage("answered")}
        onSkip={() => setStage("skipped")}
      />
    );
  }
  return (
    <>
      {quiz && stage === "answered" && <Results quiz={quiz} guesses={guesses} />}
      {children}
    </>
  );
}
