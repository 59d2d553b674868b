/**
 * Which call lies under a point, and which comes next.
 *
 * In: `Calls`, a `Layout`, a place.  Out: the number of a call, -1 for none.
 * Must never: miss a call that is drawn narrower than a pointer is wide.
 */

import type { Calls } from "../calls.ts";
import type { Layout } from "./layout.ts";

/** The call of a lane at a position; of several the shortest, else the nearest one within `reach`. */
export function callAt(calls: Calls, layout: Layout, lane: number, position: number, reach: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let call = 0; call < calls.n; call += 1) {
    if (calls.lane(call) !== lane) continue;
    const from = layout.from[call] as number;
    const to = layout.to[call] as number;
    if (position < from - reach || position > to + reach) continue;
    const distance = Math.max(from - position, position - to, 0);
    // Any call under the pointer is better than one beside it.
    const cost = distance > 0 ? 1e9 + distance : to - from;
    if (cost < least) {
      least = cost;
      best = call;
    }
  }
  return best;
}

/** The call before (-1) or after (1) this one by its start, in any lane; this one where there is none. */
export function callBeside(
  calls: Calls,
  call: number,
  step: 1 | -1,
  isWanted: (call: number) => boolean = () => true,
): number {
  if (call < 0) return step > 0 ? extremeCall(calls, -1) : extremeCall(calls, 1);
  const here = key(calls, call);
  let best = call;
  let bestKey: readonly [number, number] | null = null;
  for (let other = 0; other < calls.n; other += 1) {
    const there = key(calls, other);
    const isBeyond = step * compare(there, here) > 0 && isWanted(other);
    if (isBeyond && (bestKey === null || step * compare(there, bestKey) < 0)) {
      best = other;
      bestKey = there;
    }
  }
  return best;
}

/** The first (-1) or last (1) call. */
export function extremeCall(calls: Calls, side: 1 | -1): number {
  let best = calls.n ? 0 : -1;
  for (let call = 1; call < calls.n; call += 1) {
    if (side * compare(key(calls, call), key(calls, best)) > 0) best = call;
  }
  return best;
}

/** The call of the lane `step` lanes further that begins nearest to this one. */
export function callInLane(calls: Calls, call: number, step: number): number {
  const lanes = calls.panel.timeline.lanes.length;
  for (let lane = calls.lane(call) + step; lane >= 0 && lane < lanes; lane += step) {
    let best = -1;
    for (let other = 0; other < calls.n; other += 1) {
      if (calls.lane(other) !== lane) continue;
      const isNearer =
        Math.abs(calls.start(other) - calls.start(call)) < Math.abs(calls.start(best) - calls.start(call));
      if (best < 0 || isNearer) best = other;
    }
    if (best >= 0) return best;
  }
  return call;
}

function key(calls: Calls, call: number): readonly [number, number] {
  return [calls.start(call), call];
}

function compare(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] - b[0] || a[1] - b[1];
}
