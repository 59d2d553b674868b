/**
 * What the keys do on the timeline.
 *
 * In: the calls, the chosen one, and what can be done.  Out: a handler of key events.
 * Must never: take a key that is not in its table.
 */

import { onKeys } from "../parts/keys.ts";
import type { Calls } from "../state/calls.ts";
import { callBeside, callInLane, extremeCall } from "./nearest.ts";

interface Timeline {
  calls: Calls;
  chosen: number;
  choose(call: number): void;
  panBy(part: number): void;
  zoomBy(factor: number): void;
  showAll(): void;
}

export function timelineKeys({ calls, chosen, choose, panBy, zoomBy, showAll }: Timeline) {
  const isCompile = (call: number) => calls.outcome(call) === "compile";
  return onKeys({
    ArrowLeft: () => choose(callBeside(calls, chosen, -1)),
    ArrowRight: () => choose(callBeside(calls, chosen, 1)),
    p: () => choose(callBeside(calls, chosen, -1, isCompile)),
    n: () => choose(callBeside(calls, chosen, 1, isCompile)),
    ArrowUp: () => choose(callInLane(calls, chosen, -1)),
    ArrowDown: () => choose(callInLane(calls, chosen, 1)),
    Home: () => choose(extremeCall(calls, -1)),
    End: () => choose(extremeCall(calls, 1)),
    "Shift+ArrowLeft": () => panBy(-0.2),
    "Shift+ArrowRight": () => panBy(0.2),
    "+": () => zoomBy(0.5),
    "-": () => zoomBy(2),
    "0": showAll,
  });
}
