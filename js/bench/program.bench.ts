/** How long program texts take in the page: to paint, to highlight, to search; numbers to look at, not limits to fail at. */

import { bench, describe } from "vitest";
import { endsOfRegions } from "../src/program/editor/folds.ts";
import { highlight, type Selection } from "../src/program/highlights.ts";
import { joinSource } from "../src/program/source.ts";
import { findAll } from "../src/program/text_search.ts";
import type { Links } from "../src/schema.ts";
import { tab, until } from "../test/helpers.ts";
import { madeLinks, programAnswers, provideCode, showProgram } from "../test/programs.ts";

const options = { iterations: 4, time: 300, warmupIterations: 1 };

const OPERATION = "  %add.1 = f32[128,128]{1,0} add(%x, %y)\n";
const COMPUTATION = `%fused_computation (x: f32[128,128]) -> f32[128,128] {\n${OPERATION.repeat(48)}}\n\n`;

/** A text of so many megabytes: computations of fifty lines. */
function textOf(megabytes: number): string {
  return COMPUTATION.repeat(Math.ceil((megabytes * 1_000_000) / COMPUTATION.length));
}

/** Links of a text of `n` lines, three sources to each, over two thousand stacks. */
function manyLinks(n: number): Links {
  const small = madeLinks();
  const nStacks = 2000;
  const column = (value: (entry: number) => number) => Int32Array.from({ length: 3 * n }, (_, entry) => value(entry));
  const stacks = {
    ...small.stacks,
    frame: Int32Array.from({ length: nStacks }, (_, stack) => stack % 5),
    parent: Int32Array.from({ length: nStacks }, (_, stack) => (stack % 7 ? stack - 1 : -1)),
  };
  const hlo = {
    line: column((entry) => Math.floor(entry / 3)),
    stack: column((entry) => (entry * 31) % nStacks),
    direction: column((entry) => entry % 3),
    name: column(() => 1),
  };
  return { ...small, stacks, hlo };
}

async function paint(text: string): Promise<void> {
  const shown = showProgram({ ...programAnswers(), "listing compile 1 name jaxpr": { text } });
  await until(() => shown.el.querySelector(".jitviz-pane-jaxpr .cm-line .jitviz-token-type"), 10_000);
  // Until the browser has painted it.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  shown.destroy();
  shown.el.remove();
}

provideCode();

describe.each([5, 50])("%i MB of text", (megabytes) => {
  const text = textOf(megabytes);
  const lower = text.toLowerCase();
  const nLines = text.split("\n").length;
  bench("from the click to the painted text", () => paint(text), options);
  bench("what is searched for and found nowhere", () => void findAll(lower, "tanh"), options);
  bench("what is found in every line", () => void findAll(lower, "add("), options);
  bench("where regions fold", () => void endsOfRegions(text, nLines), options);
});

describe("60 000 lines of HLO, 180 000 links", () => {
  const links = manyLinks(60_000);
  const source = joinSource(links);
  const whole: Selection = { pane: "source", from: 2, to: 2, column: 0, endColumn: -1, above: -1 };
  bench("what belongs to a line of source", () => void highlight(links, source, whole), options);
  bench(
    "what belongs to an operation",
    () => void highlight(links, source, { ...whole, pane: "hlo", from: 30_000, to: 30_000 }),
    options,
  );
});

describe("two texts of 100 000 lines, 2 000 hunks", () => {
  const before = OPERATION.repeat(100_000);
  const lines = before.split("\n");
  const at = Array.from({ length: 2000 }, (_, hunk) => hunk * 50);
  for (const line of at) lines[line] = "  %sub.1 = f32[128,128]{1,0} subtract(%x, %y)";
  const after = lines.join("\n");
  const ends = at.map((line) => line + 1);
  const difference = { hunks: { before: at, before_end: ends, after: at, after_end: ends }, summary: [] };
  const answers = {
    ...programAnswers(),
    "listing compile 0 name jaxpr": { text: before },
    "listing compile 1 name jaxpr": { text: after },
    "difference before 0 after 1 name jaxpr": difference,
  };

  bench(
    "from the click to both, side by side",
    async () => {
      const shown = showProgram(answers);
      await until(() => {
        tab(shown.el, "Diff");
        return shown.el.querySelector(".cm-merge-b .cm-changedLine");
      }, 20_000);
      shown.destroy();
      shown.el.remove();
    },
    options,
  );
});
