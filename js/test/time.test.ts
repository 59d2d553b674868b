import { expect, test } from "vitest";
import { cutAccount } from "../src/time/slices.ts";
import { golden, lines, press, STORIES, shown, showStory, tab, until } from "./helpers.ts";

const icicle = () => shown.el.querySelector(".jitviz-icicle") as HTMLElement;
const active = () => shown.el.querySelector(".jitviz-slice[aria-selected=true]")?.getAttribute("aria-label");

test("slices lie side by side in their parents, and together are as wide as the whole", () => {
  const { account } = golden("recompile_by_treedef").view;
  if (!account) throw new Error("no account");
  const slices = cutAccount(account);
  const kinds = slices.filter(({ depth }) => depth === 1);
  expect(kinds.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1, 6);
  for (const { parent, start, width } of slices.slice(1)) {
    const above = slices[parent];
    if (!above) throw new Error("no parent");
    expect(start).toBeGreaterThanOrEqual(above.start - 1e-9);
    expect(start + width).toBeLessThanOrEqual(above.start + above.width + 1e-9);
  }
});

test("the stacks of a function lie below each other, however deep", () => {
  const row = (depth: number, name: string, seconds: number) => ({
    what: "trace" as const,
    depth,
    name,
    seconds,
    avoidable_s: 0,
  });
  const rows = [
    row(0, "tracing", 4),
    row(1, "step", 4),
    row(2, "at a.py:1", 3),
    row(3, "at b.py:2", 1),
    row(2, "at a.py:2", 1),
  ];
  const slices = cutAccount({
    ...{
      wall_s: 8,
      bar: [],
      avoidable: "",
      rows,
      n_more: 0,
      beside: "",
      processes: [],
    },
  });
  expect(slices.map(({ depth, parent, start, width }) => [depth, parent, start, width])).toEqual([
    [0, -1, 0, 1],
    [1, 0, 0, 0.5],
    [2, 1, 0, 0.5],
    [3, 2, 0, 0.375],
    [4, 3, 0, 0.125],
    [3, 2, 0.375, 0.125],
  ]);
});

test("arrows go to parts and siblings, Enter zooms, Escape shows all", async () => {
  showStory("recompile_by_treedef", 1200, "Time");
  press(icicle(), "ArrowDown");
  await until(() => active() === "tracing, 530 ms, 23% of all");
  press(icicle(), "ArrowRight");
  await until(() => active() === "lowering, 220 ms, 10% of all");
  const width = () => shown.el.querySelector<HTMLElement>(".jitviz-slice[aria-selected=true]")?.style.width;
  press(icicle(), "Enter");
  await until(() => width() === "100%");
  press(icicle(), "Escape");
  await until(() => active() === "all of it, 2.3 s");
});

test("the kinds of work are in the order of the bill, and below it stands the same as a table", () => {
  showStory("recompile_by_treedef", 1200, "Time");
  expect(lines("tbody tr").slice(0, 3)).toEqual(["tracing530 ms23%", "step at In [3]:3530 ms23%", "lowering220 ms10%"]);
});

test.each(STORIES.filter((name) => name !== "nothing"))(
  "in %s each kind of work has one text behind the bar and in the table",
  async (name) => {
    showStory(name, 1400, "Time");
    const rows = [...shown.el.querySelectorAll("tbody tr:has(th b)")];
    const table = rows.map((row) => [...row.querySelectorAll("b, td:first-of-type")].map((cell) => cell.textContent));
    tab(shown.el, "Score");
    shown.el.querySelector<HTMLElement>(".jitviz-bill")?.click();
    await until(() => lines(".jitviz-key li").length);
    expect(lines(".jitviz-key:first-of-type li:has(b)")).toEqual(table.map((row) => row.join(" ")));
  },
);
