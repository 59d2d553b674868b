import { expect, test } from "vitest";
import { tellNames, tellSource } from "../src/program/explanation.tsx";
import {
  BACKWARD,
  entriesOf,
  FORWARD,
  framesOf,
  type Highlights,
  highlight,
  type Selection,
  STRONG,
  WEAK,
} from "../src/program/highlights.ts";
import type { PaneName } from "../src/program/place.ts";
import { joinSource } from "../src/program/source.ts";
import { percent } from "../src/program/work.ts";
import { CELL, madeLinks } from "./programs.ts";

const links = madeLinks();
const source = joinSource(links);

/** A line of the cell stands one below its number: the name of the cell is above it. */
function select(pane: PaneName, line: number, more: Partial<Selection> = {}): Selection {
  return { pane, from: line, to: line, column: 0, endColumn: -1, above: -1, ...more };
}

/** The highlighted lines, in words. */
function linesOf({ bits }: Highlights, pane: PaneName): string[] {
  return [...bits[pane]].flatMap((bit, line) => {
    const how = [
      bit & STRONG && "strong",
      bit & WEAK && "weak",
      bit & FORWARD && "forward",
      bit & BACKWARD && "backward",
    ];
    return bit ? [`${line} ${how.filter(Boolean).join(" ")}`] : [];
  });
}

test("a line of source highlights what all its calls became, in both passes", () => {
  const highlights = highlight(links, source, select("source", 2));
  expect(linesOf(highlights, "jaxpr")).toEqual([
    "1 strong forward",
    "4 strong forward",
    "5 strong forward",
    "6 strong forward",
    "8 strong backward",
  ]);
  expect(linesOf(highlights, "stablehlo")).toEqual(["2 strong forward", "3 strong forward"]);
  expect(linesOf(highlights, "hlo")).toEqual(["4 strong forward", "10 strong forward"]);
  expect(tellSource(links, source, select("source", 2), highlights)).toBe(
    "In [3]:2: 5 equations, 1 of them backward; 2 lines of StableHLO; 2 of HLO",
  );
});

test("a line that only calls highlights the work of its callees weakly", () => {
  const highlights = highlight(links, source, select("source", 5));
  expect(linesOf(highlights, "stablehlo")).toEqual(["2 weak forward", "3 weak forward"]);
});

test("an expression highlights only what it became", () => {
  // "x @ w" in the body of layer
  const highlights = highlight(links, source, select("source", 2, { column: 20, endColumn: 25 }));
  expect(linesOf(highlights, "jaxpr")).toEqual(["1 strong forward", "5 strong forward"]);
});

test("a word means the smallest expression around it", () => {
  // "layer" of the inner call in "layer(w, layer(w, x))"
  const highlights = highlight(links, source, select("source", 5, { column: 17, endColumn: 22 }));
  expect(linesOf(highlights, "jaxpr")).toEqual(["1 weak forward", "4 weak forward"]);
});

test("a line of source without operations says so", () => {
  const highlights = highlight(links, source, select("source", 1));
  expect(tellSource(links, source, select("source", 1), highlights)).toContain(
    "In [3]:1: JAX attributes no operation to this line",
  );
});

test("an equation highlights its line strongly and those that called it weakly", () => {
  const highlights = highlight(links, source, select("jaxpr", 1));
  expect(linesOf(highlights, "source")).toEqual(["2 strong forward", "5 weak forward"]);
  expect(highlights.expressions).toEqual([{ line: 2, column: 20, endLine: 2, endColumn: 25 }]);
  expect(highlights.stacks.map((stack) => framesOf(links, stack))).toEqual([[3, 1]]);
});

test("an equation highlights the operations of its own call and pass in the other texts", () => {
  expect(linesOf(highlight(links, source, select("jaxpr", 1)), "stablehlo")).toEqual(["2 strong forward"]);
  expect(linesOf(highlight(links, source, select("jaxpr", 5)), "stablehlo")).toEqual([]);
  expect(linesOf(highlight(links, source, select("jaxpr", 8)), "hlo")).toEqual([]);
  expect(linesOf(highlight(links, source, select("jaxpr", 6)), "hlo")).toEqual([
    "4 strong forward",
    "10 strong forward",
  ]);
});

test("the parameters of a long equation belong to it", () => {
  expect(entriesOf(links.jaxpr, { from: 2, to: 2, above: 1 })).toEqual([0]);
  expect(entriesOf(links.jaxpr, { from: 2, to: 2, above: -1 })).toEqual([]);
});

test("a fused operation highlights all its source lines", () => {
  const highlights = highlight(links, source, select("hlo", 10));
  expect(linesOf(highlights, "source")).toEqual(["2 strong forward", "5 weak forward", "6 strong forward"]);
  expect(highlights.stacks).toEqual([5, 6]);
  expect(highlights.isInserted).toBe(false);
});

test("an inserted operation has no source line", () => {
  const highlights = highlight(links, source, select("hlo", 9));
  expect(linesOf(highlights, "source")).toEqual([]);
  expect(highlights.isInserted).toBe(true);
  expect(tellNames(links, select("hlo", 9))).toBe("inserted or rewritten by the compiler");
});

test("a combined operation is not called inserted", () => {
  const hlo = { ...links.hlo, name: [2, 4, 2, 2, 4] };
  const highlights = highlight({ ...links, hlo }, source, select("hlo", 9));
  expect([highlights.isInserted, highlights.isUnplaced]).toEqual([false, true]);
  expect(tellNames({ ...links, hlo }, select("hlo", 9))).toBe("jvp(loss)/tanh");
});

test("an operation shows the names that JAX gave it", () => {
  expect(tellNames(links, select("hlo", 10))).toBe("jvp(loss)/tanh · jvp(loss)/reduce_sum");
  expect(tellNames(links, select("jaxpr", 8))).toBe("transpose(jvp(loss))/sub");
});

test("source is joined file by file, with its true line numbers and its gaps", () => {
  const joined = joinSource({
    files: ["In [3]", "train.py"],
    sources: [
      { file: 1, first: 40, text: "def step():\n    pass" },
      { file: 0, first: 1, text: CELL },
      { file: 1, first: 12, text: "def loss():\n    pass\n" },
    ],
  });
  expect(joined.text.split("\n").map((text, at) => `${joined.line[at] || ""}|${text}`)).toEqual([
    "|train.py",
    "|⋯",
    "12|def loss():",
    "13|    pass",
    "|⋯",
    "40|def step():",
    "41|    pass",
    "|In [3]",
    ...CELL.trimEnd()
      .split("\n")
      .map((text, at) => `${at + 1}|${text}`),
  ]);
  expect([joined.find(1, 41), joined.find(0, 1), joined.find(0, 99)]).toEqual([6, 8, -1]);
});

test("a share is 0% or 100% only if it is exactly that", () => {
  expect([0, 0.001, 0.5, 0.9999, 1].map(percent)).toEqual(["0%", "<1%", "50%", ">99%", "100%"]);
});
