import { EditorView } from "@codemirror/view";
import { beforeAll, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { nameChunk } from "../src/wire/chunk.ts";
import { nameQuestion } from "../src/wire/messages.ts";
import {
  askFrom,
  button,
  find,
  golden,
  lines,
  openVersion,
  press,
  show,
  shown,
  showStory,
  tab,
  texts,
  until,
} from "./helpers.ts";
import { JAXPR, programAnswers, provideCode, showProgram } from "./programs.ts";

beforeAll(provideCode);

const pane = (name: string) => `.jitviz-pane-${name}`;
async function lineOf(name: string, text: string): Promise<HTMLElement> {
  return until(() =>
    [...shown.el.querySelectorAll<HTMLElement>(`${pane(name)} .cm-line`)].find((one) =>
      one.textContent?.includes(text),
    ),
  );
}

/** A view of the program, or another tab of the panel. */
const open = (name: string) =>
  until(() => {
    tab(shown.el, name);
    return true;
  });

const highlights = (name: string) => lines(`${pane(name)} .jitviz-line-highlighted`);
const told = () => lines(".jitviz-explanation-words")[0];

test("the program stands beside its source, each with its length and its colours", async () => {
  showProgram();
  await lineOf("jaxpr", "reduce_sum");
  expect(lines(".jitviz-pane-head b")).toEqual(["Source", "jaxpr"]);
  expect(lines(".jitviz-length")).toEqual(["10 lines"]);
  expect(
    lines(`${pane("source")} .cm-lineNumbers .cm-gutterElement`)
      .filter(Boolean)
      .slice(-6),
  ).toEqual(["1", "2", "3", "4", "5", "6"]);
  expect(lines(`${pane("jaxpr")} .jitviz-token-operation`)).toEqual([
    "dot_general",
    "tanh",
    "dot_general",
    "tanh",
    "reduce_sum",
    "sub",
  ]);
  expect(lines(`${pane("source")} .jitviz-token-keyword`)).toEqual(["def", "return", "def", "return"]);
});

test("each language has its colours", async () => {
  showProgram();
  (await until(() => button(shown.el, "side by side"))).click(); // the timeline, too, has a button "all"
  button(shown.el, "all").click();
  await lineOf("hlo", "fusion");
  await lineOf("stablehlo", "tanh");
  const tokens = (name: string, kind: string) => [...new Set(lines(`${pane(name)} .jitviz-token-${kind}`))];
  expect(tokens("stablehlo", "keyword")).toEqual(["module", "public"]);
  expect(tokens("stablehlo", "operation")).toEqual(["func.func", "stablehlo.dot_general", "stablehlo.tanh", "return"]);
  expect(tokens("stablehlo", "type")).toEqual(["tensor<4x4xf32>", "tensor<2x4xf32>", "tensor<f32>"]);
  expect(tokens("hlo", "keyword")).toEqual(["HloModule", "ROOT", "ENTRY"]);
  expect(tokens("hlo", "operation")).toEqual(["parameter", "tanh", "reduce", "copy", "fusion"]);
  expect(tokens("jaxpr", "keyword")).toEqual(["lambda", "let", "in"]);
  expect(tokens("jaxpr", "property")).toEqual(["dimension_numbers", "axes"]);
});

test("until something is selected, the line under the pointer highlights its counterparts", async () => {
  showProgram();
  await userEvent.hover(await lineOf("source", "jnp.tanh"));
  await until(() => highlights("jaxpr").length === 5);
  await userEvent.hover(await lineOf("jaxpr", "reduce_sum"));
  await until(() => highlights("source").length && highlights("source").join().includes("sum"));
  expect(told()).toMatch(/^Lines of one colour belong together/);
});

test("lines that belong together have one colour from the start, and so have the further lines of an equation", async () => {
  showProgram();
  const bandOf = async (place: "source" | "jaxpr", text: string) => {
    const line = await lineOf(place, text);
    await until(() => line.className.includes("jitviz-band"));
    return /jitviz-band-\d/.exec(line.className)?.[0];
  };
  const tanh = await bandOf("source", "jnp.tanh");
  expect(await bandOf("source", "jnp.sum")).not.toBe(tanh);
  expect(await bandOf("jaxpr", "tanh c")).toBe(tanh);
  expect(await bandOf("jaxpr", "dimension_numbers")).toBe(tanh);
  expect(await bandOf("jaxpr", "reduce_sum")).toBe(await bandOf("source", "jnp.sum"));
});

test("a finding about a line of a program leads to it", async () => {
  const { view } = golden("recompile_by_treedef");
  const finding = { ...view.findings[0], kind: "unrolled", source: "In [3]:2", compiles: [0] };
  show({ ...view, findings: [finding] }, askFrom(programAnswers()), undefined, "Score");
  shown.el.querySelector<HTMLElement>("[aria-label^='more on']")?.click();
  (await until(() => button(shown.el, "show in program"))).click();
  await until(() => told()?.startsWith("In [3]:2: 5 equations"));
  expect(highlights("jaxpr")).toHaveLength(5);
});

test("a click on a line highlights its counterparts, and counts them", async () => {
  showProgram();
  await userEvent.click(await lineOf("source", "jnp.tanh"));
  await until(() => highlights("jaxpr").length);
  expect(highlights("jaxpr")).toEqual([
    "c:f32[2,4] = dot_general[",
    "d:f32[2,4] = tanh c",
    "e:f32[2,4] = dot_general[dimension_numbers=(([1], [0]), ([], []))] d a",
    "f:f32[2,4] = tanh e",
    "h:f32[2,4] = sub 1.0:f32[] f",
  ]);
  expect(lines(`${pane("jaxpr")} .jitviz-line-highlighted.jitviz-backward`)).toEqual(["h:f32[2,4] = sub 1.0:f32[] f"]);
  expect(lines(`${pane("jaxpr")} .jitviz-pass`).filter(Boolean)).toEqual(["▸", "▸", "▸", "▸", "◂"]);
  expect(told()).toBe("In [3]:2: 5 equations, 1 of them backward; 2 lines of StableHLO; 2 of HLO");
  expect(lines(`${pane("source")} .jitviz-line-words`)).toEqual(["In [3]:2: 5 of 6 equations, 83%, unrolled 2 times"]);
});

test("the arrow keys go from line to line, and the highlights follow", async () => {
  showProgram();
  await userEvent.click(await lineOf("jaxpr", "reduce_sum"));
  await until(() => told()?.includes("line 8"));
  await userEvent.keyboard("{ArrowUp}");
  await until(() => told()?.includes("line 7") && highlights("source").length === 2);
  expect(highlights("source")).toEqual(["return jnp.tanh(x @ w)", "y = layer(w, layer(w, x))"]);
  expect(lines(".jitviz-expression").join("")).toBe("jnp.tanh(x @ w)");
  expect(lines(".jitviz-crumbs li")).toEqual(["In [3]:5 loss", "In [3]:2 layer"]);
});

test("the selection has a colour of the theme, with or without the focus", async () => {
  showProgram();
  const colour = async () => getComputedStyle(await find(`${pane("source")} .cm-selectionBackground`)).backgroundColor;
  await userEvent.click(await lineOf("source", "jnp.tanh"));
  await userEvent.keyboard("{Shift>}{ArrowDown}{/Shift}");
  await find(`${pane("source")} .cm-focused`);
  const focused = await colour();
  (document.activeElement as HTMLElement).blur();
  await until(() => !shown.el.querySelector(".cm-focused"));
  expect(await colour()).toBe(focused);
});

test("a step of the call stack links to its line", async () => {
  showProgram();
  await userEvent.click(await lineOf("jaxpr", "tanh c"));
  (await until(() => button(shown.el, "In [3]:5"))).click();
  await until(() => lines(`${pane("source")} .jitviz-line-chosen`).join() === "y = layer(w, layer(w, x))");
  expect(told()).toMatch(/^In \[3\]:5: /);
});

test("from one highlighted line to the next, around the ends", async () => {
  showProgram();
  await userEvent.click(await lineOf("source", "jnp.tanh"));
  await until(() => lines(`${pane("jaxpr")} .jitviz-steps [role=status]`)[0] === "5 lines highlighted");
  button(shown.el, "next highlighted line of the jaxpr").click();
  await until(() => lines(".jitviz-line-at")[0] === "c:f32[2,4] = dot_general[");
  button(shown.el, "previous highlighted line of the jaxpr").click();
  await until(() => lines(".jitviz-line-at")[0] === "h:f32[2,4] = sub 1.0:f32[] f");
  expect(lines(`${pane("jaxpr")} .jitviz-steps [role=status]`)).toEqual(["line 5 of 5"]);
  expect(told()).toMatch(/^In \[3\]:2: /);
});

test("parameters of a long equation highlight the counterparts of the equation", async () => {
  showProgram();
  await userEvent.click(await lineOf("jaxpr", "dimension_numbers=(([1], [0]), ([], []))"));
  await until(() => highlights("source").length);
  expect(lines(".jitviz-crumbs li").at(-1)).toBe("In [3]:2 layer");
});

test("a fused operation names every place in the source, an inserted one none", async () => {
  showProgram();
  (await until(() => button(shown.el, "HLO"))).click();
  await userEvent.click(await lineOf("hlo", "tanh_reduce_fusion"));
  await until(() => lines(".jitviz-origins > li").length === 2);
  expect(told()).toContain("HLO, line 11: combines operations from 2 places in the source");
  expect(lines(`${pane("hlo")} .jitviz-line-words`)).toEqual(["jvp(loss)/tanh · jvp(loss)/reduce_sum"]);
  await userEvent.click(await lineOf("hlo", "copy"));
  await until(() => told() === "HLO, line 10: inserted or rewritten by the compiler, without a source line.");
});

test("all four texts stand side by side and highlight each other", async () => {
  showProgram();
  (await until(() => button(shown.el, "side by side"))).click(); // the timeline, too, has a button "all"
  button(shown.el, "all").click();
  await userEvent.click(await lineOf("stablehlo", "stablehlo.tanh"));
  await until(() => highlights("jaxpr").length);
  expect(lines(".jitviz-pane-head b")).toEqual(["Source", "jaxpr", "StableHLO", "HLO"]);
  expect(highlights("jaxpr")).toEqual(["d:f32[2,4] = tanh c"]);
  expect(highlights("hlo")).toEqual([]);
});

test("search counts the results, goes through them and marks those in view", async () => {
  showProgram();
  await lineOf("jaxpr", "reduce_sum");
  const field = await find<HTMLInputElement>(`${pane("jaxpr")} input`);
  await userEvent.fill(field, "TANH");
  await until(() => lines(`${pane("jaxpr")} .jitviz-found`).length === 2);
  expect(lines(`${pane("jaxpr")} .jitviz-search [role=status]`)).toEqual(["2 found"]);
  for (const place of ["1 of 2", "2 of 2"]) {
    press(field, "Enter");
    await until(() => lines(`${pane("jaxpr")} .jitviz-search [role=status]`)[0] === place);
  }
  expect(told()).toContain("jaxpr, line 7");
  press(field, "Escape");
  await until(() => lines(`${pane("jaxpr")} .jitviz-found`).length === 0);
});

test("Ctrl+F in a text goes to its search box", async () => {
  showProgram();
  await userEvent.click(await lineOf("jaxpr", "reduce_sum"));
  await userEvent.keyboard("{Control>}f{/Control}");
  expect(document.activeElement).toBe(await find(`${pane("jaxpr")} input`));
});

test("a text keeps its scroll position, its folds and its cursor when its tab is opened again", async () => {
  const block = (number: number) => `  %${number} = call {\n${"    add\n".repeat(20)}  }\n`;
  const text = `${JAXPR}\n${Array.from({ length: 40 }, (_, number) => block(number)).join("")}`;
  showProgram({ ...programAnswers(), "listing compile 1 name jaxpr": { text } });
  const chosen = () => lines(`${pane("jaxpr")} .jitviz-line-chosen`).join();
  await userEvent.click(await lineOf("jaxpr", "tanh c"));
  await until(chosen);
  button(shown.el, "fold all of the jaxpr").click();
  await until(() => lines(".jitviz-fold").length);
  const box = await find(`${pane("jaxpr")} .cm-scroller`);
  box.scrollTop = 300;
  await new Promise((resolve) => box.addEventListener("scroll", resolve, { once: true }));
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame); // the lines in sight are drawn
  const before = topLine();
  expect(before).not.toContain("lambda");
  await open("Cost");
  await until(() => !shown.el.querySelector(pane("jaxpr")));
  await open("Code");
  await until(() => topLine() === before);
  expect(lines(`${pane("jaxpr")} .jitviz-fold`).length).toBeGreaterThan(1);
  (await find(`${pane("jaxpr")} .cm-scroller`)).scrollTop = 0;
  await until(chosen);
  expect(chosen()).toBe("d:f32[2,4] = tanh c");
});

