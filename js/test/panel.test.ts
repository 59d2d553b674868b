import { expect, test, vi } from "vitest";
import { askFrom, button, golden, lines, STORIES, show, shown, showStory, tab, until } from "./helpers.ts";

test("without findings the verdict is one sentence with its advice", async () => {
  showStory("recompile_by_treedef");
  const { view } = golden("recompile_by_treedef");
  const sentence = [{ text: "step compiled once.", is_code: false, is_strong: false, path: "", compile: -1 }];
  shown.update({ ...view, findings: [], verdict: { ...view.verdict, title: sentence, advice: "Pad `x`." } });
  await until(() => lines(".jitviz-title").length);
  expect(lines(".jitviz-title")).toEqual(["step compiled once."]);
  expect(lines(".jitviz-verdict .jitviz-advice")).toEqual(["→ Pad x."]);
});

test("the culprit of a finding leads to its leaf", async () => {
  showStory("recompile_by_treedef");
  tab(shown.el, "Score");
  await until(() => lines(".jitviz-finding").length);
  button(shown.el, "opt_state[0].trace.index").click();
  await until(() => lines(".jitviz-leaf-line").length);
  expect(lines(".jitviz-leaf-line > code:first-child")).toEqual(["opt_state[0].trace.index"]);
});

test("the verdict links to the leaf of its own function, even if another function has the same name", async () => {
  showStory("namesakes");
  const isEvaluates = () => expect(lines(".jitviz-leaves")[0]).toContain("became f32[7]");
  await until(() => lines(".jitviz-leaves tr").length);
  isEvaluates();
  tab(shown.el, "Score");
  await until(() => lines(".jitviz-finding").length);
  button(shown.el, "x").click();
  await until(() => lines(".jitviz-leaf-line > code:first-child")[0] === "x");
  isEvaluates();
});

test("two functions with one name show their own trees, and only threads other than the main one are named", async () => {
  showStory("namesakes");
  expect(lines(".jitviz-lane-name")).toEqual(["stepin loader", "step"]);
});

test("notes have their own tab where there are any", async () => {
  const { view } = golden("recompile_by_treedef");
  show(view, askFrom({}), 1200, "");
  expect(lines("[role=tab]")).toEqual(["Score", "Time", "Program"]);
  shown.update({ ...view, limits: ["Hits are not seen."] });
  await until(() => lines("[role=tab]").length === 4);
  tab(shown.el, "Notes");
  await until(() => lines(".jitviz-notes section").length);
  expect(lines(".jitviz-notes section")[0]).toBe("LimitsHits are not seen.");
});

test("an empty cell says so, and how to begin", () => {
  showStory("nothing");
  expect(lines(".jitviz-title")).toEqual(["No jitted call ran in this cell"]);
  expect(lines(".jitviz-advice")[0]).toContain("%%filterjit -f NAME");
  expect(shown.el.querySelector("[role=tab]")).toBeNull();
});

test("an error comes first, and the timeline is still there", () => {
  showStory("error_in_trace");
  expect(lines(".jitviz-title")).toEqual(["Model.loss raised TypeError"]);
  expect(lines(".jitviz-subline")[0]).toMatch(/^dot_general requires/);
  expect(shown.el.querySelector(".jitviz-level-error")).not.toBeNull();
  expect(lines(".jitviz-legend li").at(-1)).toContain("error");
});

test("a compile under way is a bar with its elapsed time that goes on", async () => {
  showStory("still_compiling");
  const first = await until(() => lines(".jitviz-live")[0]);
  expect(first).toMatch(/^compiling step … 1\d s$|^compiling step … 1\d\.\d s$/);
  const label = () => shown.el.querySelector(".jitviz-live b")?.textContent;
  const old = label();
  await until(() => label() !== old);
});

test("between two panels it says what runs by now, and how many compiles there were; without news the clock stops", async () => {
  showStory("still_compiling");
  await until(() => lines(".jitviz-live")[0]);
  const inside = { function: "rms", inside: "step" };
  shown.hear({ at_s: 40, compiles: 31, what: "trace", since_s: 39.5, ...inside });
  await until(() => /^tracing rms … \S+ m?s inside step · 31 compiles so far$/.test(lines(".jitviz-live")[0] ?? ""));
  const later = performance.now() + 7000;
  vi.spyOn(performance, "now").mockImplementation(() => later);
  await until(() => lines(".jitviz-live")[0]?.endsWith(" · as of 7 s ago"));
  expect(lines(".jitviz-live b")).toEqual(["3.5 s"]);
  vi.restoreAllMocks();
  shown.hear({ at_s: 47, compiles: 32 });
  await until(() => lines(".jitviz-live")[0] === "recording · 32 compiles so far");
});

test("while it runs the panel keeps its height from the first second on, and one number goes on, also in the bill", async () => {
  const { view } = golden("still_compiling");
  const { timeline, findings, functions, verdict } = golden("recompile_by_treedef").view;
  const height = () => shown.el.querySelector("section")?.getBoundingClientRect().height;
  show({ ...view, functions: [] });
  const heights = new Set([height()]);
  const frames = [{ findings }, { functions }, { verdict }, { timeline: { ...timeline, duration_s: 9 } }];
  for (const [place, frame] of frames.entries()) {
    shown.update({ ...view, ...frame });
    await until(() => lines(".jitviz-live").length === 1);
    heights.add(height());
    if (place === 0) {
      shown.el.querySelector<HTMLElement>(".jitviz-bill")?.click();
      await until(() => lines(".jitviz-key li").length);
      const compiling = () => lines(".jitviz-key li").find((line) => line.startsWith("XLA"));
      const before = compiling();
      await until(() => compiling() !== before);
    }
  }
  expect([...heights]).toEqual([480]);
});

