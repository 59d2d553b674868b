/** The names of the lanes; an inner function stands indented under the one that called it. */

import type { Calls } from "../calls.ts";
import { AXIS, LANE } from "./paint.ts";

export function LaneNames({ calls, chosenLane }: { calls: Calls; chosenLane: number }) {
  const { lanes } = calls.panel.timeline;
  const main = lanes[0]?.thread;
  return (
    <ol class="jitviz-lane-names" style={{ paddingTop: `${AXIS}px` }}>
      {lanes.map((lane, index) => (
        <li
          key={index}
          class={index === chosenLane ? "jitviz-lane-name jitviz-chosen" : "jitviz-lane-name"}
          style={{ height: `${LANE}px`, paddingLeft: `${Math.min(lane.depth, 6) * 14}px` }}
          title={`${lane.function} in ${lane.thread}`}
        >
          {lane.depth > 0 && (
            <span class="jitviz-faint" aria-hidden="true">
              └{" "}
            </span>
          )}
          <code>{lane.function}</code>
          {lane.thread !== main && <small class="jitviz-faint">in {lane.thread}</small>}
        </li>
      ))}
    </ol>
  );
}
