/** The guesses beside the truth, each right or wrong by sign and word, with the reason. */

import { useEffect, useRef } from "preact/hooks";
import { Prose } from "../prose.tsx";
import type { Quiz } from "../schema.ts";
import { CallName } from "./form.tsx";
import { type Guesses, type Mark, markCalls, markLeaves, tellScore } from "./guesses.ts";

const SIGNS: Record<Mark, string> = { right: "✓", wrong: "✕", "not answered": "–" };

export function Marks({ quiz, guesses }: { quiz: Quiz; guesses: Guesses }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is gone; whoever comes by key goes on from here.
  useEffect(() => heading.current?.focus(), []);
  const calls = markCalls(quiz, guesses);
  const leaves = markLeaves(quiz, guesses);
  return (
    <div class="jitviz-quiz">
      <h2 ref={heading} tabIndex={-1}>
        Quiz: {tellScore(quiz, guesses)}
      </h2>
      <ol class="jitviz-marks">
        {quiz.calls.map((question, index) => (
          <li key={index}>
            <MarkSign mark={calls[index] ?? "not answered"} />
            <div>
              <p>
                <CallName question={question} />: <Said guess={guesses.calls.get(index)} truth={question.truth} />
              </p>
              <p class="jitviz-faint">
                <Prose text={question.because} />
              </p>
            </div>
          </li>
        ))}
        {quiz.leaves.map((leaf, index) => (
          <li key={`leaf ${index}`}>
            <MarkSign mark={leaves[index] ?? "not answered"} />
            <div>
              <p>
                <code>{leaf.path}</code>:{" "}
                <Said guess={guesses.traced.has(index) ? "traced" : "static"} truth={leaf.truth} />
              </p>
              <p class="jitviz-faint">
                <Prose text={leaf.because} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function MarkSign({ mark }: { mark: Mark }) {
  return (
    <span class={`jitviz-mark-sign jitviz-mark-${mark.replace(" ", "-")}`}>
      <span aria-hidden="true">{SIGNS[mark]}</span> {mark}
    </span>
  );
}

function Said({ guess, truth }: { guess: string | undefined; truth: string }) {
  return (
    <>
      <b>{truth}</b>
      {guess !== undefined && guess !== truth && <span class="jitviz-faint">; you said {guess}</span>}
    </>
  );
}