test("when the kernel is gone the panel says so", async () => {
  showStory("still_compiling");
  shown.tell("gone");
  await until(() => lines("[role=status]").includes("⚠ The kernel is gone; this is what it had recorded."));
  expect(shown.el.querySelector(".jitviz-live")).toBeNull();
});

test("the chosen call stays chosen when the recording grows", async () => {
  const { view } = golden("recompile_by_treedef");
  show({ ...view, is_finished: false });
  button(shown.el, "next call").click();
  await until(() => lines(".jitviz-page h2")[0]?.includes("calls 3"));
  shown.update({ ...view, label: "later" });
  await until(() => lines(".jitviz-live").length === 0);
  expect(lines(".jitviz-page h2")[0]).toContain("calls 3");
});

test("an answer that was refused says why, and can be requested again", async () => {
  let isBusy = true;
  const { view, answers } = golden("recompile_by_treedef");
  show(view, async () => {
    if (isBusy) throw new Error("The kernel did not answer within 60 s.");
    return answers["partition compile 1"] as never;
  });
  await until(() =>
    lines("[role=status]").includes("Only some leaves are here. The kernel did not answer within 60 s. Ask again"),
  );
  expect(lines(".jitviz-leaves tbody tr").length).toBeGreaterThan(0);
  isBusy = false;
  button(shown.el, "Ask again").click();
  await until(() => lines("[role=status]").every((said) => !said.includes("Ask again")));
});

test("the panel says that it waits for a busy kernel", async () => {
  show(golden("recompile_by_treedef").view, () => new Promise(() => {}));
  await until(() => lines("[role=status]").includes("The kernel is busy; all leaves will follow."));
});

test("a view that cannot be drawn says so", async () => {
  show({ label: "x" });
  await until(() => lines("[role=alert]")[0]?.startsWith("⚠ This panel could not be drawn: TypeError"));
});

test("the user's texts stay text, in every tab", async () => {
  showStory("nasty");
  for (const name of ["Program", "Time", "Score"]) {
    tab(shown.el, name);
    await until(() => shown.el.querySelector(`[role=tab][aria-selected=true]`)?.textContent?.startsWith(name));
    expect(shown.el.querySelector("img, script, [onerror]")).toBeNull();
    expect(shown.el.textContent).toContain("</script><img src=x onerror=alert(1)>");
  }
});

test.each(STORIES)("%s is drawn at any width without a scroll bar of its own", async (name) => {
  showStory(name, 600);
  await until(() => shown.el.querySelector(".jitviz-verdict"));
  for (const tab of [null, ...shown.el.querySelectorAll<HTMLElement>("[role=tab]")]) {
    tab?.click();
    await until(() => !tab || tab.getAttribute("aria-selected") === "true");
    // Rows and leaves come a moment later.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(shown.el.querySelector<HTMLElement>(".jitviz")?.scrollWidth).toBeLessThanOrEqual(600);
  }
});

test.each([380, 600, 900, 1800])("long names without spaces do not widen a panel of %i px", async (width) => {
  const long = "evaluate_the_loss_of_the_whole_model_on_all_of_the_batches_with_gradients_and_metrics";
  const { view, answers } = golden("recompile_by_treedef");
  const say = (text: string) =>
    JSON.parse(text.replaceAll('"step"', `"${long}"`).replaceAll("In [3]:3", `${long}.py:3`));
  show(say(JSON.stringify(view)), askFrom(say(JSON.stringify(answers))), width);
  const panel = () => shown.el.querySelector<HTMLElement>(".jitviz") as HTMLElement;
  await until(() => lines(".jitviz-page h2").length);
  const wide: string[] = [];
  for (const one of ["Score", "Time", "Program", "Graph", "Diff", "Cost"]) {
    tab(shown.el, one);
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (panel().scrollWidth > width) wide.push(`${one}: ${panel().scrollWidth}`);
  }
  expect(wide).toEqual([]);
});

test("nothing touches the edge, where Notebook 7 would clip it in a narrow window", async () => {
  showStory("recompile_by_treedef", 700);
  const edge = shown.el.getBoundingClientRect().left;
  const first = shown.el.querySelectorAll(".jitviz-title, [role=tab], h2, [role=rowheader]");
  expect(Math.min(...[...first].map((one) => one.getBoundingClientRect().left - edge))).toBeGreaterThanOrEqual(4);
});

test("the panel is light or dark like its background", async () => {
  showStory("recompile_by_treedef");
  const theme = () => shown.el.querySelector<HTMLElement>(".jitviz")?.dataset.theme;
  await until(() => theme() === "light");
  document.body.style.background = "#101418";
  await until(() => theme() === "dark");
  document.body.removeAttribute("style");
  await until(() => theme() === "light");
});

test("of the head, one line, the kinds of work and the tabs stay at the top of another tab than the score", async () => {
  const head = () => shown.el.querySelector<HTMLElement>("[role=tablist]")?.parentElement as HTMLElement;
  for (const [width, most_px] of [
    [1200, 110],
    [380, 150],
  ] as const) {
    showStory("recompile_by_treedef", width, "Time");
    await until(() => lines("tbody tr").length);
    expect(head().offsetHeight).toBeLessThan(most_px);
    shown.el.style.cssText += "height: 180px; overflow: auto";
    shown.el.scrollTop = 90;
    const { top } = shown.el.getBoundingClientRect();
    expect(shown.el.scrollTop).toBeGreaterThan(0);
    expect(head().getBoundingClientRect().top).toBeCloseTo(top, 0);
  }
});
