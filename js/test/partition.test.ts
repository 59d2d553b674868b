import { expect, test, vi } from "vitest";
import { type Detail, FLAGS, type RowColumns } from "../src/schema.ts";
import { askFrom, button, golden, lines, press, show, shown, showStory, tab, until } from "./helpers.ts";
import { manyLeaves } from "./made.ts";

const rows = () => lines("[role=treeitem]");
const tree = () => shown.el.querySelector<HTMLElement>("[role=tree]") as HTMLElement;
const active = () => lines("[role=treeitem][aria-selected=true] .jitviz-name")[0];
const filter = (text: string) => {
  const field = shown.el.querySelector<HTMLInputElement>("[type=search]") as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
};

async function showWhole(): Promise<void> {
  showStory("recompile_by_treedef");
  await until(() => button(shown.el, "only what changed"));
  button(shown.el, "only what changed").click();
  await until(() => rows().length > 10);
}

test("at first only what changed is drawn, before and after in place", async () => {
  showStory("recompile_by_treedef");
  await until(() => rows().length === 5);
  expect(rows()).toEqual([
    "opt_statetuple2 traced, 68 B",
    "[0]TraceState2 traced, 68 B",
    ".countweak int32 → became int324 B",
    ".traceParams1 traced, 64 B",
    ".indexarray → became None",
  ]);
});

test("the whole tree has a root for each argument, its leaves with their aval or value", async () => {
  await showWhole();
  const roots = shown.el.querySelectorAll("[role=treeitem][aria-level='1']");
  expect([...roots].map((row) => row.textContent)).toEqual([
    "modelMLP4 traced, 132 B · 3 static",
    "opt_statetuple2 traced, 68 B",
    "xf32[32,2]256 B",
    "yf32[32,1]128 B",
    "lr0.001",
  ]);
  expect(lines(".jitviz-sums")).toEqual(["8 traced leaves, 584 B 4 static · all on cpu:0"]);
});

test("traced, static and donated leaves differ in their sign and its label", async () => {
  await showWhole();
  const signs = [...shown.el.querySelectorAll("[role=treeitem] [role=img]")].map((sign) =>
    sign.getAttribute("aria-label"),
  );
  expect(new Set(signs)).toEqual(new Set(["traced", "static", "traced, donated"]));
});

test("the outputs are a tree as well", async () => {
  await showWhole();
  button(shown.el, "outputs").click();
  await until(() => rows()[0]?.startsWith("result"));
  expect(rows()[0]).toBe("resulttuple3 traced, 100 B");
});

test("a filter finds leaves by path, type or value, and says how many", async () => {
  await showWhole();
  filter("bias layers[1]");
  await until(() => rows().length < 10);
  expect(rows()).toEqual([
    "modelMLP2 of 7 leaves",
    ".layerstuple2 of 6 leaves",
    "[1]Linear2 of 3 leaves",
    ".biasf32[1]4 B",
    ".use_biasTruemetadata",
  ]);
  expect(lines(".jitviz-partition [role=status]")).toContain("2 of 12 leaves");
  filter("nowhere");
  await until(() => rows().length === 0);
  expect(lines(".jitviz-partition > p.jitviz-faint")).toContain("No leaf has this in its path, type or value.");
});

test("a narrow tree cuts the details of a leaf, but never its shape", async () => {
  const { view, answers } = golden("recompile_by_treedef");
  const whole = answers["partition compile 1"] as Detail;
  const rows = whole.inputs?.rows as RowColumns;
  const inputs = { ...whole.inputs, rows: { ...rows, flags: Array.from(rows.kind, () => 2 ** FLAGS.length - 1) } };
  show(view, askFrom({ ...answers, "partition compile 1": { ...whole, inputs } }), 380);
  await until(() => button(shown.el, "only what changed"));
  button(shown.el, "only what changed").click();
  await until(() => rows.kind.length > 10 && lines(".jitviz-shape").length > 5);
  const boxes = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-row")];
  for (const box of boxes) {
    const shape = box.querySelector<HTMLElement>(".jitviz-shape");
    if (!shape) continue;
    expect(shape.scrollWidth).toBeLessThanOrEqual(shape.clientWidth + 1);
    expect(shape.getBoundingClientRect().right).toBeLessThanOrEqual(box.getBoundingClientRect().right);
  }
  expect(Math.min(...boxes.flatMap((box) => box.querySelector(".jitviz-tags")?.clientWidth ?? []))).toBeLessThan(60);
});

