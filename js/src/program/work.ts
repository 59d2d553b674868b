/**
 * The measures of the work that each line of source causes.
 *
 * In: `Links`.  Out: numbers by line, and words for them.
 */

import { addToGroup } from "../collections.ts";
import type { LineWork, Links, Stacks } from "../schema.ts";
import { count, grouped, scaled } from "../words/numbers.ts";
import type { Heats } from "./editor/heat.ts";
import type { Source } from "./source.ts";

export type Measure = keyof LineWork & keyof Stacks & ("equations" | "stablehlo_ops" | "hlo_ops");

export const MEASURES: readonly Measure[] = ["equations", "stablehlo_ops", "hlo_ops"];

const TITLES: Record<Measure, string> = {
  equations: "equations",
  stablehlo_ops: "StableHLO ops",
  hlo_ops: "HLO ops",
};

export function nameMeasure(measure: Measure): string {
  return TITLES[measure];
}

/** "4,800 of 6,177 equations, 78%" */
export function tellShare(links: Links, measure: Measure, amount: number): string {
  const total = links[measure];
  const share = total > 0 ? `, ${percent(amount / total)}` : "";
  return `${grouped(amount)} of ${grouped(total)} ${TITLES[measure]}${share}`;
}

export function percent(share: number): string {
  const hundredths = share * 100;
  if (hundredths > 0 && hundredths < 1) return "<1%";
  return hundredths > 99 && hundredths < 100 ? ">99%" : `${Math.round(hundredths)}%`;
}

/** "4.8k", for places too narrow for words. */
export function tellShort(amount: number): string {
  return scaled(amount, ["", "k", "M", "G", "T", "P"]).replace(" ", "");
}

/** The heat strip of a joined source, by one measure. */
export function heatsOf(links: Links, source: Source, measure: Measure): Heats {
  const { lines } = links;
  const rows = new Map<string, number>();
  for (let row = 0; row < lines.line.length; row += 1) rows.set(`${lines.file[row]}:${lines.line[row]}`, row);
  const rowAt = source.line.map((line, at) => (line ? (rows.get(`${source.file[at]}:${line}`) ?? -1) : -1));
  const most = rowAt.reduce((so, row) => Math.max(so, lines[measure][row] ?? 0), 0);
  return rowAt.map((row) => {
    const amount = lines[measure][row] ?? 0;
    if (amount <= 0) return null;
    const repeats = lines.repeats[row] ?? 1;
    const unrolled = repeats > 1 ? `, unrolled ${count(repeats, "time")}` : "";
    return { share: amount / most, short: tellShort(amount), long: `${tellShare(links, measure, amount)}${unrolled}` };
  });
}

/** The rows of `LineWork`, hottest first. */
export function sortWork({ lines }: Links, by: Measure | "repeats"): number[] {
  const column = lines[by];
  return Array.from({ length: lines.line.length }, (_, row) => row).sort(
    (a, b) => (column[b] ?? 0) - (column[a] ?? 0) || a - b,
  );
}

/** Call stacks as a tree, with their sums. */
interface StackTree {
  /** How much work each stack made, calls included. */
  sums: Float64Array;
  /** The stacks with work right below each stack, most first; the outermost are below -1. */
  children: Map<number, number[]>;
}

export function growStacks({ stacks }: Links, measure: Measure): StackTree {
  const sums = Float64Array.from(stacks[measure]);
  for (let stack = sums.length - 1; stack >= 0; stack -= 1) {
    const parent = stacks.parent[stack] ?? -1;
    if (parent >= 0) sums[parent] = (sums[parent] ?? 0) + (sums[stack] ?? 0);
  }
  const children = new Map<number, number[]>();
  for (let stack = 0; stack < sums.length; stack += 1) {
    if (sums[stack]) addToGroup(children, stacks.parent[stack] ?? -1, stack);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0));
  return { sums, children };
}

/** "In [3]:12" */
export function namePlace({ files }: Links, file: number, line: number): string {
  return `${files[file] ?? "?"}:${line}`;
}
