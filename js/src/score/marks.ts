/** Signs for what is said of a column in words: each is explained by the glossary, and in the legend. */

import type { ScoreColumn } from "../schema.ts";

const SIGNS: Record<string, string> = {
  stale: "⚠",
  "loaded from disk": "⤓",
  inlined: "↳",
  "ahead of time": "⇥",
};

export function signsOf({ marks }: ScoreColumn): string {
  const signs = marks.flatMap((mark) => SIGNS[mark] ?? []);
  return signs.join("");
}

/** The signs of some columns, each with its words. */
export function legendOf(columns: readonly ScoreColumn[]): [string, string][] {
  const words = new Set(columns.flatMap(({ marks }) => marks));
  return Object.entries(SIGNS).flatMap(([word, sign]) => (words.has(word) ? [[sign, word]] : []));
}