/** What the uppermost line in sight of the jaxpr says. */
function topLine(): string {
  const box = shown.el.querySelector(`${pane("jaxpr")} .cm-scroller`);
  const top = box?.getBoundingClientRect().top ?? 0;
  const found = [...(box?.querySelectorAll(".cm-line") ?? [])].find(
    (line) => line.getBoundingClientRect().bottom > top + 1,
  );
  return found?.textContent ?? "";
}

test("regions fold, all at once or one by one, and a folded line is highlighted for the lines in it", async () => {
  showProgram();
  (await until(() => button(shown.el, "HLO"))).click();
  await lineOf("hlo", "copy");
  button(shown.el, "fold all of the HLO").click();
  await until(() => lines(".jitviz-fold").length === 2);
  expect(lines(`${pane("hlo")} .cm-line`)).toEqual([
    "HloModule jit_step, is_scheduled=true",
    "",
    "%fused_computation (param_0: f32[2,4]) -> f32[] {⋯ 3 lines",
    "}",
    "",
    "ENTRY %main (Arg_0: f32[4,4], Arg_1: f32[2,4]) -> f32[] {⋯ 2 lines",
    "}",
    "",
  ]);
  await userEvent.click(await lineOf("source", "jnp.sum"));
  await until(() => highlights("hlo").length === 2);
  button(shown.el, "unfold 3 lines").click();
  await until(() => lines(".jitviz-fold").length === 1);
  expect(highlights("hlo")[0]).toContain("ROOT %reduce_sum.0");
});

