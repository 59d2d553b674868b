/**
 * A panel behind a quiz: the questions first, then the guesses beside the truth, with the panel below.
 *
 * In: a `Quiz` or null, and a panel.  Out: the panel, at once where there is no quiz.
 * Must never: show anything of the panel before the quiz is answered or skipped, or keep a guess anywhere.
 */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useOwnId } from "../parts/id.ts";
import { Term } from "../parts/term.tsx";
import type { Guess, Quiz } from "../schema.ts";
import { count, grouped } from "../words/numbers.ts";
import { type Guesses, NO_GUESSES } from "./guesses.ts";
import { CallName, Results } from "./results.tsx";

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
  const startAgain = () => {
    setGuesses(NO_GUESSES);
    setStage("asking");
  };
  return (
    <>
      {quiz && stage === "answered" && <Results quiz={quiz} guesses={guesses} />}
      {quiz && (
        <p class="jitviz-tools jitviz-again">
          <button type="button" onClick={startAgain}>
            {stage === "answered" ? "Take the quiz again" : "Take the quiz"}
          </button>
        </p>
      )}
      {children}
    </>
  );
}

const GUESSES: readonly Guess[] = ["hit", "compile"];

interface Props {
  quiz: Quiz;
  guesses: Guesses;
  onGuess(change: (old: Guesses) => Guesses): void;
  onAnswer(): void;
  onSkip(): void;
}

/** The questions: one choice for each call, and a box for each leaf. Enter answers, as in any form. */
function Form({ quiz, guesses, onGuess, onAnswer, onSkip }: Props) {
  const id = useOwnId();
  const choose = (index: number, guess: Guess) =>
    onGuess((old) => ({ ...old, calls: new Map(old.calls).set(index, guess) }));
  const tick = (index: number) => onGuess((old) => ({ ...old, traced: toggled(old.traced, index) }));
  return (
    <form
      class="jitviz-quiz"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer();
      }}
    >
      <h2>Quiz: what did JIT compilation do?</h2>
      <p class="jitviz-faint">
        The cell has run. Was each call a <Term name="hit" />, or did it <Term name="compile" />? Answer first, then
        look.
      </p>
      {quiz.calls.map((question, index) => (
        <fieldset class="jitviz-question" key={index}>
          <legend>
            <CallName question={question} />
          </legend>
          {GUESSES.map((guess) => (
            <label key={guess}>
              <input
                type="radio"
                name={`${id}-${index}`}
                checked={guesses.calls.get(index) === guess}
                onChange={() => choose(index, guess)}
              />
              {guess}
            </label>
          ))}
        </fieldset>
      ))}
      {quiz.n_more_calls > 0 && <p class="jitviz-faint">{count(quiz.n_more_calls, "more call")} not in the quiz</p>}
      {quiz.note && <p class="jitviz-faint">{quiz.note}</p>}
      {quiz.leaves.length > 0 && (
        <fieldset class="jitviz-question jitviz-question-leaves">
          <legend>
            Which leaves are traced in{" "}
            <CallName question={{ function: quiz.function, number: quiz.call, source: quiz.source }} />?
          </legend>
          {quiz.leaves.map((leaf, index) => (
            <label key={index}>
              <input type="checkbox" checked={guesses.traced?.has(index) ?? false} onChange={() => tick(index)} />
              <code>{leaf.path}</code> <span class="jitviz-faint">{leaf.type}</span>
            </label>
          ))}
          {quiz.n_more_leaves > 0 && (
            <p class="jitviz-faint">
              {grouped(quiz.n_more_leaves)} more {quiz.n_more_leaves === 1 ? "leaf" : "leaves"} not in the quiz
            </p>
          )}
        </fieldset>
      )}
      <p class="jitviz-tools">
        <button type="submit" class="jitviz-main">
          Show the answers
        </button>
        <button type="button" onClick={onSkip}>
          Skip the quiz
        </button>
      </p>
    </form>
  );
}

function toggled(numbers: ReadonlySet<number> | null, number: number): Set<number> {
  const other = new Set(numbers);
  if (!other.delete(number)) other.add(number);
  return other;
}
