import { expect, test } from "vitest";
import { Axis, findGaps, keepInside, sayTick, ticks, zoom } from "../src/timeline/axis.ts";

test("without gaps, positions are times", () => {
  const axis = new Axis(10);
  expect([0, 2.5, 10].map((time) => axis.at(time))).toEqual([0, 2.5, 10]);
  expect(axis.length).toBe(10);
});

test("a folded gap takes its fixed width, and time goes on behind it", () => {
  const axis = new Axis(10, [{ from: 2, to: 8 }], 0.5);
  expect([1, 2, 5, 8, 9, 10].map((time) => axis.at(time))).toEqual([1, 2, 2.25, 2.5, 3.5, 4.5]);
  expect(axis.length).toBe(4.5);
});

test("a position maps back to its moment, inside and outside gaps", () => {
  const axis = new Axis(
    20,
    [
      { from: 2, to: 8 },
      { from: 10, to: 15 },
    ],
    0.5,
  );
  for (const time of [0, 1, 2, 3, 7.9, 8, 9, 11, 15, 19.5]) expect(axis.time(axis.at(time))).toBeCloseTo(time, 9);
});

test("gaps are where nothing ran for long enough, with a margin on both sides", () => {
  // The call from 0 to 6 covers the one that ends at 2.
  expect(findGaps([0, 1, 10], [6, 2, 11], 20, 3.2)).toEqual([
    { from: 6.4, to: 9.6 },
    { from: 11.4, to: 19.6 },
  ]);
});

test("calls that are not sorted by their start make no false gap", () => {
  expect(findGaps([5, 0], [9, 5.5], 9, 1)).toEqual([]);
});

test("a window stays inside, and as wide as it was", () => {
  expect(keepInside({ from: -2, to: 3 }, 10, 0.1)).toEqual({ from: 0, to: 5 });
  expect(keepInside({ from: 8, to: 12 }, 10, 0.1)).toEqual({ from: 6, to: 10 });
  expect(keepInside({ from: 4, to: 4 }, 10, 1)).toEqual({ from: 4, to: 5 });
});

test("zooming keeps the place under the pointer", () => {
  expect(zoom({ from: 0, to: 10 }, 0.5, 2)).toEqual({ from: 1, to: 6 });
});

test("ticks are round, and say as many digits as tell them apart", () => {
  const { times, step } = ticks(0, 2.3, 6);
  expect(times.map((time) => sayTick(time, step, 2.3))).toEqual(["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]);
  expect(sayTick(0.00012, 0.00002, 0.0004)).toBe("120 µs");
  expect(sayTick(12.34567, 0.00001, 12.4)).toBe("12.34567 s");
});