test("a tree keeps its filter and its folds when another tab is opened", async () => {
  await showWhole();
  filter("bias");
  await until(() => rows().length > 6);
  shown.el.querySelector<HTMLElement>(".jitviz-caret")?.click();
  await until(() => rows().length === 1);
  const left = rows();
  tab(shown.el, "Time");
  await until(() => !shown.el.querySelector(".jitviz-tree"));
  shown.update(golden("recompile_by_treedef").view);
  tab(shown.el, "Timeline");
  await until(() => rows().length > 0);
  expect(rows()).toEqual(left);
  expect(shown.el.querySelector<HTMLInputElement>("[type=search]")?.value).toBe("bias");
});

test("the hits of a filter are open, and can be folded", async () => {
  await showWhole();
  press(tree(), "Home");
  await until(() => active() === "model");
  press(tree(), "ArrowLeft");
  const model = () => shown.el.querySelector("[role=treeitem]");
  await until(() => model()?.getAttribute("aria-expanded") === "false");
  filter("bias");
  await until(() => rows().length > 6);
  expect(model()?.getAttribute("aria-expanded")).toBe("true");
  model()?.querySelector<HTMLElement>(".jitviz-caret")?.click();
  await until(() => rows().length === 1);
  expect(model()?.getAttribute("aria-expanded")).toBe("false");
  filter("");
  await until(() => rows().length > 3);
  expect(model()?.getAttribute("aria-expanded")).toBe("false");
});

test("a filter shows its first hits, and without it the tree scrolls back", async () => {
  const { view } = golden("recompile_by_treedef");
  (view.functions[0]?.versions[0]?.inputs as { n_more_leaves: number }).n_more_leaves = 1_000;
  show(view, askFrom({ "partition compile 0": manyLeaves(2_000) }));
  button(shown.el, "previous call").click();
  await until(() => lines(".jitviz-sums")[0]?.startsWith("2,000"));
  const box = () => shown.el.querySelector<HTMLElement>(".jitviz-tree") as HTMLElement;
  press(tree(), "End");
  await until(() => active() === "['block99']");
  const before = box().scrollTop;
  expect(before).toBeGreaterThan(1000);
  filter("w1");
  await until(() => rows()[1]?.startsWith("['block0']"));
  expect(box().scrollTop).toBe(0);
  filter("");
  await until(() => active() === "['block99']");
  expect(box().scrollTop).toBe(before);
  tab(shown.el, "Time");
  await until(() => !shown.el.querySelector(".jitviz-tree"));
  tab(shown.el, "Timeline");
  await until(() => box()?.scrollTop === before && active() === "['block99']");
});

test("keys typed in the filter do not reach the notebook", async () => {
  await showWhole();
  const seen: string[] = [];
  const listen = (event: KeyboardEvent) => seen.push(event.key);
  document.addEventListener("keydown", listen);
  const field = shown.el.querySelector("[type=search]") as Element;
  for (const key of ["a", "b", "Enter"]) press(field, key);
  press(field, "s", { ctrlKey: true });
  document.removeEventListener("keydown", listen);
  expect(seen).toEqual(["s"]);
});

test("the tree is walked with the keys: down, in, out, fold, unfold, to both ends", async () => {
  await showWhole();
  for (const [key, expected] of [
    ["Home", "model"],
    ["ArrowDown", ".layers"],
    ["ArrowRight", "[0]"],
    ["ArrowRight", ".weight"],
    ["ArrowLeft", "[0]"],
    ["End", "lr"],
    ["ArrowUp", "y"],
  ] as const) {
    press(tree(), key);
    await until(() => active() === expected);
  }
  press(tree(), "Home");
  await until(() => active() === "model");
  const n = rows().length;
  press(tree(), "ArrowLeft");
  await until(() => rows().length < n);
  expect(shown.el.querySelector("[role=treeitem]")?.getAttribute("aria-expanded")).toBe("false");
  press(tree(), "Enter");
  await until(() => rows().length === n);
});

