/**
 * Highlights: for a selection in one pane, the linked lines of all panes.
 *
 * In: `Links`, the joined source, a selection.  Out: some bits for each line of each pane, and where they come from.
 * Must never: look at a text; everything goes by line numbers, in one pass over the columns.
 */

import { countBefore } from "../collections.ts";
import { DIRECTIONS, type Links, type ListingName, type Origins } from "../schema.ts";
import { type PaneName, TEXTS } from "./place.ts";
import type { Source } from "./source.ts";

/** Bits of a line: how it is linked to the selection, and to which pass it belongs. */
export const WEAK = 1;
export const STRONG = 2;
export const FORWARD = 4;
export const BACKWARD = 8;

/** Lines count from 0. `endColumn` is -1 where whole lines are meant; `above` is the line that holds them, or -1. */
export interface Selection {
  pane: PaneName;
  from: number;
  to: number;
  column: number;
  endColumn: number;
  above: number;
}

export function wholeLine(pane: PaneName, line: number): Selection {
  return { pane, from: line, to: line, column: 0, endColumn: -1, above: -1 };
}

/** What is selected, and of which version. */
export interface Selected {
  index: number;
  selection: Selection;
}

/** A selection as an address has it: "jaxpr 12". */
export function writeLine({ pane, from }: Selection): string {
  return `${pane} ${from + 1}`;
}

export function readLine(text: string): Selection | null {
  const [, pane, line] = /^(source|jaxpr|stablehlo|hlo) (\d+)$/.exec(text) ?? [];
  return pane ? wholeLine(pane as PaneName, Number(line) - 1) : null;
}

