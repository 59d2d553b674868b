import { beforeEach, expect, test } from "vitest";
import type { Lane } from "../src/schema.ts";
import { button, golden, lines, press, shown, showStory, tab, until } from "./helpers.ts";
import { manyCalls } from "./made.ts";

const element = (selector: string) => shown.el.querySelector<HTMLElement>(selector) as HTMLElement;
const canvas = () => element("canvas") as HTMLCanvasElement;
const chosen = () => lines(".jitviz-timeline [aria-live]")[0];
const isZoomed = () => !(element("[title='show all (0)']") as HTMLButtonElement).disabled;
const timeline = () => element("[role=application]");

beforeEach(async () => {
  showStory("recompile_by_treedef");
  await until(() => canvas().width > 300);
});

/** The picture as numbers: two pictures are the same exactly when these are. */
function picture(): string {
  return canvas().toDataURL();
}

function point(type: string, x: number, y: number, more: PointerEventInit = {}): void {
  const box = canvas().getBoundingClientRect();
  const place = { clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1, ...more };
  canvas().dispatchEvent(new PointerEvent(type, place));
}

/** Where a moment of the whole recording lies; one hundredth of it is left free on both sides. */
function xOf(time: number): number {
  const { duration_s } = golden("recompile_by_treedef").view.timeline;
  return (((time + duration_s * 0.01) / duration_s) * canvas().clientWidth) / 1.02;
}

test("each phase is painted in its colour, as wide as it was long", () => {
  const context = canvas().getContext("2d") as CanvasRenderingContext2D;
  const [width, density] = [canvas().width, devicePixelRatio];
  const { data } = context.getImageData(0, 36 * density, width, 10 * density);
  /** The part of the width in which a column has a pixel of this colour. */
  const shareOf = (red: number, green: number, blue: number) => {
    const columns = new Set<number>();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255)
        columns.add((at / 4) % width);
    }
    return columns.size / width;
  };
  const whole = 1.02 * 2.3;
  // Compile is solid; the patterns of the others leave some columns free.
  expect(shareOf(59, 69, 80)).toBeCloseTo((0.62 + 0.51) / whole, 1);
  expect(shareOf(183, 192, 201)).toBeGreaterThan(0.5 * ((0.31 + 0.22) / whole));
  expect(shareOf(104, 115, 127)).toBeGreaterThan(0.2 * ((0.12 + 0.1) / whole));
});

test("at first the culprit's call is chosen", () => {
  expect(chosen()).toBe("call 2 of step, compile, version 2, 840 ms, trace 220 ms, lower 100 ms, compile 510 ms");
});

test("the keyboard goes from call to call, and to both ends", async () => {
  for (const [key, expected] of [
    ["ArrowRight", "call 3 of step, hit of version 2, 6.0 ms"],
    ["End", "call 12 of step, hit of version 2, 6.0 ms"],
    ["ArrowRight", "call 12 of step, hit of version 2, 6.0 ms"],
    ["Home", "call 1 of step, compile, version 1, 1.1 s, trace 310 ms, lower 120 ms, compile 620 ms"],
    ["ArrowLeft", "call 1 of step, compile, version 1, 1.1 s, trace 310 ms, lower 120 ms, compile 620 ms"],
  ] as const) {
    press(timeline(), key);
    await until(() => chosen() === expected);
  }
});

test("n and p go to the next and the previous compile, past all hits", async () => {
  const [first, second] = ["call 1 of step, compile, version 1", "call 2 of step, compile, version 2"];
  press(timeline(), "End");
  await until(() => chosen()?.startsWith("call 12 of step, hit"));
  for (const [key, expected] of [
    ["p", second],
    ["p", first],
    ["p", first],
    ["n", second],
  ] as const) {
    press(timeline(), key);
    await until(() => chosen()?.startsWith(expected));
  }
});

