/**
 * Two texts side by side, with the hunks that Python found.
 *
 * In: both texts and their `Hunks`.  Out: a handle to walk from hunk to hunk.
 * Must never: look for differences itself, except inside a hunk, to mark words.
 */

import { Change, goToNextChunk, goToPreviousChunk, MergeView, presentableDiff } from "@codemirror/merge";
import { lineNumbers } from "@codemirror/view";
import type { Hunks, ListingName } from "../../schema.ts";
import { readOnly, rootOf } from "./editor.ts";
import { languageOf } from "./languages.ts";

interface MergeOptions {
  parent: HTMLElement;
  name: ListingName;
  before: string;
  after: string;
  labels: readonly [before: string, after: string];
  hunks: Hunks;
  isCollapsed: boolean;
  /** How far it was scrolled when it was left. */
  top: number;
  onScroll(top: number): void;
}

export interface Merge {
  /** Goes to the next hunk, or to the one before. */
  step(step: 1 | -1): void;
  destroy(): void;
}

const COLLAPSE = { margin: 3, minSize: 6 };

export function openMerge(options: MergeOptions): Merge {
  const { parent, name, before, after, labels, hunks, isCollapsed } = options;
  const [a, b] = [endLine(before), endLine(after)];
  const side = (doc: string, label: string) => ({
    doc,
    extensions: [lineNumbers(), languageOf(name), readOnly(label)],
  });
  const view = new MergeView({
    parent,
    root: rootOf(parent),
    a: side(a, labels[0]),
    b: side(b, labels[1]),
    diffConfig: { override: () => changesOf(hunks, a, b) },
    ...(isCollapsed && { collapseUnchanged: COLLAPSE }),
  });
  view.dom.scrollTop = options.top;
  view.dom.addEventListener("scroll", () => options.onScroll(view.dom.scrollTop));
  return {
    step(step) {
      (step > 0 ? goToNextChunk : goToPreviousChunk)(view.b);
      const { top } = view.b.lineBlockAt(view.b.state.selection.main.head);
      view.dom.scrollTop = Math.max(0, top - view.dom.clientHeight / 3);
    },
    destroy: () => view.destroy(),
  };
}

/** Whole lines on both sides, so that no hunk ends where a text does. */
function endLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * A change that stays in place. CodeMirror moves an insertion to other places that give the same text; but here
 * corresponding lines may differ in the names of variables.
 */
class FixedChange extends Change {
  offset(byA: number, byB?: number): FixedChange {
    if (byB === undefined) return this;
    return new FixedChange(this.fromA + byA, this.toA + byA, this.fromB + byB, this.toB + byB);
  }
}

/** Over this many lines, a hunk is shown as a whole. */
const MOST_LINES = 60;
const MOST_LETTERS = 600;

/** Hunks as changes of characters; of a hunk with as many lines before as after, the words that changed. */
export function changesOf(hunks: Hunks, a: string, b: string): Change[] {
  const inA = linesOf(a);
  const inB = linesOf(b);
  const changes: Change[] = [];
  for (let hunk = 0; hunk < hunks.before.length; hunk += 1) {
    const [fromA, toA] = [hunks.before[hunk] ?? 0, hunks.before_end[hunk] ?? 0];
    const [fromB, toB] = [hunks.after[hunk] ?? 0, hunks.after_end[hunk] ?? 0];
    const n = toA - fromA;
    if (n === toB - fromB && n <= MOST_LINES) {
      for (let line = 0; line < n; line += 1) {
        changes.push(
          ...wordsIn(a, b, inA(fromA + line), inA(fromA + line + 1), inB(fromB + line), inB(fromB + line + 1)),
        );
      }
    } else changes.push(new FixedChange(inA(fromA), inA(toA), inB(fromB), inB(toB)));
  }
  return changes;
}

function wordsIn(a: string, b: string, fromA: number, toA: number, fromB: number, toB: number): Change[] {
  const [lineA, lineB] = [a.slice(fromA, toA - 1), b.slice(fromB, toB - 1)];
  const isShort = lineA.length + lineB.length <= MOST_LETTERS;
  const words = isShort ? presentableDiff(lineA, lineB) : [];
  if (words.length === 0) return [new FixedChange(fromA, toA, fromB, toB)];
  return words.map(
    (word) => new FixedChange(fromA + word.fromA, fromA + word.toA, fromB + word.fromB, fromB + word.toB),
  );
}

/** Where lines begin; call it with ascending numbers. */
function linesOf(text: string): (line: number) => number {
  let at = 0;
  let here = 0;
  return (line) => {
    for (; here < line && at < text.length; here += 1) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end + 1;
    }
    return at;
  };
}
