import axe from "axe-core";
import { h, render } from "preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import engine from "../../jitviz/display/static/graphviz.js?raw";
import { Graph } from "../src/program/graph.tsx";
import { cleanSvg } from "../src/program/svg.ts";
import type { GraphView, Version } from "../src/schema.ts";
import { Host } from "../src/state/answers.ts";
import css from "../src/style.css?raw";
import { nameChunk } from "../src/wire/chunk.ts";
import type { Ask } from "../src/wire/messages.ts";
import { button, golden, press, texts, until } from "./helpers.ts";

const DOT = `digraph step {
  in0 [label="x\\nf32[3]" id=in0 class="jitviz-input" shape=box]
  subgraph cluster_e0 {
    id=e0 label="jit plain" class="jitviz-program" tooltip="In [3]:4"
    "e0.0.0" [label=sub id="e0.0.0" class="jitviz-equation" tooltip="In [3]:9"]
  }
  e1 [label=cos id=e1 class="jitviz-equation"]
  in0 -> "e0.0.0" [label="f32[3]"]
  "e0.0.0" -> e1
}`;
const VIEW: GraphView = {
  dot: DOT,
  svg: "",
  node: ["e0", "e0.0.0", "e1"],
  node_line: [1, 2, 4],
  cluster: ["e0"],
  cluster_open: ["e0"],
  n_nodes: 3,
  note: "",
};
const CLOSED: GraphView = {
  ...VIEW,
  dot: 'digraph step { e0 [label="jit plain" id=e0 class="jitviz-closed"]; e1 [label=cos id=e1]; e0 -> e1 }',
  node: ["e0", "e1"],
  node_line: [1, 4],
  cluster_open: [],
  n_nodes: 2,
};
const SVG = `<svg viewBox="0 0 30 20" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<g id="e1" class="node"><title>e1</title><g id="a_e1"><a xlink:title="In [3]:4"><ellipse cx="9" cy="9" rx="8" ry="5"/>
<text x="4" y="9">cos</text></a></g></g></svg>`;

let el: HTMLElement;
const version = golden("recompile_by_treedef").view.functions[0]?.versions[0] as Version;

beforeEach(() => {
  el = document.createElement("div");
  el.className = "jitviz";
  const style = document.createElement("style");
  style.textContent = css;
  document.body.append(style, el);
});

afterEach(() => {
  render(null, el);
  document.body.replaceChildren();
  delete (globalThis as unknown as Record<symbol, unknown>)[nameChunk("graphviz")];
});

type Params = { open: readonly string[] | null; has_svg?: true };

/** A host that answers with a graph, and has the engine if it is to have it. */
function hostOf(graph: (params: Params) => Partial<GraphView>, hasEngine = true) {
  const asked: Params[] = [];
  const ask = async (kind: string, params: Params) => {
    if (kind === "chunk") {
      if (!hasEngine) throw new Error("This page does not hold this part of the program.");
      return { code: engine };
    }
    asked.push(params);
    return { ...graph(params) };
  };
  return { ask: ask as unknown as Ask, asked };
}

function draw(ask: Ask) {
  const onLine = vi.fn();
  render(h(Host.Provider, { value: { ask, library: new Map() } }, h(Graph, { version, onLine })), el);
  return onLine;
}

const part = (name: string) =>
  until(() => [...el.querySelectorAll<SVGElement>("svg [role=button]")].find((one) => one.ariaLabel?.startsWith(name)));

function click(element: Element): void {
  element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}

test("a graph is drawn by the engine that is loaded for it, once", async () => {
  const { ask } = hostOf(() => VIEW);
  draw(ask);
  await part("sub");
  expect(nameChunk("graphviz") in globalThis).toBe(true);
  expect([...el.querySelectorAll("svg [role=button]")].map((one) => one.ariaLabel)).toEqual([
    "jit plain In [3]:4",
    "sub In [3]:9",
    "cos",
  ]);
  expect(texts(el, "svg .edge text")).toEqual(["f32[3]"]);
  expect(el.querySelector(".jitviz-picture svg")?.getAttribute("aria-label")).toBe("graph of version 1, 3 nodes");
});

test("a click on a node reports its line", async () => {
  const onLine = draw(hostOf(() => VIEW).ask);
  click(await part("sub"));
  expect(onLine.mock.calls).toEqual([[2]]);
});