test("up and down go to the lane beside", async () => {
  shown.update(manyCalls(10));
  await until(() => lines(".jitviz-lane-name").length === 2);
  press(timeline(), "Home");
  await until(() => chosen()?.startsWith("call 1 of step"));
  press(timeline(), "ArrowDown");
  await until(() => chosen()?.startsWith("call 1 of inner"));
  press(timeline(), "ArrowUp");
  await until(() => chosen()?.startsWith("call 1 of step"));
});

test("only keys of the timeline are kept from the notebook", () => {
  const seen: string[] = [];
  const listen = (event: KeyboardEvent) => seen.push(event.key);
  document.addEventListener("keydown", listen);
  for (const key of ["ArrowLeft", "+", "0", "a", "Enter", "Escape"]) press(timeline(), key);
  press(timeline(), "ArrowLeft", { ctrlKey: true });
  document.removeEventListener("keydown", listen);
  expect(seen).toEqual(["a", "Enter", "Escape", "ArrowLeft"]);
});

test("a click chooses the call under it, and its page follows", async () => {
  point("pointerdown", xOf(0.5), 41);
  point("pointerup", xOf(0.5), 41);
  await until(() => chosen()?.startsWith("call 1 of step"));
  await until(() => lines(".jitviz-page h2")[0]?.startsWith("step call 1: compile, version 1"));
});

test("a click beside a narrow hit still finds it", async () => {
  point("pointerdown", xOf(2.1) + 3, 41);
  point("pointerup", xOf(2.1) + 3, 41);
  await until(() => chosen()?.startsWith("call 7 of step, hit"));
});

test("the calls that a leaf caused have an arrow while the leaf is selected", async () => {
  const old = picture();
  await until(() => lines(".jitviz-leaves tbody tr").length === 2);
  button(shown.el, "only what changed").click();
  await until(() => lines(".jitviz-leaves tbody tr").length > 2);
  button(shown.el, "lr").click();
  await until(() => picture() !== old);
  const without = picture();
  button(shown.el, "opt_state[0].count").click();
  await until(() => picture() === old && without !== old);
});

test("hovering shows the phases of a call, leaving hides them", async () => {
  point("pointermove", xOf(0.5), 41);
  await until(() => lines(".jitviz-hover").length);
  expect(lines(".jitviz-hover > div")).toEqual([
    "step call 1",
    "compile, version 1 · 1.1 s",
    ...["trace 310 ms", "lower 120 ms", "compile 620 ms", "run 10 ms"],
  ]);
  point("pointerleave", 0, 0);
  await until(() => lines(".jitviz-hover").length === 0);
});

test("a brushed stretch fills the picture, and 0 shows all again", async () => {
  const whole = picture();
  point("pointerdown", xOf(2.0), 41);
  point("pointermove", xOf(2.1), 41);
  await until(() => element(".jitviz-brush"));
  point("pointerup", xOf(2.1), 41);
  await until(isZoomed);
  expect(lines(".jitviz-window")).toEqual(["2.0 s to 2.1 s of 2.3 s"]);
  expect(picture()).not.toBe(whole);
  press(timeline(), "0");
  await until(() => picture() === whole);
});

/** Where the window begins and ends, in seconds. */
const shownWindow = () => {
  const [from = 0, to = 0] = (lines(".jitviz-window")[0]?.match(/[\d.]+ m?s/g) ?? []).map((said) =>
    said.endsWith("ms") ? Number.parseFloat(said) / 1000 : Number.parseFloat(said),
  );
  return { from, to };
};

test("plus and minus zoom, shift and arrows pan", async () => {
  press(timeline(), "+");
  await until(isZoomed);
  const said = lines(".jitviz-window")[0];
  const before = shownWindow();
  press(timeline(), "+");
  await until(() => shownWindow().from > before.from);
  press(timeline(), "-");
  await until(() => lines(".jitviz-window")[0] === said);
  press(timeline(), "ArrowRight", { shiftKey: true });
  await until(() => shownWindow().from > before.from);
});

