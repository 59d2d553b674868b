/** Known lines of a real program, followed through all four texts; programs/write.py wrote what is followed. */

import { expect, test } from "vitest";
import { tellSource } from "../src/program/explanation.tsx";
import { BACKWARD, highlight, type Selection } from "../src/program/highlights.ts";
import type { PaneName } from "../src/program/place.ts";
import { joinSource } from "../src/program/source.ts";
import { growStacks, sortWork } from "../src/program/work.ts";
import type { Links } from "../src/schema.ts";
import training from "./programs/training.json";

const answers = training.answers as Record<string, unknown>;
const links = answers["links compile 1"] as Links;
const source = joinSource(links);
const text = (name: PaneName) =>
  name === "source" ? source.text : (answers[`listing compile 1 name ${name}`] as { text: string }).text;
const linesOf = (name: PaneName) => text(name).split("\n");

function select(pane: PaneName, words: string): Selection {
  const line = linesOf(pane).findIndex((one) => one.includes(words));
  expect(line, words).toBeGreaterThanOrEqual(0);
  return { pane, from: line, to: line, column: 0, endColumn: -1, above: -1 };
}

/** The operations of the highlighted lines of one pass, each once. */
function operations(selection: Selection, pane: PaneName, isBackward: boolean): string[] {
  const { bits } = highlight(links, source, selection);
  const patterns = { jaxpr: / = (\w+)/, stablehlo: /(stablehlo\.\w+)/, hlo: / ([a-z-]+)\(/, source: /(.*)/ };
  const lines = linesOf(pane).filter((_, line) => bits[pane][line] && !(bits[pane][line] & BACKWARD) === !isBackward);
  return [...new Set(lines.map((line) => patterns[pane].exec(line)?.[1] ?? line.trim()))].sort();
}

const layer = select("source", "jnp.tanh(x @ w)");

test("the line of a layer became dot_general and tanh forward, and dot_general backward", () => {
  expect(operations(layer, "jaxpr", false)).toEqual(["dot_general", "sub", "tanh"]);
  expect(operations(layer, "jaxpr", true)).toEqual(["add_any", "dot_general", "mul", "transpose"]);
  expect(operations(layer, "stablehlo", false)).toEqual(
    expect.arrayContaining(["stablehlo.dot_general", "stablehlo.subtract", "stablehlo.tanh"]),
  );
  expect(operations(layer, "stablehlo", true)).toEqual(
    expect.arrayContaining(["stablehlo.add", "stablehlo.dot_general", "stablehlo.multiply", "stablehlo.transpose"]),
  );
  expect(operations(layer, "hlo", false)).toEqual(expect.arrayContaining(["dot", "subtract", "tanh"]));
  expect(operations(layer, "hlo", true)).toEqual(expect.arrayContaining(["dot", "multiply"]));
});

test("an expression in a line became its own operation only", () => {
  const column = linesOf("source")[layer.from]?.indexOf("x @ w") ?? -1;
  const product = { ...layer, column, endColumn: column + "x @ w".length };
  expect(operations(product, "jaxpr", false)).toEqual(["dot_general"]);
});

test("an operation of the StableHLO links back through its calls", () => {
  const highlights = highlight(links, source, select("stablehlo", "stablehlo.tanh"));
  const lines = linesOf("source").filter((_, line) => highlights.bits.source[line]);
  expect(lines.map((line) => line.trim())).toEqual([
    "return jnp.tanh(x @ w)",
    "x = layer(w, x)",
    "value, grads = jax.value_and_grad(loss)(ws, x)",
  ]);
});

test("an operation of the HLO finds its equation, its own pass alone", () => {
  const tanh = select("hlo", " tanh(");
  expect(operations(tanh, "jaxpr", true)).toEqual([]);
  expect(operations(tanh, "jaxpr", false)).toContain("tanh");
});

test("the numbers in the explanation of a line are those of the texts", () => {
  const highlights = highlight(links, source, layer);
  expect(tellSource(links, source, layer, highlights)).toMatch(
    /^training\.py:8: \d+ equations, \d+ of them backward; \d+ lines of StableHLO, \d+ of them backward; \d+ of HLO, \d+ of them backward$/,
  );
  const row = Array.from(links.lines.line).indexOf(8);
  expect(highlights.counts.jaxpr.all).toBe(links.lines.equations[row]);
});

test("the call of the gradient is the hottest line, and call stacks add up to it", () => {
  const [hottest = -1] = sortWork(links, "equations");
  const place = source.find(links.lines.file[hottest] ?? -1, links.lines.line[hottest] ?? -1);
  expect(linesOf("source")[place]?.trim()).toBe("value, grads = jax.value_and_grad(loss)(ws, x)");
  const { sums } = growStacks(links, "equations");
  const roots = [...sums].reduce((sum, amount, stack) => sum + (links.stacks.parent[stack] === -1 ? amount : 0), 0);
  expect(roots).toBe(links.equations);
});