test("screen readers learn the active row", async () => {
  await showWhole();
  press(tree(), "Home");
  await until(() => active() === "model");
  const id = tree().getAttribute("aria-activedescendant") ?? "";
  expect(document.getElementById(id)?.textContent).toMatch(/^model/);
});

test("a selected row shows its details, and its path can be copied", async () => {
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await showWhole();
  filter("opt_state count");
  await until(() => rows().length === 3);
  shown.el.querySelectorAll<HTMLElement>("[role=treeitem]")[2]?.click();
  await until(() => lines(".jitviz-path").length);
  expect(lines(".jitviz-path, .jitviz-facts > *, .jitviz-leaf b").filter((text) => !text.startsWith("trace "))).toEqual(
    expect.arrayContaining(["opt_state[0].count", "i32[]", "4 B", "jax.Array", "on cpu:0"]),
  );
  button(shown.el, "copy the path").click();
  await until(() => write.mock.calls.length);
  expect(write.mock.calls).toEqual([["opt_state[0].count"]]);
  write.mockRestore();
});

test("in a narrow row both sides of a change have room, and of a long name its end", async () => {
  const { view } = golden("recompile_by_treedef");
  const text = JSON.stringify(view)
    .replaceAll('"name":".index"', '"name":"[\'a_name_that_is_far_too_long_for_such_a_row_0\']"')
    .replaceAll('"after":"None"', '"after":"a_sharding_that_is_much_longer_than_there_is_room_for"');
  show(JSON.parse(text), askFrom({}), 380);
  const row = await until(() => shown.el.querySelector(".jitviz-changed:has(.jitviz-name > span)"));
  const right = row.getBoundingClientRect().right;
  for (const part of [".jitviz-name > :last-child", "del", "ins"]) {
    const box = row.querySelector(part)?.getBoundingClientRect();
    expect([part, (box?.width ?? 0) > 30, (box?.right ?? 0) <= right]).toEqual([part, true, true]);
  }
});

test("twenty thousand leaves are drawn a screen at a time", async () => {
  const { view } = golden("recompile_by_treedef");
  // Only what the panel has not in full is asked for.
  (view.functions[0]?.versions[0]?.inputs as { n_more_leaves: number }).n_more_leaves = 19_000;
  show(view, askFrom({ "partition compile 0": manyLeaves(20_000) }));
  button(shown.el, "previous call").click();
  await until(() => lines(".jitviz-sums")[0]?.startsWith("20,000"));
  expect(rows().slice(0, 2)).toEqual(["paramsdict20,000 traced, 1.0 kB", "['block0']dict200 traced, 1.0 kB"]);
  filter("w");
  await until(() => tree().style.height === `${20_101 * 25}px`);
  expect(rows().length).toBeLessThan(60);
  press(tree(), "End");
  await until(() => active() === "['w199']");
  expect(rows().length).toBeLessThan(60);
  expect(rows().at(-1)).toBe("['w199']f32[16,16]1.0 kB");
});

test("a hit of a version from before the recording has that version's tree", async () => {
  showStory("hits_of_earlier_versions");
  await until(() => rows().length);
  expect(rows()).toEqual(["xf32[3]12 B"]);
  button(shown.el, "next call").click();
  await until(() => rows()[0] === "xf32[4]16 B");
  expect(lines(".jitviz-partition h2 .jitviz-faint")).toEqual(["of step, call 2, version 2"]);
});

test("a tree that the panel has in full is not requested", async () => {
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
  await until(() => lines(".jitviz-none").length);
  expect(lines(".jitviz-none > p")[0]).toBe(
    "Which compiled version this call ran is not known, so neither is its partition.",
  );
});

test("a hit of an unknown version names those that it may have run, and no arguments of another call", async () => {
  const { view } = golden("only_hits");
  const functions = view.functions.map((one) => ({ ...one, unknown_version: "one of versions 1–2" }));
  show({ ...view, functions });
  await until(() => rows().length);
  button(shown.el, "next call").click();
  await until(() => lines(".jitviz-none").length);
  expect(lines(".jitviz-none > p")).toEqual([
    "This call ran one of versions 1–2. Which one is not known, so neither is its partition.",
  ]);
  expect(shown.el.querySelector(".jitviz-page")?.textContent).toContain("It ran one of versions 1–2");
});
