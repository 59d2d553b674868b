import { foldedRanges } from "@codemirror/language";
import { Chunk } from "@codemirror/merge";
import { EditorState, Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { endsOfRegions, foldingOf, longLists, outermostRegions } from "../src/program/editor/folds.ts";
import { changesOf } from "../src/program/editor/merge.ts";
import { beginOfText } from "../src/program/source.ts";
import { findAll, lowerOf, nextPlace } from "../src/program/text_search.ts";
import type { Hunks } from "../src/schema.ts";
import { HLO, JAXPR, STABLEHLO } from "./programs.ts";

const regionsOf = (text: string) =>
  [...endsOfRegions(text, text.split("\n").length)].flatMap((end, line) => (end ? [`${line}–${end}`] : []));

test("indented lines are regions: nested jaxprs, parameters, functions, computations", () => {
  expect(regionsOf(JAXPR)).toEqual(["0–9", "1–2"]);
  expect(regionsOf(STABLEHLO)).toEqual(["0–5", "1–4"]);
  expect(regionsOf(HLO)).toEqual(["2–5", "8–10"]);
  expect(regionsOf("def f():\n\n    a\n\n    b\n\n\nc")).toEqual(["0–4"]);
});

test("folding all folds the outermost regions, but never the whole text", () => {
  const all = (text: string) => outermostRegions(endsOfRegions(text, text.split("\n").length));
  expect(all(HLO)).toEqual([
    [2, 5],
    [8, 10],
  ]);
  expect(all(JAXPR)).toEqual([[1, 2]]);
});

test("long lists of inputs, outputs and settings are folded at first, and say how many they hold", () => {
  const many = (one: (n: number) => string, by: string) => Array.from({ length: 30 }, (_, n) => one(n)).join(by);
  const jaxpr = `{ lambda ; ${many((n) => `a${n}:f32[4,4]`, "\n    ")}. let\n    b:f32[] = sin a0\n  in (b,) }`;
  const stablehlo = `  func.func public @main(${many((n) => `%arg${n}: tensor<4xf32>`, ", ")}) -> (${many(() => "tensor<4xf32>", ", ")}) {`;
  const hlo = `HloModule jit_f, layout={${"x".repeat(200)}}\n\nENTRY %main (${many((n) => `w.${n}: f32[4]`, ", ")}) -> f32[] {`;
  expect([jaxpr, stablehlo, hlo].map((text) => longLists(text).map(({ label }) => label))).toEqual([
    ["30 inputs"],
    ["30 inputs", "30 outputs"],
    ["1 setting", "30 inputs"],
  ]);
  const folding = foldingOf(hlo);
  const state = EditorState.create({ doc: hlo, extensions: folding.extension });
  expect(foldedRanges(state.update({ effects: folding.foldLists() }).state).size).toBe(2);
  expect([JAXPR, STABLEHLO, HLO].flatMap(longLists)).toEqual([]);
});

test("search finds every place and wraps around the ends", () => {
  const places = findAll("tanh a tanh b tanhtanh", "tanh");
  expect(places).toEqual([0, 7, 14, 18]);
  expect([-1, 0, 7, 18].map((from) => nextPlace(places, from, 1))).toEqual([0, 1, 2, 0]);
  expect([0, 7, 99].map((from) => nextPlace(places, from, -1))).toEqual([3, 0, 3]);
  expect([findAll("a", ""), nextPlace([], 0, 1)]).toEqual([[], -1]);
});

test("capitals are ignored, unless lower case would shift the rest of the text", () => {
  expect([lowerOf("TANH Ä"), lowerOf("İ TANH")]).toEqual(["tanh ä", "İ TANH"]);
});

/** The lines of each chunk that CodeMirror makes of hunks, from 0, ends exclusive. */
function chunksOf(hunks: Hunks, before: readonly string[], after: readonly string[]): number[][] {
  const [a, b] = [`${before.join("\n")}\n`, `${after.join("\n")}\n`];
  const [docA, docB] = [Text.of(a.split("\n")), Text.of(b.split("\n"))];
  const chunks = Chunk.build(docA, docB, { override: () => changesOf(hunks, a, b) });
  const line = (doc: Text, at: number) => doc.lineAt(Math.min(at, doc.length)).number - 1;
  return chunks.map((one) => [line(docA, one.fromA), line(docA, one.toA), line(docB, one.fromB), line(docB, one.toB)]);
}

test("hunks are drawn where Python found them", () => {
  const hunks = { before: [1, 3], before_end: [2, 3], after: [1, 3], after_end: [2, 5] };
  const before = ["a = x", "b = f32[32]", "c = y", "d = z"];
  const after = ["q = x", "r = f32[17]", "s = y", "new", "new", "t = z"];
  expect(chunksOf(hunks, before, after)).toEqual([
    [1, 2, 1, 2],
    [3, 3, 3, 5],
  ]);
});

test("a hunk stays in place even if the same lines could have been inserted elsewhere", () => {
  // The line after the hunk reads as its first one; in the other text it is longer, with a renamed variable.
  const hunks = { before: [1], before_end: [1], after: [1], after_end: [3] };
  const before = ["begin", "longer_name = add", "end"];
  const after = ["begin", "b = add", "c = mul", "b = add", "end"];
  expect(chunksOf(hunks, before, after)).toEqual([[1, 1, 1, 3]]);
});

test("an insertion at the end of a text is a separate hunk", () => {
  const hunks = { before: [1], before_end: [1], after: [1], after_end: [2] };
  expect(chunksOf(hunks, ["a"], ["a", "b"])).toEqual([[1, 1, 1, 2]]);
});

test("within a line, the changed words are marked", () => {
  const hunks = { before: [0], before_end: [1], after: [0], after_end: [1] };
  const [a, b] = ["x:f32[32] = tanh y\n", "x:f32[17] = tanh y\n"];
  const words = changesOf(hunks, a, b).map((one) => [a.slice(one.fromA, one.toA), b.slice(one.fromB, one.toB)]);
  expect(words).toEqual([["32", "17"]]);
});

test("a text opens at the function, not at its helpers", () => {
  const jaxpr =
    "let _where = { lambda ; a:bool[]. let\n    b = a\n  in (b,) } in\n{ lambda ; c:f32[3]. let\n  in (c,) }";
  expect(beginOfText(jaxpr, "jaxpr")).toBe(3);
  expect(beginOfText("HloModule jit_step\n\n%add (a, b) {\n}\n\nENTRY %main (x) {\n}", "hlo")).toBe(5);
  expect(beginOfText("module @jit_step {\n  func.func public @main(%arg0) {\n  }\n}", "stablehlo")).toBe(1);
  expect(beginOfText("something else", "hlo")).toBe(0);
});
