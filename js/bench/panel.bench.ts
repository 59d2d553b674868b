/** How long it takes to paint, measured inside of the page; numbers to look at, not limits to fail at. */

import { bench, describe } from "vitest";
import type { WholePartition } from "../src/schema.ts";
import { leafRowsOf, sift } from "../src/score/leaf_rows.ts";
import { Calls } from "../src/state/calls.ts";
import { readColours } from "../src/timeline/colours.ts";
import { layOut } from "../src/timeline/layout.ts";
import { paint } from "../src/timeline/paint.ts";
import { readPanel } from "../src/wire/messages.ts";
import { askFrom, show, until } from "../test/helpers.ts";
import { manyCalls, manyLeaves } from "../test/made.ts";

/** Whether there is anything in the row of the first lane. */
function isPainted(canvas: HTMLCanvasElement | null): boolean {
  const pixels = canvas?.getContext("2d")?.getImageData(0, 41, canvas.width, 1).data;
  return pixels?.some((value) => value > 0) ?? false;
}

const options = { iterations: 8, time: 500, warmupIterations: 1 };

describe("100 000 calls", () => {
  const panel = manyCalls(100_000);
  const calls = new Calls(panel);
  const layout = layOut(calls, 100, false);
  const canvas = Object.assign(document.createElement("canvas"), { width: 1400, height: 100 });
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const colours = readColours(document.body);
  const scene = {
    calls,
    layout,
    colours,
    width: 1400,
    height: 100,
    scrollTop: 0,
    density: 1,
    chosen: 5,
    marked: [],
    isWanted: () => true,
    hovered: -1,
  };
  let from = 0;

  bench(
    "from the view to the first paint",
    async () => {
      const { el, destroy } = show(panel);
      await until(() => isPainted(el.querySelector("canvas")));
      destroy();
      el.remove();
    },
    options,
  );
  bench("reading the view", () => void readPanel(panel), options);
  bench("laying out with idle time folded", () => void layOut(calls, 100, true), options);
  bench(
    "a step of zoom or pan",
    () => {
      from = (from + 1) % 40;
      paint(context, { ...scene, window: { from, to: from + 30 } });
      // Waits until the paint is there.
      context.getImageData(0, 0, 1, 1);
    },
    options,
  );
});

describe("20 000 leaves", () => {
  const detail = manyLeaves(20_000);
  const whole = detail.inputs as WholePartition;
  const { rows } = leafRowsOf(whole);

  bench("reading the rows", () => void leafRowsOf({ ...whole }), options);
  bench("a key in the filter", () => void sift(rows, "block5 w1"), options);
  bench(
    "the panel with all leaves",
    async () => {
      const { el, destroy } = show(manyCalls(10), askFrom({ "partition compile 1": detail }));
      await until(() => el.querySelector(".jitviz-leaves p")?.textContent?.trim().startsWith("Partition: 20,000"));
      destroy();
      el.remove();
    },
    options,
  );
});
