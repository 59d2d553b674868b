/**
 * The time axis: seconds to positions on it, and idle stretches folded to a fixed small width.
 *
 * In: when calls began and ended.  Out: `Axis`, monotone maps in both directions; windows on it; ticks.
 * Must never: fold a stretch in which something ran.
 */

import { countBefore } from "../collections.ts";

/** A stretch of the axis, in seconds of the axis (idle time folded), not of the clock. */
export interface Window {
  from: number;
  to: number;
}

export class Axis {
  /** Stretches that are folded, in seconds of the clock. */
  readonly gaps: readonly Window[];
  readonly length: number;
  private readonly cut: number[] = [0];

  constructor(
    readonly duration: number,
    gaps: readonly Window[] = [],
    readonly gapWidth = 0,
  ) {
    this.gaps = gaps;
    for (const gap of gaps) this.cut.push((this.cut.at(-1) ?? 0) + (gap.to - gap.from) - gapWidth);
    this.length = Math.max(duration - (this.cut.at(-1) ?? 0), 1e-9);
  }

  /** The position of a moment. */
  at(time: number): number {
    const behind = countBefore(this.gaps.length, (index) => (this.gaps[index] as Window).from < time);
    const gap = this.gaps[behind - 1];
    if (gap && time < gap.to) {
      const inside = ((time - gap.from) / (gap.to - gap.from)) * this.gapWidth;
      return gap.from - (this.cut[behind - 1] ?? 0) + inside;
    }
    return time - (this.cut[behind] ?? 0);
  }

  /** The moment at a position. */
  time(position: number): number {
    const behind = countBefore(this.gaps.length, (index) => this.at((this.gaps[index] as Window).from) <= position);
    const gap = this.gaps[behind - 1];
    if (!gap) return position;
    const start = this.at(gap.from);
    if (position < start + this.gapWidth) {
      return gap.from + ((position - start) / this.gapWidth) * (gap.to - gap.from);
    }
    return position + (this.cut[behind] ?? 0);
  }
}

/** Stretches of more than `least` seconds in which nothing ran. */
export function findGaps(
  starts: ArrayLike<number>,
  ends: ArrayLike<number>,
  duration: number,
  least: number,
): Window[] {
  const order = Uint32Array.from(starts, (_, index) => index);
  // Calls mostly come in the order they began; sorting what is sorted is cheap.
  order.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
  const gaps: Window[] = [];
  let busyTo = 0;
  const close = (from: number, to: number) => {
    // A margin on both sides keeps bars off the fold.
    const margin = least / 8;
    if (to - from > least) gaps.push({ from: from + margin, to: to - margin });
  };
  for (const index of order) {
    close(busyTo, starts[index] ?? 0);
    busyTo = Math.max(busyTo, ends[index] ?? 0);
  }
  close(busyTo, duration);
  return gaps;
}

/** The same window within 0 and `length`, not narrower than `least`. */
export function keepInside(window: Window, length: number, least: number): Window {
  const width = Math.min(Math.max(window.to - window.from, Math.min(least, length)), length);
  const from = Math.min(Math.max(window.from, 0), length - width);
  return { from, to: from + width };
}

/** The window `factor` times as wide, around a position that stays in place. */
export function zoom(window: Window, factor: number, position: number): Window {
  return { from: position + (window.from - position) * factor, to: position + (window.to - position) * factor };
}

/** About `n` round moments, and the step between them. */
export function ticks(from: number, to: number, n: number): { times: number[]; step: number } {
  const rough = Math.max((to - from) / Math.max(n, 1), 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const times: number[] = [];
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index += 1)
    times.push(index * step);
  return { times, step };
}

/** "1.25 s": in the unit of the latest moment in sight, with as many digits as the step needs. */
export function sayTick(time: number, step: number, latest: number): string {
  const [unit, size] = latest >= 1 ? ["s", 1] : latest >= 1e-3 ? ["ms", 1e-3] : ["µs", 1e-6];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return `${(time / size).toFixed(Math.min(digits, 9))} ${unit}`;
}
