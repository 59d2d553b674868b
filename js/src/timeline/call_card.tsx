/** Calls in words: the chosen one, with buttons for the previous and the next one, and the one under the pointer. */

import type { Calls } from "../state/calls.ts";
import { seconds } from "../words/numbers.ts";
import { nameCall, nameCount, tellCall, tellDuration, tellOutcome } from "../words/phrases.ts";

interface Props {
  calls: Calls;
  call: number;
  onStep(step: 1 | -1): void;
}

export function CallCard({ calls, call, onStep }: Props) {
  const phases = calls.phasesOf(call);
  const version = calls.versionOf(call);
  const duration = calls.duration(call);
  const parent = calls.parent(call);
  const own = calls.own(call);
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
        {phases.map(({ name, duration_s }) => (
          <span key={name}>
            <span class={`jitviz-swatch jitviz-${name}`} aria-hidden="true" />
            {name} {tellDuration(duration_s)}
          </span>
        ))}
        {own > 0 && (
          <span>
            <span class="jitviz-swatch jitviz-own" aria-hidden="true" />
            jitviz {seconds(own)}
          </span>
        )}
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
