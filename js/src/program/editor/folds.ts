/**
 * Regions that fold: the more deeply indented lines below a line.
 *
 * In: a text.  Out: where each region ends, and CodeMirror's folding by that.
 * Must never: scan the text for each line; there is one pass, when the first line is drawn.
 */

import { codeFolding, foldEffect, foldGutter, foldService } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { count } from "../../words/numbers.ts";

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

interface Folding {
  extension: Extension;
  foldAll(view: EditorView): void;
}

export function foldingOf(text: string): Folding {
  let ends: Int32Array | null = null;
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
        preparePlaceholder: (state, { from, to }) => state.doc.lineAt(to).number - state.doc.lineAt(from).number,
        placeholderDOM: (_, unfold, nLines: number) => {
          const button = document.createElement("button");
          button.type = "button";
          button.className = "jitviz-fold";
          button.textContent = `⋯ ${count(nLines, "line")}`;
          button.setAttribute("aria-label", `unfold ${count(nLines, "line")}`);
          button.onclick = unfold;
          return button;
        },
      }),
      foldGutter({ openText: "▾", closedText: "▸" }),
    ],
    foldAll(view) {
      const effects = outermostRegions(endsIn(view.state)).map(([from, to]) =>
        foldEffect.of(rangeOf(view.state, from, to)),
      );
      view.dispatch({ effects });
    },
  };
}
