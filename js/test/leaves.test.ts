import { expect, test, vi } from "vitest";
import { type Detail, FLAGS, type RowColumns } from "../src/schema.ts";
import { leafRowsOf } from "../src/score/leaf_rows.ts";
import { askFrom, button, golden, lines, press, show, shown, showStory, tab, until } from "./helpers.ts";
import { manyLeaves } from "./made.ts";

const rows = () => lines(".jitviz-leaves tbody tr");
const said = () => lines(".jitviz-leaves [role=status]");
const filter = (text: string) => {
  const field = shown.el.querySelector<HTMLInputElement>("[type=search]") as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
};

async function showAll(): Promise<void> {
  showStory("recompile_by_treedef");
  await until(() => button(shown.el, "only what changed"));
  button(shown.el, "only what changed").click();
  await until(() => rows().length > 10);
}

test("at first only what changed is there, before and after", async () => {
  showStory("recompile_by_treedef");
  await until(() => rows().length === 2);
  expect(rows()).toEqual([
    "opt_state[0].countweak int32 → became int32 4 B",
    "opt_state[0].trace.indexarray → became None",
  ]);
});

test("every leaf has a line beneath its nodes, with its aval or value, and the sums stand above", async () => {
  await showAll();
  expect(rows()).toEqual([
    "modelMLP 4 traced, 3 static132 B",
    ".layerstuple 4 traced, 2 static132 B",
    "[0]Linear 2 traced, 1 static96 B",
    ".weightf32[8,2] Array64 B",
    ".biasf32[8] Array32 B",
    ".use_biasTrue boolmetadata",
    "[1]Linear 2 traced, 1 static36 B",
    ".weightf32[1,8] Array32 B",
    ".biasf32[1] Array4 B",
    ".use_biasTrue boolmetadata",
    ".activation<function relu from jax.nn> function",
    "opt_statetuple 2 traced, 0 static68 B",
    "[0]TraceState 2 traced, 0 static68 B",
    ".countweak int32 → became int32 4 B",
    ".traceParams 1 traced, 0 static64 B",
    ".weightf32[8,2] Arraydonated64 B",
    ".indexarray → became None",
    "[1]EmptyState",
    "xf32[32,2] Array256 B",
    "yf32[32,1] Array128 B",
    "lr0.001 float",
  ]);
  expect(lines(".jitviz-leaves > p")[0]).toBe("Partition: 8 traced leaves, 584 B · 4 static · all on cpu:0");
});

test("rows read from columns equal the rows of the panel", () => {
  const { view, answers } = golden("recompile_by_treedef");
  const part = leafRowsOf(view.functions[0]?.versions[1]?.inputs as never).rows;
  const whole = leafRowsOf((answers["partition compile 1"] as Detail).inputs as never).rows;
  expect(part.length).toBeGreaterThan(0);
  for (const row of part) expect(whole).toContainEqual(row);
});

test("the outputs have their leaves as well", async () => {
  await showAll();
  button(shown.el, "outputs").click();
  await until(() => !rows()[0]?.startsWith("model"));
  expect(rows()).toEqual([
    "resulttuple 3 traced, 0 static100 B",
    "[0]MLP 2 traced, 0 static96 B",
    ".layerstuple 2 traced, 0 static96 B",
    "[0]Linear 2 traced, 0 static96 B",
    ".weightf32[8,2] Array64 B",
    ".biasf32[8] Array32 B",
    "[1]f32[] Array4 B",
  ]);
});

test("a filter finds leaves by path, type or value in any case, all words at once, and says how many", async () => {
  await showAll();
  filter("BIAS layers[1]");
  await until(() => rows().length < 10);
  expect(rows()).toEqual(["model.layers[1].biasf32[1] Array4 B", "model.layers[1].use_biasTrue boolmetadata"]);
  expect(said()).toEqual(["2 of 13"]);
  filter("relu");
  await until(() => rows().length === 1);
  expect(rows()[0]).toContain("model.activation");
  filter("nowhere");
  await until(() => rows().length === 0);
  expect(said()).toEqual(["No leaf has this in its path, type or value."]);
});

test("in a narrow panel the leaves with all of their properties fit", async () => {
  const { view, answers } = golden("recompile_by_treedef");
  const whole = answers["partition compile 1"] as Detail;
  const columns = whole.inputs?.rows as RowColumns;
  const inputs = {
    ...whole.inputs,
    rows: { ...columns, flags: Array.from(columns.kind, () => 2 ** FLAGS.length - 1) },
  };
  show(view, askFrom({ ...answers, "partition compile 1": { ...whole, inputs } }), 380);
  await until(() => button(shown.el, "only what changed"));
  button(shown.el, "only what changed").click();
  await until(() => rows().length > 10);
  const box = shown.el.querySelector(".jitviz-leaves .jitviz-table-box") as HTMLElement;
  expect(box.scrollWidth).toBeLessThanOrEqual(box.clientWidth);
});

