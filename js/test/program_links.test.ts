import { expect, test } from "vitest";
import {
  BACKWARD,
  entriesOf,
  FORWARD,
  framesOf,
  type Lit,
  light,
  type Selection,
  STRONG,
  WEAK,
} from "../src/program/lit.ts";
import type { PaneName } from "../src/program/place.ts";
import { joinSource } from "../src/program/source.ts";
import { tellNames, tellSource } from "../src/program/told.tsx";
import { percent } from "../src/program/work.ts";
import { CELL, madeLinks } from "./programs.ts";

const links = madeLinks();
const source = joinSource(links);

/** A line of the cell stands one below its number: the name of the cell is above it. */
function select(pane: PaneName, line: number, more: Partial<Selection> = {}): Selection {
  return { pane, from: line, to: line, column: 0, endColumn: -1, above: -1, ...more };
}

/** The lines that are lit, in words. */
function linesOf({ bits }: Lit, pane: PaneName): string[] {
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

test("a line of source lights what every call of it became, either pass", () => {
  const lit = light(links, source, select("source", 2));
  expect(linesOf(lit, "jaxpr")).toEqual([
    "1 strong forward",
    "4 strong forward",
    "5 strong forward",
    "6 strong forward",
    "8 strong backward",
  ]);
  expect(linesOf(lit, "stablehlo")).toEqual(["2 strong forward", "3 strong forward"]);
  expect(linesOf(lit, "hlo")).toEqual(["4 strong forward", "10 strong forward"]);
  expect(tellSource(links, source, select("source", 2), lit)).toBe(
    "In [3]:2: 5 equations, 1 of them backward; 2 lines of StableHLO; 2 of HLO",
  );
});

test("a line that only calls lights what came of its calls, but weakly", () => {
  const lit = light(links, source, select("source", 5));
  expect(linesOf(lit, "stablehlo")).toEqual(["2 weak forward", "3 weak forward"]);
});

test("an expression lights what came of it alone", () => {
  // "x @ w" in the body of layer
  const lit = light(links, source, select("source", 2, { column: 20, endColumn: 25 }));
  expect(linesOf(lit, "jaxpr")).toEqual(["1 strong forward", "5 strong forward"]);
});

test("a word means the smallest expression around it", () => {
  // "layer" of the inner call in "layer(w, layer(w, x))"
  const lit = light(links, source, select("source", 5, { column: 17, endColumn: 22 }));
  expect(linesOf(lit, "jaxpr")).toEqual(["1 weak forward", "4 weak forward"]);
});

test("a line of source from which nothing came says so", () => {
  const lit = light(links, source, select("source", 1));
  expect(tellSource(links, source, select("source", 1), lit)).toContain(
    "In [3]:1: JAX attributes no operation to this line",
  );
});

test("an equation lights its line strongly and those that called it weakly", () => {
  const lit = light(links, source, select("jaxpr", 1));
  expect(linesOf(lit, "source")).toEqual(["2 strong forward", "5 weak forward"]);
  expect(lit.expressions).toEqual([{ line: 2, column: 20, endLine: 2, endColumn: 25 }]);
  expect(lit.stacks.map((stack) => framesOf(links, stack))).toEqual([[3, 1]]);
});

test("an equation lights the operations of its own call and pass in the other texts", () => {
  expect(linesOf(light(links, source, select("jaxpr", 1)), "stablehlo")).toEqual(["2 strong forward"]);
  expect(linesOf(light(links, source, select("jaxpr", 5)), "stablehlo")).toEqual([]);
  expect(linesOf(light(links, source, select("jaxpr", 8)), "hlo")).toEqual([]);
  expect(linesOf(light(links, source, select("jaxpr", 6)), "hlo")).toEqual(["4 strong forward", "10 strong forward"]);
});

test("the parameters of a long equation belong to it", () => {
  expect(entriesOf(links.jaxpr, { from: 2, to: 2, above: 1 })).toEqual([0]);
  expect(entriesOf(links.jaxpr, { from: 2, to: 2, above: -1 })).toEqual([]);
});

test("an operation made of several lights every line that went into it", () => {
  const lit = light(links, source, select("hlo", 10));
  expect(linesOf(lit, "source")).toEqual(["2 strong forward", "5 weak forward", "6 strong forward"]);
  expect(lit.stacks).toEqual([5, 6]);
  expect(lit.isInserted).toBe(false);
});

test("what the compiler put in comes from nowhere", () => {
  const lit = light(links, source, select("hlo", 9));
  expect(linesOf(lit, "source")).toEqual([]);
  expect(lit.isInserted).toBe(true);
  expect(tellNames(links, select("hlo", 9))).toBe("inserted or rewritten by the compiler");
});

test("what the compiler made of several operations is not said to be inserted", () => {
  const hlo = { ...links.hlo, name: [2, 4, 2, 2, 4] };
  const lit = light({ ...links, hlo }, source, select("hlo", 9));
  expect([lit.isInserted, lit.isUnplaced]).toEqual([false, true]);
  expect(tellNames({ ...links, hlo }, select("hlo", 9))).toBe("jvp(loss)/tanh");
});

test("an operation tells the names that JAX gave it", () => {
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

test("a share is told as all or nothing only where it is", () => {
  expect([0, 0.001, 0.5, 0.9999, 1].map(percent)).toEqual(["0 %", "<1 %", "50 %", ">99 %", "100 %"]);
});
