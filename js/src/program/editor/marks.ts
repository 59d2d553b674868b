/**
 * Marks on a text: highlighted lines, chosen lines, and search results.
 *
 * In: bits by line, and a needle.  Out: decorations of the lines in view, and marks in the gutter.
 * Must never: do more when the text is longer; a folded line shows what is folded into it.
 */

import { type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import {
  type BlockInfo,
  Decoration,
  type DecorationSet,
  type EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { BACKWARD, FORWARD, STRONG, type Stretch } from "../highlights.ts";
import { lowerOf } from "../text_search.ts";

export interface Marks {
  /** Bits of each line, as in highlights.ts. */
  bits: Uint8Array;
  /** The colour of each line, 0 for none. */
  bands: Uint8Array;
  expressions: readonly Stretch[];
  /** The first and last line that are chosen, -1 for none. */
  from: number;
  to: number;
  /** The current highlighted line, -1 for none. */
  at: number;
  /** The search text, in lower case. */
  needle: string;
}

const NO_MARKS: Marks = {
  bits: new Uint8Array(0),
  bands: new Uint8Array(0),
  expressions: [],
  from: -1,
  to: -1,
  at: -1,
  needle: "",
};

const setMarks = StateEffect.define<Partial<Marks>>();

const marksField = StateField.define<Marks>({
  create: () => NO_MARKS,
  update: (marks, { effects }) =>
    Object.assign({}, marks, ...effects.map((effect) => (effect.is(setMarks) ? effect.value : {}))),
});

export function mark(view: EditorView, marks: Partial<Marks>): void {
  view.dispatch({ effects: setMarks.of(marks) });
}

/** The bits of a line, and of those that are folded into it. */
function bitsOf(state: EditorState, { from, to }: BlockInfo): number {
  const { bits } = state.field(marksField);
  const first = state.doc.lineAt(from).number;
  const last = to > state.doc.line(first).to ? state.doc.lineAt(to).number : first;
  let all = 0;
  for (let line = first; line <= last; line += 1) all |= bits[line - 1] ?? 0;
  return all;
}

const PASSES = new Map([
  [FORWARD, { name: "forward", sign: "▸" }],
  [BACKWARD, { name: "backward", sign: "◂" }],
  [FORWARD | BACKWARD, { name: "both", sign: "◆" }],
]);

function passOf(bits: number) {
  return PASSES.get(bits & (FORWARD | BACKWARD));
}

const chosenLine = Decoration.line({ class: "jitviz-line-chosen" });
const lineAt = Decoration.line({ class: "jitviz-line-at" });
const searchResult = Decoration.mark({ class: "jitviz-found" });
const expression = Decoration.mark({ class: "jitviz-expression" });

function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  const { from, to, at, needle, expressions, bands } = state.field(marksField);
  const ranges: Range<Decoration>[] = [];
  for (const block of view.viewportLineBlocks) {
    const line = state.doc.lineAt(block.from);
    const bits = bitsOf(state, block);
    const pass = passOf(bits);
    const band = bands[line.number - 1];
    if (band) ranges.push(Decoration.line({ class: `jitviz-band jitviz-band-${band}` }).range(line.from));
    if (pass) {
      const how = bits & STRONG ? "strong" : "weak";
      ranges.push(
        Decoration.line({ class: `jitviz-line-highlighted jitviz-${how} jitviz-${pass.name}` }).range(line.from),
      );
    }
    if (line.number - 1 >= from && line.number - 1 <= to) ranges.push(chosenLine.range(line.from));
    if (line.number - 1 === at) ranges.push(lineAt.range(line.from));
  }
  for (const { line, column, endLine, endColumn } of expressions) {
    const start = Math.min(state.doc.line(line + 1).from + column, state.doc.line(line + 1).to);
    const end = Math.min(state.doc.line(endLine + 1).from + endColumn, state.doc.line(endLine + 1).to);
    if (end > start) ranges.push(expression.range(start, end));
  }
  for (const part of needle ? view.visibleRanges : []) {
    const text = lowerOf(state.sliceDoc(part.from, part.to));
    for (let place = text.indexOf(needle); place >= 0; place = text.indexOf(needle, place + needle.length)) {
      ranges.push(searchResult.range(part.from + place, part.from + place + needle.length));
    }
  }
  return Decoration.set(ranges, true);
}

const drawing = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }

    update(update: ViewUpdate) {
      const isMarked = update.startState.field(marksField) !== update.state.field(marksField);
      if (isMarked || update.viewportChanged || update.geometryChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

class PassMarker extends GutterMarker {
  constructor(
    readonly name: string,
    readonly sign: string,
  ) {
    super();
  }

  override eq(other: PassMarker) {
    return other.name === this.name;
  }

  override toDOM() {
    const element = document.createElement("span");
    element.className = `jitviz-pass jitviz-${this.name}`;
    element.textContent = this.sign;
    return element;
  }
}

const passes = gutter({
  class: "jitviz-passes",
  lineMarker(view, block) {
    const pass = passOf(bitsOf(view.state, block));
    return pass ? new PassMarker(pass.name, pass.sign) : null;
  },
  lineMarkerChange: (update) => update.startState.field(marksField) !== update.state.field(marksField),
  initialSpacer: () => new PassMarker("", " "),
});

export const marking: Extension = [marksField, drawing, passes];
