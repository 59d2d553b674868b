/**
 * Slices of slices: the seconds of an account, or the parts of a program.
 *
 * In: an `AccountView`, or `Links` and a measure.  Out: slices in preorder, each with its place along the whole.
 * Must never: let the slices of a slice be wider than it, or invent what is not known: it stays a gap.
 */

import { growStacks, type Measure, nameMeasure, namePlace, percent } from "../program/work.ts";
import { type AccountView, type Links, WHATS, type What } from "../schema.ts";
import { grouped, seconds } from "../words/numbers.ts";

export interface Slice {
  name: string;
  /** The end of its class in the style sheet: "what-" and a kind of work, or "kind-" and a kind of leaf. */
  look: `what-${What | "all"}` | `kind-${"none" | "node" | "traced" | "static" | "changed"}`;
  amount: number;
  depth: number;
  /** -1 for the whole. */
  parent: number;
  /** Where it begins, and how wide it is, as fractions of the whole. */
  start: number;
  width: number;
  /** What is said of it in place of its amount. */
  note: string | null;
}

export interface Cut {
  slices: readonly Slice[];
  tell(amount: number): string;
}

/** The kinds of work are in the order of the bill. */
export function cutAccount({ rows, wall_s }: AccountView): Cut {
  const slices: Slice[] = [sliceOf("all of it", "what-all", wall_s, 0, -1)];
  const above: number[] = [0];
  for (const { depth, what, name, seconds: amount } of WHATS.flatMap((what) =>
    rows.filter((row) => row.what === what),
  )) {
    above[depth + 1] = slices.length;
    slices.push(sliceOf(name.replaceAll("`", ""), `what-${what}`, amount, depth + 1, above[depth] ?? 0));
  }
  return { slices: placeSlices(slices), tell: seconds };
}

/** The stacks of a program: who called what while it was traced, and how much work it made. */
export function cutProgram(links: Links, measure: Measure, title: string): Cut {
  const { stacks, frames } = links;
  const { sums, children } = growStacks(links, measure);
  const nameFrame = (stack: number) => {
    const frame = stacks.frame[stack] ?? -1;
    const place = namePlace(links, frames.file[frame] ?? -1, frames.line[frame] ?? 0);
    return `${links.functions[frames.function[frame] ?? -1] ?? ""} at ${place}`.trim();
  };
  const slices: Slice[] = [sliceOf(title, "what-all", links[measure], 0, -1)];
  // Frames of one line, which differ only in their columns, are one slice.
  const walk = (above: number[], at: number, depth: number) => {
    const lines = new Map<string, { sum: number; stacksHere: number[] }>();
    for (const stack of above.flatMap((stack) => children.get(stack) ?? [])) {
      const name = nameFrame(stack);
      const { sum, stacksHere } = lines.get(name) ?? { sum: 0, stacksHere: [] };
      lines.set(name, { sum: sum + (sums[stack] ?? 0), stacksHere: [...stacksHere, stack] });
    }
    for (const [name, { sum, stacksHere }] of [...lines].sort(([, a], [, b]) => b.sum - a.sum)) {
      slices.push(sliceOf(name, "what-trace", sum, depth, at));
      walk(stacksHere, slices.length - 1, depth + 1);
    }
  };
  walk([-1], 0, 1);
  return {
    slices: placeSlices(slices),
    tell: (amount) => `${grouped(amount)} ${nameMeasure(measure)}`,
  };
}

export function sliceOf(
  name: string,
  look: Slice["look"],
  amount: number,
  depth: number,
  parent: number,
  note: string | null = null,
): Slice {
  return { name, look, amount, depth, parent, start: 0, width: 1, note };
}

/** Places slices side by side in their parent; if they overlapped in time and exceed it, each becomes narrower. */
export function placeSlices(slices: Slice[]): Slice[] {
  const sums = new Float64Array(slices.length);
  for (const { parent, amount } of slices) if (parent >= 0) sums[parent] = (sums[parent] ?? 0) + amount;
  const ends = new Float64Array(slices.length);
  for (const [index, slice] of slices.entries()) {
    const parent = slices[slice.parent];
    if (parent) {
      const whole = Math.max(parent.amount, sums[slice.parent] ?? 0);
      slice.start = ends[slice.parent] ?? 0;
      slice.width = whole > 0 ? (parent.width * slice.amount) / whole : 0;
      ends[slice.parent] = slice.start + slice.width;
    }
    ends[index] = slice.start;
  }
  return slices;
}

/** "compiling, 9.1 s, 75% of all" */
export function tellSlice({ slices, tell }: Cut, index: number): string {
  const slice = slices[index];
  const whole = slices[0]?.amount ?? 0;
  if (!slice) return "";
  if (slice.note !== null) return [slice.name, slice.note].filter(Boolean).join(", ");
  const share = index && whole > 0 ? `, ${percent(slice.amount / whole)} of all` : "";
  return `${slice.name}, ${tell(slice.amount)}${share}`;
}
