/**
 * One text in a pane: read only, coloured, foldable, with a cursor that chooses lines.
 *
 * In: a text and callbacks.  Out: a handle to highlight, choose, find and fold.
 * Must never: report a choice made through the handle, or scroll anything but itself.
 */

import { standardKeymap } from "@codemirror/commands";
import { foldEffect, foldedRanges, foldKeymap, unfoldAll } from "@codemirror/language";
import { Annotation, EditorState, type Extension, Prec, type StateEffect } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import type { Selection } from "../highlights.ts";
import type { PaneName } from "../place.ts";
import type { Source } from "../source.ts";
import { foldingOf } from "./folds.ts";
import { type Heats, heat, heating } from "./heat.ts";
import { languageOf } from "./languages.ts";
import { type Marks, mark, marking } from "./marks.ts";

interface EditorOptions {
  parent: HTMLElement;
  text: string;
  pane: PaneName;
  label: string;
  /** The source that the text is, with its own line numbers and the names of its files; null for a compiled text. */
  source: Source | null;
  /** How the same text was left before, if it was. */
  left: Stand | null;
  onSelect(selection: Selection): void;
  /** The line under the pointer, -1 for none. */
  onHover(line: number): void;
  /** The user wants to search. */
  onFind(): void;
}

/** How far a text is scrolled, where its cursor is, and what of it is folded. */
export interface Stand {
  scroll: StateEffect<unknown>;
  anchor: number;
  head: number;
  folds: readonly { from: number; to: number }[];
}

export interface Editor {
  mark(marks: Partial<Marks>): void;
  heat(heats: Heats): void;
  /** Opens with this line on top. */
  begin(line: number): void;
  /** Puts the cursor on a line and brings it into view. */
  choose(line: number): void;
  /** Brings a line into view, if it is out of it. */
  reveal(line: number): void;
  /** Selects a stretch of the text and brings it into view. */
  select(from: number, to: number): void;
  /** Where the cursor is in the text. */
  cursor(): number;
  stand(): Stand;
  foldAll(): void;
  unfoldAll(): void;
  focus(): void;
  destroy(): void;
}

/** Marks a selection made through the handle, which is not reported. */
const isOwn = Annotation.define<boolean>();

export function openEditor(options: EditorOptions): Editor {
  const { parent, text, pane, source, left } = options;
  const folding = foldingOf(text);
  const find = () => {
    options.onFind();
    return true;
  };
  const view = new EditorView({
    parent,
    root: rootOf(parent),
    ...(left && { scrollTo: left.scroll }),
    state: EditorState.create({
      doc: text,
      ...(left && { selection: { anchor: left.anchor, head: left.head } }),
      extensions: [
        readOnly(options.label),
        source ? heating : [],
        source ? lineNumbers({ formatNumber: (number) => String(source.line[number - 1] || "") }) : lineNumbers(),
        marking,
        folding.extension,
        languageOf(pane),
        Prec.high(keymap.of([{ key: "Mod-f", run: find, stopPropagation: true }])),
        keymap.of(foldKeymap),
        headings(source?.headings.map(({ at }) => at) ?? []),
        EditorView.updateListener.of((update) => {
          if (!update.selectionSet || update.transactions.some((transaction) => transaction.annotation(isOwn))) return;
          options.onSelect(selectionIn(update.state, pane));
        }),
        EditorView.domEventHandlers({
          mousemove(event, at) {
            const place = at.posAtCoords({ x: event.clientX, y: event.clientY });
            options.onHover(place === null ? -1 : at.state.doc.lineAt(place).number - 1);
          },
          mouseleave: () => options.onHover(-1),
        }),
      ],
    }).update({ effects: left ? left.folds.map((fold) => foldEffect.of(fold)) : folding.foldLists() }).state,
  });

  // Noted while the heights of lines are known: once the text has left the page, it has no scroll position.
  let scroll = view.scrollSnapshot();
  view.scrollDOM.addEventListener("scroll", () => {
    view.requestMeasure({
      read() {
        scroll = view.scrollSnapshot();
      },
    });
  });
  const reveal = (position: number) => {
    const block = view.lineBlockAt(position);
    const { scrollTop, clientHeight } = view.scrollDOM;
    const isIn = block.top >= scrollTop && block.bottom <= scrollTop + clientHeight;
    if (!isIn) view.scrollDOM.scrollTop = Math.max(0, block.top - clientHeight / 3);
  };
  const lineAt = (line: number) => view.state.doc.line(Math.min(Math.max(line, 0) + 1, view.state.doc.lines));
  return {
    mark: ({ bands, ...marks }) => mark(view, { ...marks, ...(bands && { bands: folding.spread(bands, view.state) }) }),
    heat: (heats) => heat(view, heats),
    begin(line) {
      view.scrollDOM.scrollTop = view.lineBlockAt(lineAt(line).from).top + view.documentPadding.top;
    },
    choose(line) {
      const { from } = lineAt(line);
      view.dispatch({ selection: { anchor: from }, annotations: isOwn.of(true) });
      reveal(from);
    },
    reveal: (line) => reveal(lineAt(line).from),
    select(from, to) {
      view.dispatch({ selection: { anchor: from, head: to }, userEvent: "select" });
      reveal(from);
    },
    cursor: () => view.state.selection.main.from,
    stand() {
      const { doc, selection } = view.state;
      const { anchor, head } = selection.main;
      const folds: Stand["folds"][number][] = [];
      foldedRanges(view.state).between(0, doc.length, (from, to) => void folds.push({ from, to }));
      return { scroll, anchor, head, folds };
    },
    foldAll: () => folding.foldAll(view),
    unfoldAll: () => void unfoldAll(view),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** The root for the style sheet of a text; some hosts draw a panel inside a shadow root. */
export function rootOf(element: HTMLElement): Document | ShadowRoot {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root : element.ownerDocument;
}

/** The extensions of every text: it can be read, navigated and copied. */
export function readOnly(label: string): Extension {
  return [
    // Lines must be those of Python, and positions those of the string.
    EditorState.lineSeparator.of("\n"),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false" }),
    drawSelection(),
    keymap.of(standardKeymap),
  ];
}

const heading = Decoration.line({ class: "jitviz-line-heading" });

/** The first lines of files look like headings. */
function headings(lines: readonly number[]): Extension {
  return EditorView.decorations.compute(["doc"], ({ doc }) =>
    Decoration.set(lines.map((line) => heading.range(doc.line(line + 1).from))),
  );
}

function selectionIn(state: EditorState, pane: PaneName): Selection {
  const { from, to, empty } = state.selection.main;
  const first = state.doc.lineAt(from);
  // A selection that ends before the first letter of a line does not mean that line.
  const last = state.doc.lineAt(to > from && to === state.doc.lineAt(to).from ? to - 1 : to);
  return {
    pane,
    from: first.number - 1,
    to: last.number - 1,
    column: from - first.from,
    endColumn: empty ? -1 : Math.min(to, last.to) - last.from,
    above: lineAbove(state, first.number) - 1,
  };
}

/** The line that holds this one, as a long equation holds its parameters; 0 for none. */
function lineAbove(state: EditorState, number: number): number {
  const { text } = state.doc.line(number);
  const depth = depthOf(text);
  const isEnd = /^\s*[\])}]/.test(text);
  for (let above = number - 1; above > Math.max(0, number - 2000); above -= 1) {
    const line = state.doc.line(above).text;
    if (line.trim() && (depthOf(line) < depth || (isEnd && depthOf(line) === depth))) return above;
  }
  return 0;
}

function depthOf(text: string): number {
  return text.length - text.trimStart().length;
}
