/**
 * Finds the call under a point, and the next call.
 *
 * In: `Calls`, a `Layout`, a place.  Out: the number of a call, -1 for none.
 * Must never: miss a call that is drawn narrower than a pointer is wide.
 */

import type { Calls } from "../state/calls.ts";
import type { Layout } from "./layout.ts";

/** The call of a lane at a position; of several the shortest, else the nearest one within `reach`. */
export function callAt(calls: Calls, layout: Layout, lane: number, position: number, reach: number): number {
  return leastCall(calls, (call) => {
    const from = layout.from[call] as number;
    const to = layout.to[call] as number;
    if (calls.lane(call) !== lane || position < from - reach || position > to + reach) return Infinity;
    const distance = Math.max(from - position, position - to, 0);
    // Any call under the pointer is better than one beside it.
    return distance > 0 ? 1e9 + distance : to - from;
  });
}

/** The call before (-1) or after (1) this one by its start, in any lane; this one where there is none. */
export function callBeside(
  calls: Calls,
  call: number,
  step: 1 | -1,
  isWanted: (call: number) => boolean = () => true,
): number {
  if (call < 0) return extremeCall(calls, step > 0 ? -1 : 1);
  const here = calls.start(call);
  const isBeyond = (other: number) => step * (calls.start(other) - here || other - call) > 0;
  const cost = (other: number) => (isBeyond(other) && isWanted(other) ? step * calls.start(other) : Infinity);
  const beside = leastCall(calls, cost, step);
  return beside < 0 ? call : beside;
}

/** The first (-1) or last (1) call. */
export function extremeCall(calls: Calls, side: 1 | -1): number {
  return leastCall(calls, (call) => -side * calls.start(call), side > 0 ? -1 : 1);
}

/** The call of the lane `step` lanes further that begins nearest to this one. */
export function callInLane(calls: Calls, call: number, step: number): number {
  const lanes = calls.panel.timeline.lanes.length;
  for (let lane = calls.lane(call) + step; lane >= 0 && lane < lanes; lane += step) {
    const distance = (other: number) => Math.abs(calls.start(other) - calls.start(call));
    const nearest = leastCall(calls, (other) => (calls.lane(other) === lane ? distance(other) : Infinity));
    if (nearest >= 0) return nearest;
  }
  return call;
}

/** The call with the least cost; of equals the first (1) or last (-1). A call of infinite cost is never returned. */
function leastCall(calls: Calls, costOf: (call: number) => number, order: 1 | -1 = 1): number {
  let best = -1;
  let least = Infinity;
  for (let at = 0; at < calls.n; at += 1) {
    const call = order > 0 ? at : calls.n - 1 - at;
    const cost = costOf(call);
    if (cost < least) {
      least = cost;
      best = call;
    }
  }
  return best;
}