test("the strip beside the source, the table and the tree use the same measure", async () => {
  showProgram();
  await until(() => lines(".jitviz-heat").length === 3);
  expect(lines(".jitviz-heat")).toEqual(["5", "5", "1"]);
  button(shown.el, "StableHLO ops").click();
  await until(() => lines(".jitviz-heat")[0] === "2");
  expect((await find<HTMLSelectElement>("[aria-label='heat by']")).value).toBe("stablehlo_ops");
  expect([...shown.el.querySelectorAll(".jitviz-work tbody tr")].map((row) => texts(row, "th, td"))).toEqual([
    ["In [3]:2", "return jnp.tanh(x @ w)", "5", "2 100%", "1", "2 times"],
    ["In [3]:5", "y = layer(w, layer(w, x))", "5", "2 100%", "1", ""],
    ["In [3]:6", "return jnp.sum(y)", "1", "– 0%", "1", ""],
  ]);
  expect(lines(".jitviz-work-advice")).toEqual(["In [3] layer ran twice. → Use jax.lax.scan."]);
  expect(lines(".jitviz-step")).toEqual(["2In [3]:5losslayer(w, x)"]);
});

test("the tree of calls opens step by step, and a step links to its line", async () => {
  showProgram();
  (await until(() => button(shown.el, "calls at In [3]:5"))).click();
  await until(() => lines(".jitviz-step").length === 5);
  expect(lines(".jitviz-step").slice(0, 3)).toEqual([
    "3In [3]:5losslayer(w, layer(w, x))",
    "2In [3]:2layerjnp.tanh(x @ w)",
    "1In [3]:2layerx @ w",
  ]);
  const step = [...shown.el.querySelectorAll(".jitviz-step")][1] as HTMLElement;
  button(step, "In [3]:2").click();
  await until(() => told()?.startsWith("In [3]:2:"));
});

