/** Calls in words: the chosen one, with buttons for the previous and the next one, and the one under the pointer. */

import type { What } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { seconds } from "../words/numbers.ts";
import { nameCall, nameCount, nameWhat, tellCall, tellDuration, tellOutcome } from "../words/phrases.ts";

interface Props {
  calls: Calls;
  call: number;
  onStep(step: 1 | -1): void;
}

export function CallCard({ calls, call, onStep }: Props) {
  const version = calls.versionOf(call);
  const duration = calls.duration(call);
  const parent = calls.parent(call);
  return (
    <div class="jitviz-call">
      <p class="jitviz-hidden" aria-live="polite">
        {tellCall(calls, call)}
      </p>
      <div class="jitviz-bar">
        <div>
          <code>{calls.functionName(call)}</code> <b>{nameCall(calls, call)}</b>
          <span class="jitviz-faint"> {nameCount(calls, call)}</span> · {tellOutcome(calls, call)}
          {duration !== null && ` · ${seconds(duration)}`}
        </div>
        <span class="jitviz-tools">
          <button type="button" aria-label="previous call" title="previous call (←)" onClick={() => onStep(-1)}>
            ←
          </button>
          <button type="button" aria-label="next call" title="next call (→)" onClick={() => onStep(1)}>
            →
          </button>
        </span>
      </div>
      <div class="jitviz-facts">
        <Parts calls={calls} call={call} />
        {version !== null && calls.callOf(version) === call && version.source && (
          <span class="jitviz-faint">
            called at <code>{version.source}</code>
          </span>
        )}
        {parent >= 0 && (
          <span class="jitviz-faint">
            inside <code>{calls.functionName(parent)}</code> {nameCall(calls, parent)}
          </span>
        )}
        <span class="jitviz-faint">started at {seconds(calls.start(call))}</span>
      </div>
    </div>
  );
}

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
