/**
 * What each cell of a score looks like, which of its rows are in sight, and how wide its columns may be.
 *
 * In: a `Score`, which has a cell only where something changes, and the rows that are open.  Out: a look for every column.
 * Must never: be computed for a row that is not drawn; there may be twenty thousand.
 */

import { once } from "../collections.ts";
import type { CellRole, Score, ScoreColumn, ScoreRow } from "../schema.ts";
import { grouped } from "../words/numbers.ts";

export interface Look {
  role: CellRole;
  /** What is written in it. */
  text: string;
  /** The whole change, for a hover and for screen readers. */
  told: string;
  /** Whether it made the call compile, or raise. */
  isCause: boolean;
}

/** Each column's look; a column without a cell of its own looks as the one before it, and says nothing. */
export const looksOf = once((row: ScoreRow): ((column: number) => Look) => {
  const own = new Map(row.cells.map((cell) => [cell.column, cell]));
  const starts = row.cells.map(({ column }) => column);
  return (column) => {
    const cell = own.get(column);
    if (cell) return { role: cell.role, text: cell.text, told: cell.told, isCause: cell.is_cause || cell.is_blamed };
    const before = starts.findLast((start) => start < column);
    return { role: (before !== undefined && own.get(before)?.role) || "absent", text: "", told: "", isCause: false };
  };
});

/** One past the last row beneath a row. */
export function endOf({ rows }: Score, at: number): number {
  let end = at + 1;
  while ((rows[end]?.depth ?? -1) > (rows[at]?.depth ?? 0)) end += 1;
  return end;
}

export function isFoldable({ rows }: Score, at: number): boolean {
  return (rows[at + 1]?.depth ?? -1) > (rows[at]?.depth ?? 0);
}

/** The places of the rows that no folded row hides. */
export function rowsInSight(score: Score, isOpen: (at: number) => boolean): number[] {
  const seen: number[] = [];
  for (let at = 0; at < score.rows.length; at = isFoldable(score, at) && !isOpen(at) ? endOf(score, at) : at + 1) {
    seen.push(at);
  }
  return seen;
}

/** The causes beneath a folded row, by column: what made the call compile or raise shows, however deep it is. */
export function causesBeneath(score: Score, at: number): Map<number, string> {
  const causes = new Map<number, string>();
  for (const { name, cells } of score.rows.slice(at + 1, endOf(score, at))) {
    for (const { column, told, is_cause, is_blamed } of cells)
      if (is_cause || is_blamed) causes.set(column, `${name} ${told}`);
  }
  return causes;
}

/** The row of a path, -1 for none. */
export function rowOfPath({ rows }: Score, path: string): number {
  return path ? rows.findIndex((row) => row.path === path) : -1;
}

/** The rows around a row, which have to be open for it to be in sight. */
export function rowsAround({ rows }: Score, at: number): number[] {
  const around: number[] = [];
  let depth = rows[at]?.depth ?? 0;
  for (let above = at - 1; above >= 0 && depth > 0; above -= 1) {
    const other = rows[above]?.depth ?? 0;
    if (other >= depth) continue;
    around.push(above);
    depth = other;
  }
  return around;
}

/** Whether what it took stands above a column. */
export function isTimed(kind: ScoreColumn["kind"]): boolean {
  return kind !== "hits" && kind !== "inlined";
}

const FEW = 16; // columns that have room for the number of their last call

/** The numbers of a column's calls, "" where they have none: "2–7", or the first alone where there are many columns. */
export function numbersOf({ first, last }: ScoreColumn, { length }: readonly ScoreColumn[]): string {
  if (first <= 0) return "";
  return last > first && length <= FEW ? `${grouped(first)}–${grouped(last)}` : grouped(first);
}

const CHAR_PX = 7;
const PAD_PX = 10;
const MOST_CHARS = 9;
/** By kind: how narrow and how wide a column may be. */
const WIDTHS: Partial<Record<ScoreColumn["kind"], readonly [number, number]>> = {
  hits: [14, 46],
  inlined: [14, 46],
  trace: [26, 60],
  programs: [14, 60],
};

/** How narrow and how wide each column may be: what is written in it fits. */
export const widthsOf = once(({ columns, rows }: Score): (readonly [number, number])[] => {
  const chars = columns.map((column) =>
    Math.max(numbersOf(column, columns).length, column.name.length + 2 * column.marks.length),
  );
  for (const { cells } of rows) {
    for (const { column, text } of cells) chars[column] = Math.max(chars[column] ?? 0, text.length);
  }
  const roomy = Math.min(1.6, Math.max(1, 16 / columns.length)); // few columns may be wider
  return columns.map(({ kind, told }, column) => {
    const [least, most] = WIDTHS[kind] ?? [44, 84];
    const written = Math.min(MOST_CHARS, Math.max(chars[column] ?? 0, isTimed(kind) ? told.length : 0));
    const needed = Math.max(least, written * CHAR_PX + PAD_PX - (kind in WIDTHS ? 4 : 0));
    return [needed, Math.max(needed, most * roomy)];
  });
});