test("a text of a version is a click away on the page of its column", async () => {
  showProgram();
  await openVersion(shown.el, 1);
  (await until(() => button(shown.el, "jaxpr of version 1"))).click();
  await lineOf("jaxpr", "sin e");
  expect((await find<HTMLSelectElement>(".jitviz-picker select")).selectedOptions[0]?.text).toBe("step · version 1");
});

test("the program tab shows the version that is chosen elsewhere", async () => {
  showProgram();
  const picker = await find<HTMLSelectElement>(".jitviz-picker select");
  await userEvent.selectOptions(picker, "step · version 1");
  await lineOf("jaxpr", "sin e");
  await openVersion(shown.el, 2);
  await open("Program");
  await until(
    () =>
      shown.el.querySelector<HTMLSelectElement>(".jitviz-picker select")?.selectedOptions[0]?.text ===
      "step · version 2",
  );
});

test("the program stays when the recording grows", async () => {
  const { view, answers } = golden("recompile_by_treedef");
  const [home] = view.functions;
  if (!home) throw new Error("no function");
  const early = { ...view, is_finished: false, functions: [{ ...home, versions: home.versions.slice(0, 1) }] };
  show(early, askFrom({ ...answers, ...programAnswers() }));
  await open("Program");
  await userEvent.click(await lineOf("jaxpr", "sin e"));
  shown.update(view);
  await until(() => lines(".jitviz-picker option").length === 2);
  expect((await find<HTMLSelectElement>(".jitviz-picker select")).selectedOptions[0]?.text).toBe("step · version 1");
  expect(lines(`${pane("jaxpr")} .jitviz-line-chosen`)).toEqual(["f:f32[5,4] = sin e"]);
});

