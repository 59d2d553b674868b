/** The names of the lanes; an inner function is indented below its caller. */

import { AXIS, LANE, type Scene } from "./paint.ts";

export function LaneNames({ calls, chosenLane }: Pick<Scene, "calls"> & { chosenLane: number }) {
  const { lanes } = calls.panel.timeline;
  return (
    <ol class="jitviz-lane-names" style={{ paddingTop: `${AXIS}px` }}>
      {lanes.map((lane, index) => (
        <li
          key={index}
          class={index === chosenLane ? "jitviz-lane-name jitviz-chosen" : "jitviz-lane-name"}
          style={{ height: `${LANE}px`, paddingLeft: `${Math.min(lane.depth, 6) * 14}px` }}
          title={lane.thread ? `${lane.name} in ${lane.thread}` : lane.name}
        >
          {lane.depth > 0 && (
            <span class="jitviz-faint" aria-hidden="true">
              └{" "}
            </span>
          )}
          <code>{lane.name}</code>
          {lane.thread && <small class="jitviz-faint">in {lane.thread}</small>}
        </li>
      ))}
    </ol>
  );
}
