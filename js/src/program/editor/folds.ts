/**
 * Regions that fold: the more deeply indented lines below a line.
 *
 * In: a text.  Out: where each region ends, and CodeMirror's folding by that.
 * Must never: scan the text for each line; there is one pass, when the first line is drawn.
 */

import { codeFolding, foldEffect, foldGutter, foldService } from "@codemirror/language";
import type { EditorState, Extension, StateEffect } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { count } from "../../words/numbers.ts";

const MOST_OF_ONE = 40; // lines of one equation

/** For each line (from 0) the last line of the region that it opens, or 0 if it opens none. */
export function endsOfRegions(text: string, nLines: number): Int32Array {
  const ends = new Int32Array(nLines);
  const open: { line: number; depth: number }[] = [];
  let last = -1;
  const close = (depth: number) => {
    for (let top = open.at(-1); top && top.depth >= depth; top = open.at(-1)) {
      open.pop();
      if (last > top.line) ends[top.line] = last;
    }
  };
  for (let line = 0, from = 0; line < nLines; line += 1) {
    let at = from;
    while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at += 1;
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    if (at < end) {
      close(at - from);
      open.push({ line, depth: at - from });
      last = line;
    }
    from = end + 1;
  }
  close(0);
  return ends;
}

/**
 * The outermost regions, except that one of more than half of the text stays open.
 */
export function outermostRegions(ends: Int32Array): [from: number, to: number][] {
  const regions: [number, number][] = [];
  let line = 0;
  while (line < ends.length) {
    const end = ends[line] ?? 0;
    if (end > 0 && end - line <= ends.length / 2) {
      regions.push([line, end]);
      line = end + 1;
    } else line += 1;
  }
  return regions;
}

/** Long lists of inputs and outputs: of a jaxpr, of a function of StableHLO, of the entry of HLO. */
const LISTS: readonly (readonly [pattern: RegExp, item: RegExp, noun: string])[] = [
  [/(?<=\{ lambda [^;]{0,2000};)[^.]{120,}?(?=\. let)/g, /\w+:/g, "input"],
  [/(?<=(?:func\.func|^ENTRY) [^(\n]{0,200}\().{120,}?(?=\) -> )/gm, /%arg|: /g, "input"],
  [/(?<=\) -> \().{120,}?(?=\)(?: \{|, ))/g, /tensor<|\w+\[/g, "output"],
  [/(?<=^HloModule [^,\n]*, ).{120,}$/gm, /\w+=/g, "setting"],
];

interface List {
  from: number;
  to: number;
  /** "368 inputs" */
  label: string;
}

/** In the order in which they stand, as the editor wants them. */
export function longLists(text: string): List[] {
  const lists = LISTS.flatMap(([pattern, item, noun]) =>
    Array.from(text.matchAll(pattern), ({ index, 0: list }) => {
      const n =
        noun === "input" && list.includes("%arg") ? list.split("%arg").length - 1 : (list.match(item) ?? []).length;
      return { from: index, to: index + list.length, label: count(n, noun) };
    }),
  );
  return lists.sort((one, other) => one.from - other.from);
}

interface Folding {
  extension: Extension;
  foldAll(view: EditorView): void;
  /** Folds what nobody reads at first. */
  foldLists(): StateEffect<unknown>[];
  /** The same bands, with a band for the further lines of an equation too. */
  spread(bands: Uint8Array, state: EditorState): Uint8Array;
}

export function foldingOf(text: string): Folding {
  let ends: Int32Array | null = null;
  const lists = longLists(text);
  const endsIn = (state: EditorState) => {
    ends ??= endsOfRegions(text, state.doc.lines);
    return ends;
  };
  const rangeOf = (state: EditorState, from: number, to: number) => ({
    from: state.doc.line(from + 1).to,
    to: state.doc.line(to + 1).to,
  });
  return {
    extension: [
      foldService.of((state, lineStart) => {
        const line = state.doc.lineAt(lineStart).number - 1;
        const end = endsIn(state)[line] ?? 0;
        return end ? rangeOf(state, line, end) : null;
      }),
      codeFolding({
        preparePlaceholder: (state, { from, to }) =>
          lists.find((list) => list.from === from && list.to === to)?.label ??
          count(state.doc.lineAt(to).number - state.doc.lineAt(from).number, "line"),
        placeholderDOM: (_, unfold, what: string) => {
          const button = document.createElement("button");
          button.type = "button";
          button.className = "jitviz-fold";
          button.textContent = `⋯ ${what}`;
          button.setAttribute("aria-label", `unfold ${what}`);
          button.onclick = unfold;
          return button;
        },
      }),
      foldGutter({ openText: "▾", closedText: "▸" }),
    ],
    foldLists: () => lists.map(({ from, to }) => foldEffect.of({ from, to })),
    spread(bands, state) {
      const spread = Uint8Array.from({ length: state.doc.lines }, (_, line) => bands[line] ?? 0);
      for (const [line, band] of bands.entries()) {
        const end = endsIn(state)[line] ?? 0;
        if (!band || end - line > MOST_OF_ONE) continue;
        const isClosed = end > 0 && end + 1 < state.doc.lines && /^\s*[\])}]/.test(state.doc.line(end + 2).text);
        for (let inside = line + 1; inside <= end + Number(isClosed); inside += 1) spread[inside] ||= band;
      }
      return spread;
    },
    foldAll(view) {
      const effects = outermostRegions(endsIn(view.state)).map(([from, to]) =>
        foldEffect.of(rangeOf(view.state, from, to)),
      );
      view.dispatch({ effects });
    },
  };
}