test("a comparison opens with the version that the reasons compare with", async () => {
  const { view } = golden("recompile_by_treedef");
  const [home] = view.functions;
  const [first, second] = home?.versions ?? [];
  if (!home || !first || !second) throw new Error("no versions");
  const third = { ...second, index: 2, version: 3, name: "version 3", compared_with: 0 };
  const asked: string[] = [];
  show({ ...view, functions: [{ ...home, versions: [first, second, third] }] }, async (kind, params) => {
    asked.push(nameQuestion(kind, params));
    return askFrom(programAnswers())(kind, params, new AbortController().signal);
  });
  await open("Program");
  await userEvent.selectOptions(await find<HTMLSelectElement>(".jitviz-picker select"), "step · version 3");
  await open("Diff");
  await until(() => asked.some((one) => one.startsWith("difference")));
  expect(asked.filter((one) => one.startsWith("difference"))).toEqual(["difference before 0 after 2 name jaxpr"]);
});

test("two versions are compared in words and side by side", async () => {
  showProgram();
  await open("Diff");
  await until(() => lines(".cm-changedLine").length);
  expect(lines(".jitviz-summary li")).toEqual(["+ 1 tanh, − 1 sin, + 1 sub", "shapes 5 → 2"]);
  expect(lines(".jitviz-diff-heads b")).toEqual(["step, version 1", "step, version 2"]);
  expect(lines(".cm-merge-a .cm-changedLine")).toEqual(["f:f32[5,4] = sin e"]);
  expect(lines(".cm-merge-b .cm-changedLine")).toEqual(["f:f32[2,4] = tanh e", "h:f32[2,4] = sub 1.0:f32[] f"]);
  const cursorAt = () => EditorView.findFromDOM(shown.el.querySelector(".cm-merge-b") as HTMLElement)?.state;
  for (const line of [7, 9, 7]) {
    button(shown.el, "next hunk").click();
    const state = cursorAt();
    expect(state?.doc.lineAt(state.selection.main.head).number).toBe(line);
  }
});

test("the selection stays in other views and layouts", async () => {
  showProgram();
  await userEvent.click(await lineOf("jaxpr", "tanh c"));
  await open("Cost");
  await until(() => lines("dt").length);
  await open("Code");
  await until(() => highlights("source").length === 2);
  button(shown.el, "single").click();
  await until(() => lines(".jitviz-pane-head b").join() === "jaxpr");
  expect(lines(".jitviz-line-chosen")).toEqual(["d:f32[2,4] = tanh c"]);
  button(shown.el, "In [3]:2").click();
  await until(() => lines(".jitviz-line-chosen").join() === "return jnp.tanh(x @ w)");
  expect(lines(".jitviz-pane-head b")).toEqual(["Source"]);
});

test("a comparison that was refused says why", async () => {
  showProgram();
  await open("Diff");
  await until(() => lines(".cm-changedLine").length);
  button(shown.el, "HLO").click();
  await until(() => lines("[role=status]").some((text) => text.includes("nothing is known of difference")));
});

test("what a version costs is a table of definitions", async () => {
  showProgram();
  await open("Cost");
  await until(() => lines(".jitviz-definitions dt").length);
  const terms = lines(".jitviz-definitions dt");
  expect(Object.fromEntries(lines(".jitviz-definitions dd").map((text, at) => [terms[at], text]))).toEqual({
    "floating-point operations": "160",
    "bytes moved": "420 B",
    arguments: "96 B",
    outputs: "36 B",
    temporaries: "64 B",
    "shared by arguments and outputs": "64 B",
    "generated code": "2.0 kB",
    "kept alive by JAX's cache": "2 versions, 2.9 MB of constants",
    donated: "w",
    reused: "none",
    "donated but not reused": "w f32[4,4]: no output has its shape",
    dropped: "unused f32[]1,980 more inputs",
    "returned unchanged": "none",
    static: "[1]",
    total: "1 constant, 1.4 MB",
    largest: "table f32[600,600] 1.4 MB",
  });
  expect(lines(".jitviz-work-advice")[0]).toContain("pass it as an argument");
});

