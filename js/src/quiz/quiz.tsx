/**
 * A panel behind a quiz on its score: what made a call compile? Values and reasons are covered until a row is chosen.
 *
 * In: the `Quiz` of a panel or null, its scores, and the panel.  Out: the panel, at once where there is no quiz.
 * Must never: show anything else of the panel before the quiz is answered or skipped, or keep a guess anywhere.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Prose } from "../parts/prose.tsx";
import type { Panel } from "../schema.ts";
import { Grid } from "../score/grid.tsx";

const HOW = "Click a row, or walk to it by arrow keys and press Enter.";

export function Quizzed({ panel, children }: { panel: Panel; children: ComponentChildren }) {
  const { quiz, scores } = panel;
  const [guesses, setGuesses] = useState<readonly number[]>([]); // the rows that were chosen
  const [isSkipped, setSkipped] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const score = quiz && scores[quiz.score];
  const isDone = !quiz || isSkipped || guesses.length === quiz.questions.length;
  // The grid that had the focus is gone; keyboard users continue from here.
  useEffect(() => {
    if (isDone && guesses.length > 0) heading.current?.focus();
  }, [isDone]);
  if (!quiz || !score) return <>{children}</>;
  const marks = guesses.map((row, at) =>
    score.rows[row]?.cells.some(({ column, is_cause }) => is_cause && column === quiz.questions[at]?.column),
  );
  const last = quiz.questions[guesses.length - 1];
  const said = last && (
    <p role="status">
      {marks.at(-1) ? <b class="jitviz-right">✓ right: </b> : <b class="jitviz-failed">✕ no: </b>}
      <Prose text={last.answer} />
    </p>
  );
  const start = () => {
    setGuesses([]);
    setSkipped(false);
  };
  if (isDone) {
    return (
      <>
        <section class="jitviz-quiz" aria-label="Quiz">
          {!isSkipped && (
            <h2 ref={heading} tabIndex={-1}>
              Quiz: {marks.filter(Boolean).length} of {marks.length} right
            </h2>
          )}
          {!isSkipped && said}
          <button type="button" onClick={start}>
            {isSkipped ? "Take the quiz" : "Take the quiz again"}
          </button>
        </section>
        {children}
      </>
    );
  }
  const question = quiz.questions[guesses.length];
  return (
    <section class="jitviz-quiz" aria-label="Quiz">
      <h2 class="jitviz-title">
        {guesses.length + 1} of {quiz.questions.length}: {question?.text}?
      </h2>
      {said ?? <p class="jitviz-faint">{HOW}</p>}
      <Grid
        score={score}
        name="quiz"
        chosen={question?.column ?? -1}
        path=""
        cover={{
          hides: (column) => !quiz.questions.slice(0, guesses.length).some((asked) => asked.column === column),
          take: (row) => row >= 0 && setGuesses([...guesses, row]),
        }}
        onChoose={() => {}}
      />
      <button type="button" onClick={() => setSkipped(true)}>
        Skip the quiz
      </button>
    </section>
  );
}
