import axe from "axe-core";
import { afterEach, beforeAll, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { button, emulate, golden, lines, STORIES, show, shown, showStory, tab, texts, until } from "./helpers.ts";
import { provideCode, showProgram } from "./programs.ts";

beforeAll(provideCode);

afterEach(() => emulate());

async function violations(): Promise<string[]> {
  const { violations } = await axe.run(shown.el, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

const grounds = { light: "#ffffff", dark: "#111111", forced: "" } as const;
const themes = ["light", "dark", "forced"] as const;

/** Puts the page into a theme. */
async function wear(theme: (typeof themes)[number]): Promise<void> {
  document.body.style.background = grounds[theme];
  if (theme === "forced") await emulate("dark", "active");
}

for (const theme of themes) {
  test.each(STORIES)(`axe finds nothing in any tab of %s, ${theme}`, async (name) => {
    await wear(theme);
    showStory(name);
    await until(() => shown.el.querySelector<HTMLElement>(".jitviz")?.dataset.theme === theme);
    if (shown.el.querySelector("[role=tab]")) {
      await until(() => shown.el.querySelector("canvas"));
      expect(await violations(), "by time").toEqual([]);
      for (const title of texts(shown.el, "[role=tab]")) {
        tab(shown.el, title);
        await until(() => shown.el.querySelector("[role=tab][aria-selected=true]")?.textContent?.startsWith(title));
        for (const one of shown.el.querySelectorAll<HTMLElement>("[aria-expanded=false], summary")) one.click();
        expect(await violations(), title).toEqual([]);
      }
    }
    expect(await violations()).toEqual([]);
  });
}

for (const theme of themes) {
  test(`axe finds nothing in any view of a program, ${theme}`, async () => {
    await wear(theme);
    showProgram();
    await until(() => shown.el.querySelector<HTMLElement>(".jitviz")?.dataset.theme === theme);
    (await until(() => button(shown.el, "side by side"))).click(); // the timeline, too, has a button "all"
    button(shown.el, "all").click();
    (await until(() => button(shown.el, "calls at In [3]:5"))).click();
    for (const [from, line, to] of [
      ["hlo", 11, "source"],
      ["source", 3, "jaxpr"],
    ]) {
      const place = `.jitviz-pane-${from} .cm-line:nth-child(${line})`;
      await userEvent.click(await until(() => shown.el.querySelector<HTMLElement>(place)));
      await until(() => shown.el.querySelector(`.jitviz-pane-${to} .jitviz-line-highlighted`));
      expect(await violations(), `Code, from ${from}`).toEqual([]);
    }
    for (const [view, sign] of [
      ["Graph", "[role=tabpanel] [role=tabpanel] > *"],
      ["Diff", ".cm-changedLine"],
      ["Cost", "dt"],
    ] as const) {
      tab(shown.el, view);
      await until(() => shown.el.querySelector(sign));
      expect(await violations(), view).toEqual([]);
    }
  });
}

test("the arrow keys go through the tabs", async () => {
  showStory("recompile_by_treedef");
  const chosen = () => shown.el.querySelector<HTMLElement>("[role=tab][aria-selected=true]") as HTMLElement;
  for (const expected of ["Time", "Program", "Score"]) {
    chosen().dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await until(() => chosen().textContent?.startsWith(expected));
    expect(document.activeElement).toBe(chosen());
  }
});

test("everything that can be clicked can be reached by key", () => {
  showStory("recompile_by_treedef");
  const parts = [...shown.el.querySelectorAll<HTMLElement>("button, input, [role=application], [role=grid]")];
  const isByArrow = (part: Element) => part.getAttribute("role") === "tab" || part.closest(".jitviz-bill") !== null;
  const unreachable = parts.filter((part) => part.tabIndex < 0 && !isByArrow(part));
  expect(unreachable).toEqual([]);
});

test("of several panels on a page, each is named by its cells, and no landmark has the name of another", async () => {
  const { view } = golden("recompile_by_treedef");
  const bands = ["In [3]", "In [4]"].map((label) => ({ ...view.timeline.bands[0], label }));
  const panels = [bands.slice(0, 1), bands.slice(1), bands].map((mine) =>
    show({ ...view, label: mine.map(({ label }) => label).join(", "), timeline: { ...view.timeline, bands: mine } }),
  );
  const names = panels.map(({ el }) => el.querySelector(".jitviz section")?.ariaLabel);
  expect(names).toEqual(["jitviz of In [3]", "jitviz of In [4]", "jitviz of In [3], In [4]"]);
  for (const title of ["Time", "Score"]) {
    for (const { el } of panels) tab(el, title);
    const isOpen = (one: Element) => one.textContent?.startsWith(title);
    await until(() => [...document.querySelectorAll("[role=tab][aria-selected=true]")].every(isOpen));
    const { violations } = await axe.run(document, { runOnly: ["landmark-unique"] });
    expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 160)))).toEqual([]);
  }
});

test("a value that runs from right to left stays before the one it changed to", () => {
  const { view } = golden("recompile_by_treedef");
  const [home] = view.functions;
  const versions = home?.versions.map((version) => ({
    ...version,
    reasons: version.reasons.map((reason) => ({ ...reason, before: "'שלום'", after: "'עולם'" })),
  }));
  show({ ...view, findings: [], functions: [{ ...home, versions }] }, undefined, 1200);
  const [before, after] = ["del", "ins"].map((tag) => shown.el.querySelector(tag)?.getBoundingClientRect());
  expect(before?.right).toBeLessThan(after?.left ?? 0);
});

test("in a narrow panel the words about a program take the whole width", async () => {
  const { el } = showStory("recompile_by_treedef", 300, "Program");
  const words = await until(() => el.querySelector<HTMLElement>(".jitviz-explanation-words"));
  expect(words.offsetWidth).toBeGreaterThan(250);
});

test("notes set code as code", () => {
  const { view } = golden("only_hits");
  show({ ...view, limits: [], not_kept: "`jitviz.show(recording)` computes them." }, undefined, 1200, "Notes");
  expect(lines(".jitviz-notes code")).toEqual(["jitviz.show(recording)"]);
});