test("a zoom is kept when another tab is opened", async () => {
  press(timeline(), "+");
  await until(isZoomed);
  const said = lines(".jitviz-window")[0];
  tab(shown.el, "Time");
  await until(() => !shown.el.querySelector(".jitviz-lanes"));
  tab(shown.el, "Timeline");
  await until(() => lines(".jitviz-window")[0] === said);
});

test("the wheel zooms with Ctrl, and scrolls the notebook without", async () => {
  const wheel = (more: WheelEventInit) => {
    const event = new WheelEvent("wheel", { bubbles: true, cancelable: true, deltaY: -200, ...more });
    canvas().dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(wheel({})).toBe(false);
  expect(isZoomed()).toBe(false);
  expect(wheel({ ctrlKey: true })).toBe(true);
  await until(isZoomed);
});

test("a call that is chosen by key scrolls into view", async () => {
  for (const least of [0.4, 0.8, 0.9]) {
    press(timeline(), "+");
    await until(() => shownWindow().from > least);
  }
  press(timeline(), "End");
  await until(() => shownWindow().from > 1.8);
  press(timeline(), "Home");
  await until(() => shownWindow().from < 0.6);
});

test("idle time is folded on request", async () => {
  const { view } = golden("recompile_by_treedef");
  const call_start_s = Array.from(view.timeline.call_start_s, (start, call) => start + (call > 5 ? 100 : 0));
  shown.update({ ...view, timeline: { ...view.timeline, duration_s: 102.3, call_start_s } });
  await until(() => lines("[role=application]").length);
  const unfolded = picture();
  button(shown.el, "hide idle time").click();
  await until(() => button(shown.el, "hide idle time").getAttribute("aria-pressed") === "true");
  await until(() => picture() !== unfolded);
});

/** As many lanes as that, each with one call. */
function manyLanes(n: number) {
  const { view } = golden("recompile_by_treedef");
  const lanes = Array.from({ length: n }, (_, at) => ({ ...(view.timeline.lanes[0] as Lane), name: `layer_${at}` }));
  const call_lane = Array.from(view.timeline.call_lane, (_, call) => call * 4);
  return { ...view, timeline: { ...view.timeline, lanes, call_lane } };
}

test("the lane of the chosen call is in sight, and how many are not is said", async () => {
  shown.update(manyLanes(60));
  await until(() => lines(".jitviz-lane-name").length === 60);
  expect(lines(".jitviz-more-lanes button")).toEqual(["49 more lanes below"]);
  press(timeline(), "End");
  await until(() => lines(".jitviz-more-lanes button").length === 2);
  expect(lines(".jitviz-more-lanes button")).toEqual(["39 more lanes above", "10 more lanes below"]);
  tab(shown.el, "Time");
  await until(() => !shown.el.querySelector(".jitviz-lanes"));
  tab(shown.el, "Timeline");
  await until(() => lines(".jitviz-more-lanes button")[0] === "39 more lanes above");
  button(shown.el, "39 more lanes above").click();
  await until(() => lines(".jitviz-more-lanes button")[0] === "28 more lanes above");
});

test("the scroll position of the lanes is kept when another tab is opened", async () => {
  const { view } = golden("recompile_by_treedef");
  const lanes = Array.from({ length: 40 }, () => view.timeline.lanes[0] as Lane);
  shown.update({ ...view, timeline: { ...view.timeline, lanes } });
  await until(() => lines(".jitviz-lane-name").length === 40);
  element(".jitviz-scroll").scrollTop = 200;
  await until(() => element(".jitviz-scroll").scrollTop === 200);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  tab(shown.el, "Time");
  await until(() => !shown.el.querySelector(".jitviz-lanes"));
  tab(shown.el, "Timeline");
  await until(() => element(".jitviz-scroll").scrollTop === 200);
});
