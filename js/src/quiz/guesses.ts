/**
 * The guesses of a quiz, and how many of them are right.
 *
 * In: a `Quiz` and the guesses.  Out: a mark for each question, and the score in words.
 */

import type { Guess, Quiz } from "../schema.ts";
import { grouped } from "../words/numbers.ts";

/** `calls` by the number of the question, `traced` the numbers of the leaves that are ticked, null if none ever was. */
export interface Guesses {
  calls: ReadonlyMap<number, Guess>;
  traced: ReadonlySet<number> | null;
}

export const NO_GUESSES: Guesses = { calls: new Map(), traced: null };

export type Mark = "right" | "wrong" | "not answered";

export function markCalls({ calls }: Quiz, guesses: Guesses): Mark[] {
  return calls.map(({ truth }, index) => {
    const guess = guesses.calls.get(index);
    if (guess === undefined) return "not answered";
    return guess === truth ? "right" : "wrong";
  });
}

/** Once a leaf was ticked, the others count as static. */
export function markLeaves({ leaves }: Quiz, { traced }: Guesses): Mark[] {
  return leaves.map(({ truth }, index) => {
    if (traced === null) return "not answered";
    return traced.has(index) === (truth === "traced") ? "right" : "wrong";
  });
}

/** "4 of 5 right": as many as have the sign for it below. */
export function tellScore(quiz: Quiz, guesses: Guesses): string {
  const marks = [...markCalls(quiz, guesses), ...markLeaves(quiz, guesses)];
  const right = marks.filter((mark) => mark === "right").length;
  return `${grouped(right)} of ${grouped(marks.length)} right`;
}