/** An expression in the joined source. */
export interface Stretch {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface Highlights {
  bits: Record<PaneName, Uint8Array>;
  /** How many lines of each text are highlighted, and how many of them belong to the backward pass. */
  counts: Record<ListingName, { all: number; backward: number }>;
  expressions: readonly Stretch[];
  /** The call stacks that the selected lines of a text came from. */
  stacks: readonly number[];
  /** Whether the compiler inserted some of them. */
  isInserted: boolean;
  /** Whether the compiler kept the names of some of them, but not their places: it made one operation of several. */
  isUnplaced: boolean;
}

const N_BANDS = 6;

/**
 * A colour for each line of source from which equations or operations come, and for the lines of the texts that came from
 * it: from 1 on, in turn, 0 for none.
 */
export function bandsOf(links: Links, source: Source): Record<PaneName, Uint8Array> {
  const { stacks, frames } = links;
  const lineOf = Int32Array.from(stacks.frame, (frame) => source.find(at(frames.file, frame), at(frames.line, frame)));
  // The innermost line that is shown; a stack comes after its parent.
  for (let stack = 0; stack < lineOf.length; stack += 1) {
    const parent = at(stacks.parent, stack);
    if ((lineOf[stack] ?? -1) < 0 && parent >= 0) lineOf[stack] = lineOf[parent] ?? -1;
  }
  const used = new Set(TEXTS.flatMap((name) => Array.from(links[name].stack, (stack) => lineOf[stack] ?? -1)));
  const bands = { source: new Uint8Array(source.line.length) } as Record<PaneName, Uint8Array>;
  let n = 0;
  for (let line = 0; line < bands.source.length; line += 1) {
    if (used.has(line)) bands.source[line] = 1 + (n++ % N_BANDS);
  }
  for (const name of TEXTS) {
    const { line, stack } = links[name];
    bands[name] = new Uint8Array(line.length ? at(line, line.length - 1) + 1 : 0);
    for (let entry = line.length - 1; entry >= 0; entry -= 1) {
      const from = lineOf[at(stack, entry)] ?? -1;
      if (from >= 0) bands[name][at(line, entry)] = bands.source[from] ?? 0;
    }
  }
  return bands;
}

const BACK = DIRECTIONS.indexOf("backward");
const N_DIRECTIONS = DIRECTIONS.length;

export function highlight(links: Links, source: Source, selection: Selection): Highlights {
  const wanted = new Uint8Array(links.stacks.frame.length * N_DIRECTIONS);
  const bits = { source: new Uint8Array(source.line.length) } as Highlights["bits"];
  const counts = {} as Highlights["counts"];
  let expressions: Stretch[] = [];
  let stacks: number[] = [];
  let isInserted = false;
  let isUnplaced = false;
  if (selection.pane === "source") {
    reach(links, framesIn(links, source, selection), wanted);
  } else {
    const origins = links[selection.pane];
    const entries = entriesOf(origins, selection);
    for (const entry of entries) {
      const stack = at(origins.stack, entry);
      if (stack < 0) continue;
      wanted[stack * N_DIRECTIONS + at(origins.direction, entry)] = STRONG;
      climb(links, source, stack, at(origins.direction, entry) === BACK ? BACKWARD : FORWARD, bits.source);
    }
    const nowhere = entries.filter((entry) => at(origins.stack, entry) < 0);
    isUnplaced = nowhere.some((entry) => links.names[at(origins.name, entry)]);
    isInserted = nowhere.some((entry) => !links.names[at(origins.name, entry)]);
    stacks = [...new Set(entries.map((entry) => at(origins.stack, entry)))].filter((stack) => stack >= 0);
    expressions = stacks.flatMap((stack) => expressionOf(links, source, at(links.stacks.frame, stack)));
  }
  for (const name of TEXTS) {
    const { lines, all, backward } = spread(links[name], wanted);
    bits[name] = lines;
    counts[name] = { all, backward };
  }
  return { bits, counts, expressions, stacks, isInserted, isUnplaced };
}

/** The entries of the selected lines, or else of the line that holds them: the head of a long equation. */
export function entriesOf(origins: Origins, { from, to, above }: Pick<Selection, "from" | "to" | "above">): number[] {
  const own = entriesBetween(origins, from, to);
  return own.length || above < 0 ? own : entriesBetween(origins, above, above);
}

function entriesBetween({ line }: Origins, from: number, to: number): number[] {
  const entries = [];
  const first = countBefore(line.length, (entry) => at(line, entry) < from);
  for (let entry = first; entry < line.length && at(line, entry) <= to; entry += 1) {
    entries.push(entry);
  }
  return entries;
}

/** Highlights the line of every entry whose stack and direction are wanted. */
function spread({ line, stack, direction }: Origins, wanted: Uint8Array) {
  const n = line.length;
  const lines = new Uint8Array(n ? at(line, n - 1) + 1 : 0);
  for (let entry = 0; entry < n; entry += 1) {
    const from = at(stack, entry);
    const pass = at(direction, entry);
    const how = from < 0 ? 0 : (wanted[from * N_DIRECTIONS + pass] ?? 0);
    if (how) lines[at(line, entry)] = (lines[at(line, entry)] ?? 0) | how | (pass === BACK ? BACKWARD : FORWARD);
  }
  let all = 0;
  let backward = 0;
  for (const bits of lines) {
    if (bits) all += 1;
    if (bits & BACKWARD) backward += 1;
  }
  return { lines, all, backward };
}

/** Wants every stack that ends in one of the frames (strong) or goes through one (weak). */
function reach({ stacks }: Links, frames: Uint8Array, wanted: Uint8Array): void {
  const n = stacks.frame.length;
  for (let stack = 0; stack < n; stack += 1) {
    const parent = at(stacks.parent, stack);
    const how = frames[at(stacks.frame, stack)] ? STRONG : parent >= 0 && wanted[parent * N_DIRECTIONS] ? WEAK : 0;
    if (how) wanted.fill(how, stack * N_DIRECTIONS, (stack + 1) * N_DIRECTIONS);
  }
}

/**
 * The frames of a selection in the source. For an expression: the frames inside it, or else the smallest around it.
 * For whole lines: the frames that begin there, or else the smallest around them.
 */
function framesIn({ frames }: Links, source: Source, selection: Selection): Uint8Array {
  const chosen = new Uint8Array(frames.line.length);
  const file = source.file[selection.from];
  const first = source.line[selection.from] || source.line[selection.to];
  const last = source.line[selection.to] || first;
  if (!first || !last) return chosen;
  const isWhole = selection.endColumn < 0;
  let smallest = Number.POSITIVE_INFINITY;
  let around: number[] = [];
  let isAny = false;
  for (let frame = 0; frame < chosen.length; frame += 1) {
    if (at(frames.file, frame) !== file) continue;
    const line = at(frames.line, frame);
    const column = at(frames.column, frame);
    const endLine = Math.max(at(frames.end_line, frame), line);
    const endColumn = at(frames.end_column, frame);
    const isExact = !isWhole && column >= 0;
    const isIn = isExact
      ? isBefore(first, selection.column, line, column) && isBefore(endLine, endColumn, last, selection.endColumn)
      : line >= first && line <= last;
    if (isIn) {
      chosen[frame] = 1;
      isAny = true;
    } else if (
      isExact
        ? isBefore(line, column, first, selection.column) && isBefore(last, selection.endColumn, endLine, endColumn)
        : line <= first && endLine >= last
    ) {
      const size = (endLine - line) * 10_000 + Math.max(endColumn - column, 0);
      if (size < smallest) around = [];
      if (size <= smallest) around.push(frame);
      smallest = Math.min(size, smallest);
    }
  }
  if (!isAny) for (const frame of around) chosen[frame] = 1;
  return chosen;
}

function isBefore(line: number, column: number, otherLine: number, otherColumn: number): boolean {
  return line < otherLine || (line === otherLine && column <= otherColumn);
}

/** Highlights the lines of a stack in the source: the innermost strongly, its callers weakly. */
function climb({ stacks, frames }: Links, source: Source, stack: number, pass: number, lines: Uint8Array): void {
  let how = STRONG;
  for (let caller = stack; caller >= 0; caller = at(stacks.parent, caller)) {
    const frame = at(stacks.frame, caller);
    const line = source.find(at(frames.file, frame), at(frames.line, frame));
    if (line < 0) continue;
    lines[line] = (lines[line] ?? 0) | how | pass;
    how = WEAK;
  }
}

/** The place of the expression of a frame in the source, if it is known. */
export function expressionOf({ frames }: Links, source: Source, frame: number): Stretch[] {
  const line = source.find(at(frames.file, frame), at(frames.line, frame));
  const endLine = source.find(at(frames.file, frame), at(frames.end_line, frame));
  const column = at(frames.column, frame);
  if (line < 0 || endLine < 0 || column < 0) return [];
  return [{ line, column, endLine, endColumn: at(frames.end_column, frame) }];
}

/** The frames of a stack, outermost first. */
export function framesOf({ stacks }: Links, stack: number): number[] {
  const frames = [];
  for (let caller = stack; caller >= 0; caller = at(stacks.parent, caller)) frames.unshift(at(stacks.frame, caller));
  return frames;
}

function at(column: ArrayLike<number>, index: number): number {
  return column[index] ?? -1;
}
