/**
 * A panel behind a quiz on its score, call by call: hit or compile, and what made it compile? A call is covered until it
 * is answered, or until someone who shows it to others goes on with →.
 *
 * In: the `Quiz` of a panel or null, its scores, and the panel.  Out: the panel, at once where there is no quiz.
 * Must never: show anything else of the panel before the quiz is done or skipped, or keep a guess anywhere.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Prose } from "../parts/prose.tsx";
import type { Panel, Quiz, QuizQuestion, Score } from "../schema.ts";
import { Grid } from "../score/grid.tsx";
import { grouped } from "../words/numbers.ts";

const OUTCOMES = ["hit", "compile"] as const;

/** A thing to guess: what a call did, or which row made it compile. */
interface Step {
  column: number;
  /** Null where the call is to be told from a hit. */
  cause: QuizQuestion | null;
  text: string;
  answer: string;
}

/** Of each call that hit or compiled, which of the two, then why it compiled; up to the hits after the last question. */
function stepsOf({ questions }: Quiz, { columns, calls }: Score): Step[] {
  const last = questions.at(-1)?.column ?? -1;
  return columns.slice(0, last + 2).flatMap(({ kind, first, label }, column) => {
    const causes = questions.filter((question) => question.column === column);
    const isTold = column === 0 && causes.length === 0; // a function compiles at its first call
    const isAsked = !isTold && calls >= 0 && first > 0 && (kind === "hits" || kind === "compile");
    const text = `call ${grouped(first)}: hit or compile`;
    const outcome = isAsked ? [{ column, cause: null, text, answer: label }] : [];
    return [...outcome, ...causes.map((cause) => ({ column, cause, text: cause.text, answer: cause.answer }))];
  });
}

export function Quizzed({ panel, children }: { panel: Panel; children: ComponentChildren }) {
  const { quiz, scores } = panel;
  const score = quiz && scores[quiz.score];
  const steps = useMemo(() => (quiz && score ? stepsOf(quiz, score) : []), [quiz, score]);
  const [at, setAt] = useState(0);
  const [guesses, setGuesses] = useState<ReadonlyMap<number, boolean>>(new Map()); // whether they were right, by step
  const heading = useRef<HTMLHeadingElement>(null);
  const section = useRef<HTMLElement>(null);
  const isDone = at >= steps.length;
  // The grid that had the focus is gone; keyboard users continue from here.
  useEffect(() => {
    if (isDone && guesses.size > 0) heading.current?.focus();
  }, [isDone]);
  // Nor is a button of an outcome, where a row is asked for next.
  useEffect(() => {
    if (steps[at]?.cause && at > 0) section.current?.querySelector<HTMLElement>("[role=grid]")?.focus();
  }, [at]);
  if (!score) return <>{children}</>;
  const guess = (isRight: boolean) => {
    setGuesses(new Map(guesses).set(at, isRight));
    setAt(at + 1);
  };
  const isRight = guesses.get(at - 1);
  const said = isRight !== undefined && (
    <p role="status">
      {isRight ? <b class="jitviz-right">✓ right: </b> : <b class="jitviz-failed">✕ no: </b>}
      <Prose text={steps[at - 1]?.answer ?? ""} />
    </p>
  );
  const step = steps[at];
  if (!step) {
    return (
      <>
        <section class="jitviz-quiz" aria-label="Quiz">
          {guesses.size > 0 && (
            <h2 ref={heading} tabIndex={-1}>
              Quiz: {[...guesses.values()].filter(Boolean).length} of {guesses.size} right
            </h2>
          )}
          {said}
          <button
            type="button"
            onClick={() => {
              setGuesses(new Map());
              setAt(0);
            }}
          >
            {guesses.size > 0 ? "Take the quiz again" : "Take the quiz"}
          </button>
        </section>
        {children}
      </>
    );
  }
  const { column, cause, text } = step;
  const isCause = (row: number) =>
    score.rows[row]?.cells.some((cell) => cell.is_cause && cell.column === column) ?? false;
  const asked = [...new Set(steps.map((one) => one.column))];
  const go = (to: number) => {
    if (to === column || to < 0) return;
    const beside = asked[asked.indexOf(column) + (to > column ? 1 : -1)];
    if (beside !== undefined) setAt(steps.findIndex((one) => one.column === beside));
    else if (to > column) setAt(steps.length);
  };
  return (
    <section class="jitviz-quiz" aria-label="Quiz" ref={section}>
      <h2 class="jitviz-title">
        {at + 1} of {steps.length}: {text}?
      </h2>
      {said || (
        <p class="jitviz-faint">{cause ? "Click a row, or press Enter on it." : "Guess, or uncover it with →."}</p>
      )}
      <Grid
        score={score}
        name="quiz"
        chosen={column}
        path=""
        cover={{ column, hidesHead: !cause, take: (row) => cause && row >= 0 && guess(isCause(row)) }}
        onChoose={go}
      />
      <span class="jitviz-tools">
        {!cause &&
          OUTCOMES.map((outcome) => (
            <button
              key={outcome}
              type="button"
              onClick={() => guess((score.columns[column]?.kind === "hits") === (outcome === "hit"))}
            >
              {outcome}
            </button>
          ))}
        <button type="button" onClick={() => setAt(steps.length)}>
          Skip the quiz
        </button>
      </span>
    </section>
  );
}