test("similar inputs are one row; the first few are shown, and the rest on demand", async () => {
  const answers = programAnswers();
  const donated = Array.from({ length: 300 }, (_, at) => ({ text: `blocks[0..11].w${at}`, count: 12 }));
  answers["facts compile 1"] = { ...(answers["facts compile 1"] as object), donated, reused: donated };
  showProgram(answers);
  await open("Cost");
  const groups = () => [...shown.el.querySelectorAll(".jitviz-definitions section")];
  const items = () =>
    groups()
      .find((one) => one.firstChild?.textContent === "Inputs")
      ?.querySelectorAll("li").length;
  await until(() => items() === 14);
  expect(lines(".jitviz-definitions li")[0]).toBe("blocks[0..11].w0 12 leaves");
  expect(shown.el.offsetHeight).toBeLessThan(1600);
  button(shown.el, "294 more paths").click();
  await until(() => items() === 14 + 294);
});

test("without CodeMirror the texts are plain, and the panel says why", async () => {
  const kept = (globalThis as Record<symbol, unknown>)[nameChunk("code")];
  Reflect.deleteProperty(globalThis, nameChunk("code"));
  showProgram({ ...programAnswers(), "chunk name code": { code: new Uint8Array([1, 2, 3]) } });
  await until(() => lines(".jitviz-reading > [role=status]")[0]?.startsWith("The texts are plain."));
  expect(shown.el.querySelector(`${pane("jaxpr")} pre`)?.textContent).toBe(JAXPR);
  expect(button(shown.el, "copy the jaxpr")).toBeDefined();
  Object.assign(globalThis, { [nameChunk("code")]: kept });
  button(shown.el, "Ask again").click();
  await lineOf("jaxpr", "reduce_sum");
});

test("without links the texts can be read all the same", async () => {
  const answers = programAnswers();
  delete answers["links compile 1"];
  showProgram(answers);
  await lineOf("jaxpr", "reduce_sum");
  expect(lines(".jitviz-reading > [role=status]")).toEqual([
    "The texts are not linked to the source. nothing is known of links compile 1 Ask again",
  ]);
  expect(lines(".jitviz-note")).toEqual([]);
});

test("versions of functions with the same name are labelled with the lines that compiled them", async () => {
  const view = structuredClone(golden("recompile_by_treedef").view);
  const [home] = view.functions;
  if (!home) throw new Error("no function");
  const others = home.versions.slice(0, 1).map((one) => ({ ...one, index: 7, source: "In [9]:1" }));
  view.functions = [home, { ...home, versions: others }];
  show(view, askFrom(programAnswers()));
  await open("Program");
  await until(() => lines(".jitviz-picker option").length === 3);
  expect(lines(".jitviz-picker option")).toEqual([
    `${home.name} · version 1, at ${home.versions[0]?.source}`,
    `${home.name} · version 2`,
    `${home.name} · version 1, at In [9]:1`,
  ]);
});

test("where nothing was compiled there is no program to read", async () => {
  showStory("only_hits");
  await open("Program");
  await until(() => lines(".jitviz-program p").length);
  expect(lines(".jitviz-program p")[0]).toContain("no program to read");
  expect(lines(".jitviz-program select")).toEqual([]);
});

test("terms are as wide as their column in a page that lets them float", async () => {
  showProgram();
  shown.el.classList.add("jp-OutputArea-output");
  const theirs = document.createElement("style");
  theirs.textContent = ".jp-OutputArea-output dt { float: left; width: 20%; font-weight: bold; }";
  document.head.prepend(theirs);
  await open("Cost");
  const term = await find<HTMLElement>("dt");
  const { width, fontWeight } = getComputedStyle(term);
  theirs.remove();
  expect([width, fontWeight]).toEqual([getComputedStyle(term).width, "400"]);
});

test.each(["Code", "Graph", "Diff", "Cost"])("%s fits into 600 pixels", async (name) => {
  showProgram(programAnswers(), 600);
  await open(name);
  await until(() => shown.el.querySelector(".jitviz-program [role=tabpanel]")?.childElementCount);
  if (name === "Code") await lineOf("jaxpr", "reduce_sum");
  expect(shown.el.querySelector<HTMLElement>(".jitviz")?.scrollWidth).toBeLessThanOrEqual(600);
});
