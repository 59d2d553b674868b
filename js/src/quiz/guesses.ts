/**
 * The guesses of a quiz, and how many of them are right.
 *
 * In: a `Quiz` and the guesses.  Out: a mark for each question, and the score in words.
 * Must never: count an unanswered question as right.
 */

import type { Guess, Quiz } from "../schema.ts";
import { grouped } from "../words.ts";

/** `calls` by the number of the question, `traced` the numbers of the leaves that were ticked. */
export interface Guesses {
  calls: ReadonlyMap<number, Guess>;
  traced: ReadonlySet<number>;
}

export const NO_GUESSES: Guesses = { calls: new Map(), traced: new Set() };

export type Mark = "right" | "wrong" | "not answered";

export function markCalls({ calls }: Quiz, guesses: Guesses): Mark[] {
  return calls.map(({ truth }, index) => {
    const guess = guesses.calls.get(index);
    if (guess === undefined) return "not answered";
    return guess === truth ? "right" : "wrong";
  });
}

/** A leaf that is not ticked counts as static. */
export function markLeaves({ leaves }: Quiz, guesses: Guesses): Mark[] {
  return leaves.map(({ truth }, index) => (guesses.traced.has(index) === (truth === "traced") ? "right" : "wrong"));
}

/** "4 of 5 right"; all leaves together are one question. */
export function tellScore(quiz: Quiz, guesses: Guesses): string {
  const marks = markCalls(quiz, guesses);
  if (quiz.leaves.length > 0) {
    marks.push(markLeaves(quiz, guesses).every((mark) => mark === "right") ? "right" : "wrong");
  }
  const right = marks.filter((mark) => mark === "right").length;
  return `${grouped(right)} of ${grouped(marks.length)} right`;
}
