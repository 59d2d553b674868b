/** The call under the pointer, in words. */

import type { What } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { seconds } from "../words/numbers.ts";
import { nameCall, nameWhat, tellDuration, tellOutcome } from "../words/phrases.ts";

export interface Hover {
  call: number;
  x: number;
  y: number;
}

export function HoverCard({ calls, hover, width }: { calls: Calls; hover: Hover; width: number }) {
  const { call, x, y } = hover;
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
      <div class="jitviz-faint">
        {tellOutcome(calls, call)} · {tellDuration(calls.duration(call))}
      </div>
      <Parts calls={calls} call={call} />
    </div>
  );
}

/** What the time of a call went into. */
function Parts({ calls, call }: { calls: Calls; call: number }) {
  const parts: [What, string][] = calls.phasesOf(call).map(({ name, duration_s }) => [name, tellDuration(duration_s)]);
  const run = calls.run(call);
  if (parts.length > 0 && run !== null) parts.push(["run", seconds(run)]);
  if (calls.own(call) > 0) parts.push(["jitviz", seconds(calls.own(call))]);
  return (
    <>
      {parts.map(([what, spent]) => (
        <div key={what}>
          <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />
          {nameWhat(what)} {spent}
        </div>
      ))}
    </>
  );
}
