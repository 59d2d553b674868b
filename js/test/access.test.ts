import axe from "axe-core";
import { afterEach, expect, test } from "vitest";
import { button, type Shown, STORIES, showStory, tab, until } from "./helpers.ts";

let shown: Shown;

afterEach(() => {
  shown.destroy();
  shown.el.remove();
  document.body.removeAttribute("style");
});

async function violations(): Promise<string[]> {
  const { violations } = await axe.run(shown.el, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

const grounds = { light: "#ffffff", dark: "#111111" } as const;

for (const theme of ["light", "dark"] as const) {
  test.each(STORIES)(`axe finds nothing in any tab of %s, ${theme}`, async (name) => {
    document.body.style.background = grounds[theme];
    shown = showStory(name);
    await until(() => shown.el.querySelector<HTMLElement>(".jitviz")?.dataset.theme === theme);
    if (shown.el.querySelector("[role=tab]")) {
      button(shown.el, "table").click();
      await until(() => shown.el.querySelector("table"));
      for (const title of ["Timeline", "Versions", "Why", "Notes"]) {
        tab(shown.el, title);
        await until(() => shown.el.querySelector("[role=tab][aria-selected=true]")?.textContent?.startsWith(title));
        expect(await violations(), title).toEqual([]);
      }
    }
    expect(await violations()).toEqual([]);
  });
}

test("tabs are walked with the arrow keys", async () => {
  shown = showStory("recompile_by_treedef");
  const chosen = () => shown.el.querySelector<HTMLElement>("[role=tab][aria-selected=true]") as HTMLElement;
  for (const expected of ["Versions", "Why", "Notes", "Timeline"]) {
    chosen().dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await until(() => chosen().textContent?.startsWith(expected));
    expect(document.activeElement).toBe(chosen());
  }
});

test("everything that can be clicked can be reached by key", () => {
  shown = showStory("recompile_by_treedef");
  const parts = [...shown.el.querySelectorAll<HTMLElement>("button, input, [role=application], [role=tree]")];
  const unreachable = parts.filter((part) => part.tabIndex < 0 && part.getAttribute("role") !== "tab");
  expect(unreachable).toEqual([]);
});
