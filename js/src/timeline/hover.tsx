/** The card of the call under the pointer. */

import type { Calls } from "../state/calls.ts";
import { nameCall, tellDuration, tellOutcome } from "../words/phrases.ts";

export interface Hover {
  call: number;
  x: number;
  y: number;
}

export function HoverCard({ calls, hover, width }: { calls: Calls; hover: Hover; width: number }) {
  const { call, x, y } = hover;
  const duration = calls.duration(call);
  const phases = calls.phasesOf(call);
  const own = calls.own(call);
  const run = calls.run(call);
  const isLeft = x > width / 2;
  return (
    <div
      class="jitviz-hover"
      aria-hidden="true"
      style={{ top: `${y + 18}px`, [isLeft ? "right" : "left"]: `${isLeft ? width - x : x}px` }}
    >
      <div>
        <code>{calls.functionName(call)}</code> {nameCall(calls, call)}
      </div>
      <div class="jitviz-faint">{tellOutcome(calls, call)}</div>
      <dl>
        {phases.map((phase) => (
          <Line key={phase.name} swatch={phase.name} name={phase.name} value={phase.duration_s} />
        ))}
        {phases.length > 0 && run !== null && <Line swatch="run" name="run" value={run} />}
        {own > 0 && <Line swatch="own" name="jitviz" value={own} />}
        <Line name="whole call" value={duration} />
      </dl>
    </div>
  );
}

function Line({ swatch, name, value }: { swatch?: string; name: string; value: number | null }) {
  return (
    <>
      <dt>
        <span class={swatch ? `jitviz-swatch jitviz-${swatch}` : "jitviz-swatch"} /> {name}
      </dt>
      <dd>{tellDuration(value)}</dd>
    </>
  );
}