test("the filter stays when another tab is opened, and the panel is told anew", async () => {
  await showAll();
  filter("bias");
  await until(() => rows().length < 10);
  const left = rows();
  tab(shown.el, "Time");
  await until(() => rows().length === 0);
  shown.update(golden("recompile_by_treedef").view);
  tab(shown.el, "Timeline");
  await until(() => rows().length > 0);
  expect(rows()).toEqual(left);
  expect(shown.el.querySelector<HTMLInputElement>("[type=search]")?.value).toBe("bias");
});

test("keys typed in the filter do not reach the notebook", async () => {
  await showAll();
  const seen: string[] = [];
  const listen = (event: KeyboardEvent) => seen.push(event.key);
  document.addEventListener("keydown", listen);
  const field = shown.el.querySelector("[type=search]") as Element;
  for (const key of ["a", "b", "Enter"]) press(field, key);
  press(field, "s", { ctrlKey: true });
  document.removeEventListener("keydown", listen);
  expect(seen).toEqual(["s"]);
});

test("a leaf that is clicked is marked and followed through all calls, and its path can be copied", async () => {
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await showAll();
  button(shown.el, ".count").click();
  await until(() => lines(".jitviz-leaf-line").length);
  expect(lines(".jitviz-leaves tr[aria-current]")[0]).toContain(".count");
  button(shown.el, "copy the path").click();
  await until(() => write.mock.calls.length);
  expect(write.mock.calls).toEqual([["opt_state[0].count"]]);
  write.mockRestore();
});

test("of twenty thousand leaves the nodes are there, which unfold, and a filter finds any", async () => {
  const { view } = golden("recompile_by_treedef");
  // Only what the panel has not in full is asked for.
  (view.functions[0]?.versions[0]?.inputs as { n_more_leaves: number }).n_more_leaves = 19_000;
  show(view, askFrom({ "partition compile 0": manyLeaves(20_000) }));
  button(shown.el, "previous call").click();
  await until(() => lines(".jitviz-leaves > p")[0]?.startsWith("Partition: 20,000"));
  expect(rows()).toHaveLength(101);
  expect(rows().slice(0, 2)).toEqual([
    "paramsdict 20,000 traced, 0 static1.0 kB",
    "['block0']dict 200 traced, 0 static1.0 kB",
  ]);
  button(shown.el, "['block57']").click();
  await until(() => rows().length === 200);
  expect(rows()[58 + 1]).toBe("['w0']f32[16,16] Array1.0 kB");
  expect(said()).toEqual(["show 101 more"]);
  button(shown.el, "show 101 more").click();
  await until(() => rows().length === 301);
  expect(said()).toEqual([""]);
  button(shown.el, "['block57']").click();
  await until(() => rows().length === 101);
  filter("block99'] w199");
  await until(() => rows().length === 1);
  expect(rows()).toEqual(["params['block99']['w199']f32[16,16] Array1.0 kB"]);
});

test("a hit of a version from before the recording has that version's leaves", async () => {
  showStory("hits_of_earlier_versions");
  await until(() => rows().length);
  expect(rows()).toEqual(["xf32[3] Array12 B"]);
  button(shown.el, "next call").click();
  await until(() => rows()[0]?.includes("f32[4]"));
});

test("leaves that the panel has in full are not requested", async () => {
  show(golden("only_hits").view, async () => {
    throw new Error("asked");
  });
  await until(() => rows().length);
  expect(shown.el.textContent).not.toContain("asked");
});

test("a call of an unknown version says so", async () => {
  const { view } = golden("only_hits");
  const functions = view.functions.map((one) => ({ ...one, called_with: null }));
  const timeline = {
    ...view.timeline,
    call_version: Array.from(view.timeline.call_version, () => 0),
    signed_calls: [],
  };
  show({ ...view, functions, timeline });
  await until(() => lines(".jitviz-leaves").length);
  expect(lines(".jitviz-leaves > p")).toEqual([
    "Which compiled version this call ran is not known, so neither are its leaves.",
  ]);
});

test("a hit of an unknown version names those that it may have run, and no arguments of another call", async () => {
  const { view } = golden("only_hits");
  const functions = view.functions.map((one) => ({ ...one, unknown_version: "one of versions 1–2" }));
  show({ ...view, functions });
  await until(() => rows().length);
  button(shown.el, "next call").click();
  await until(() => rows().length === 0);
  expect(lines(".jitviz-leaves > p")).toEqual([
    "This call ran one of versions 1–2. Which one is not known, so neither are its leaves.",
  ]);
  expect(shown.el.querySelector(".jitviz-page")?.textContent).toContain("It ran one of versions 1–2");
});
