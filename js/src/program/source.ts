/**
 * The Python source of a program as one text: file by file, stretch by stretch, with true line numbers.
 *
 * In: the `SourceBlock`s of `Links`.  Out: a text, and which line of which file each of its lines is.
 * Must never: show a line that the recording does not hold; a gap says that there is one.
 */

import type { Links, ListingName } from "../schema.ts";

const GAP = "⋯";

export interface Source {
  text: string;
  /** For each line of the text: its file, and its line there from 1, or 0 for a heading or a gap. */
  file: readonly number[];
  line: readonly number[];
  /** The lines of the text at which files begin. */
  headings: readonly { file: number; at: number }[];
  /** The line of the text that shows this line of this file, -1 if none does. */
  find(file: number, line: number): number;
}

export function joinSource({ sources, files }: Pick<Links, "sources" | "files">): Source {
  const texts: string[] = [];
  const file: number[] = [];
  const line: number[] = [];
  const headings: { file: number; at: number }[] = [];
  const places = new Map<string, number>();
  const put = (text: string, itsFile: number, itsLine: number) => {
    if (itsLine) places.set(`${itsFile}:${itsLine}`, texts.length);
    texts.push(text);
    file.push(itsFile);
    line.push(itsLine);
  };
  for (const here of new Set(sources.map((block) => block.file))) {
    headings.push({ file: here, at: texts.length });
    put(files[here] ?? "", here, 0);
    let next = 1;
    for (const block of sources.filter((other) => other.file === here).sort((a, b) => a.first - b.first)) {
      if (block.first > next) put(GAP, here, 0);
      const lines = block.text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
      for (const [index, text] of lines.entries()) put(text, here, block.first + index);
      next = block.first + lines.length;
    }
  }
  return { text: texts.join("\n"), file, line, headings, find: (inFile, at) => places.get(`${inFile}:${at}`) ?? -1 };
}

/** The line at which a function is defined: "In [1]:37", of "In [1]" the line 37. */
export function beginOfSource(links: Links, source: Source, definedAt: string): number {
  const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(definedAt) ?? [];
  return Math.max(0, source.find(links.files.indexOf(file), Number(line)));
}

const MAIN: Record<ListingName, RegExp> = {
  jaxpr: /^\{ lambda /m,
  stablehlo: /^ *func\.func public @main/m,
  hlo: /^ENTRY /m,
};

/** The line (from 0) of a program text at which the function itself begins, below its helpers. */
export function beginOfText(text: string, name: ListingName): number {
  const at = text.search(MAIN[name]);
  return at < 0 ? 0 : text.slice(0, at).split("\n").length - 1;
}
