/** The guesses beside the truth, each right or wrong by sign and word, with the reason. */

import { useEffect, useRef } from "preact/hooks";
import { Prose } from "../parts/prose.tsx";
import type { CallQuestion, Quiz } from "../schema.ts";
import { grouped } from "../words/numbers.ts";
import { type Guesses, type Mark, markCalls, markLeaves, tellScore } from "./guesses.ts";

const SIGNS: Record<Mark, string> = { right: "✓", wrong: "✕", "not answered": "–" };

export function Results({ quiz, guesses }: { quiz: Quiz; guesses: Guesses }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is gone; keyboard users continue from here.
  useEffect(() => heading.current?.focus(), []);
  const [calls, leaves] = [markCalls(quiz, guesses), markLeaves(quiz, guesses)];
  const rows = [
    ...quiz.calls.map((question, index) => ({
      mark: calls[index],
      name: <CallName question={question} />,
      guess: guesses.calls.get(index),
      ...question,
    })),
    ...quiz.leaves.map((leaf, index) => ({
      mark: leaves[index],
      name: <code>{leaf.path}</code>,
      guess: guesses.traced ? (guesses.traced.has(index) ? "traced" : "static") : undefined,
      ...leaf,
    })),
  ];
  return (
    <div class="jitviz-quiz">
      <h2 ref={heading} tabIndex={-1}>
        Quiz: {tellScore(quiz, guesses)}
      </h2>
      <ol class="jitviz-marks">
        {rows.map(({ mark = "not answered", name, guess, truth, because }, index) => (
          <li key={index}>
            <span class={`jitviz-mark-sign jitviz-mark-${mark.replace(" ", "-")}`}>
              <span aria-hidden="true">{SIGNS[mark]}</span> {mark}
            </span>
            <div>
              <p>
                {name}: <b>{truth}</b>
                {guess !== undefined && guess !== truth && <span class="jitviz-faint">; you said {guess}</span>}
              </p>
              <p class="jitviz-faint">
                <Prose text={because} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function CallName({ question }: { question: Pick<CallQuestion, "function" | "number" | "source"> }) {
  return (
    <>
      <code>{question.function}</code>, call {grouped(question.number)}
      {question.source && <span class="jitviz-faint"> at {question.source}</span>}
    </>
  );
}