test("a box closes by click and opens by key, and keeps the focus", async () => {
  const { ask, asked } = hostOf(({ open }) => (open?.length === 0 ? CLOSED : VIEW));
  const onLine = draw(ask);
  const cluster = await part("jit plain");
  expect(cluster.ariaExpanded).toBe("true");
  click(cluster);
  await until(() => el.querySelector("svg .node.jitviz-closed"));
  const closed = await part("jit plain");
  expect([closed.ariaExpanded, document.activeElement]).toEqual(["false", closed]);
  press(closed, "Enter");
  await part("sub");
  expect(asked.map(({ open }) => open)).toEqual([null, [], ["e0"]]);
  expect(onLine).not.toHaveBeenCalled();
});

test("arrows go through the nodes from top to bottom, and one node is in the tab order", async () => {
  draw(hostOf(() => VIEW).ask);
  const first = await part("jit plain");
  first.focus();
  press(first, "ArrowDown");
  expect(document.activeElement).toBe(await part("sub"));
  press(await part("sub"), "End");
  expect(document.activeElement).toBe(await part("cos"));
  expect(el.querySelectorAll("svg [tabindex='0']")).toHaveLength(1);
});

test("the picture grows and shrinks, by button and by wheel with ctrl", async () => {
  draw(hostOf(() => VIEW).ask);
  await part("sub");
  const width = () => Number(el.querySelector(".jitviz-picture svg")?.getAttribute("width"));
  const before = width();
  button(el, "zoom in").click();
  expect(width()).toBeCloseTo(before * 1.25);
  const wheel = new WheelEvent("wheel", { deltaY: 1, ctrlKey: true, bubbles: true, cancelable: true });
  el.querySelector(".jitviz-picture svg")?.dispatchEvent(wheel);
  expect(width()).toBeCloseTo(before);
  expect(wheel.defaultPrevented).toBe(true);
});

test("if no engine may be loaded, the picture of the answer is shown, or is requested", async () => {
  draw(hostOf(() => ({ ...VIEW, svg: SVG }), false).ask);
  await part("cos");
  render(null, el);
  const { ask, asked } = hostOf(({ has_svg }) => ({ ...VIEW, svg: has_svg ? SVG : "" }), false);
  draw(ask);
  await part("cos");
  expect(asked.at(-1)).toMatchObject({ open: ["e0"], has_svg: true });
});

test("if nothing can draw it, it says why, and does not show its DOT text", async () => {
  draw(hostOf(() => VIEW, false).ask);
  await until(() => texts(el, "[role=status]")[0]?.startsWith("It is not drawn"));
  expect(texts(el, "[role=status]")).toEqual([
    "It is not drawn here: This page does not hold this part of the program. Its DOT text can be copied, for Graphviz to draw.",
  ]);
  expect(el.textContent).not.toContain("digraph");
  expect(el.querySelector(".jitviz-note")).toBeNull(); // it is no error
});

test("of a text that the engine does not understand it says so", async () => {
  draw(hostOf(() => ({ ...VIEW, dot: "digraph {" })).ask);
  await until(() => texts(el, "[role=status]")[0]?.startsWith("It is not drawn here: Graphviz could not draw this: "));
});

test("the graph says what was left closed", async () => {
  draw(hostOf(() => ({ ...VIEW, note: "Closed, because opening them would draw more than 1,500 nodes: `scan`." })).ask);
  await part("sub");
  expect(texts(el, "p")).toContain("Closed, because opening them would draw more than 1,500 nodes: scan.");
});

test("a graph has no fault that axe finds", async () => {
  draw(hostOf(() => VIEW).ask);
  await part("sub");
  const { violations } = await axe.run(el);
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
});

test("only shapes and letters of a picture come into the page", () => {
  const clean =
    cleanSvg(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="a()">
    <script>alert(1)</script><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">x</body></foreignObject>
    <style>@import "x"</style><image href="https://example.org/a.png"/><use xlink:href="#x"/>
    <g id="e1" class="node"><title>e1</title><g id="a_e1"><a xlink:href="javascript:alert(1)" xlink:title="In [3]:4">
    <path d="M0,0" fill="url(https://example.org)" stroke="red" onclick="a()" style="fill:url(x)"/><text x="1">f32[3]</text>
    </a></g></g></svg>`);
  expect(clean.outerHTML.replace(/\s+</g, "<")).toBe(
    '<svg><g class="node" data-id="e1"><g data-id="a_e1"><path d="M0,0" stroke="red"></path><text x="1">f32[3]</text>' +
      "</g><title>In [3]:4</title></g></svg>",
  );
});

test.each(["no picture", "<html/>", "<svg/>"])("%j is no picture", (text) => {
  expect(() => cleanSvg(text)).toThrow("This picture cannot be read.");
});
