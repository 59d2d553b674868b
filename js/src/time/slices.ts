/**
 * The seconds of an account as slices of slices.
 *
 * In: an `AccountView`.  Out: slices in preorder, each with its place along the whole.
 * Must never: let the slices of a slice be wider than it, or invent what is not known: it stays a gap.
 */

import { percent } from "../program/work.ts";
import { type AccountView, WHATS, type What } from "../schema.ts";
import { seconds } from "../words/numbers.ts";

export interface Slice {
  name: string;
  what: What | "all";
  seconds: number;
  depth: number;
  /** -1 for the whole. */
  parent: number;
  /** Where it begins, and how wide it is, as fractions of the whole. */
  start: number;
  width: number;
}

/** The kinds of work are in the order of the bill. */
export function cutAccount({ rows, wall_s }: AccountView): Slice[] {
  const whole = { name: "all of it", what: "all" as const, seconds: wall_s, depth: 0, parent: -1, start: 0, width: 1 };
  const slices: Slice[] = [whole];
  const above: number[] = [0];
  const ordered = WHATS.flatMap((what) => rows.filter((row) => row.what === what));
  for (const { depth, what, name, seconds: spent } of ordered) {
    above[depth + 1] = slices.length;
    const parent = above[depth] ?? 0;
    slices.push({ ...whole, name: name.replaceAll("`", ""), what, seconds: spent, depth: depth + 1, parent });
  }
  place(slices);
  return slices;
}

/** Side by side in their parent; if they overlapped in time and exceed it, each becomes narrower. */
function place(slices: Slice[]): void {
  const sums = new Float64Array(slices.length);
  for (const { parent, seconds: spent } of slices) if (parent >= 0) sums[parent] = (sums[parent] ?? 0) + spent;
  const ends = new Float64Array(slices.length);
  for (const [index, slice] of slices.entries()) {
    const parent = slices[slice.parent];
    if (parent) {
      const whole = Math.max(parent.seconds, sums[slice.parent] ?? 0);
      slice.start = ends[slice.parent] ?? 0;
      slice.width = whole > 0 ? (parent.width * slice.seconds) / whole : 0;
      ends[slice.parent] = slice.start + slice.width;
    }
    ends[index] = slice.start;
  }
}

/** "compiling, 9.1 s, 75% of all" */
export function tellSlice(slices: readonly Slice[], index: number): string {
  const slice = slices[index];
  const whole = slices[0]?.seconds ?? 0;
  const share = slice && index && whole > 0 ? `, ${percent(slice.seconds / whole)} of all` : "";
  return slice ? `${slice.name}, ${seconds(slice.seconds)}${share}` : "";
}
