/**
 * A compile in progress, as a moving bar with its elapsed time; and a note if the kernel went away.
 */

import { PHASES } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { seconds } from "../words/numbers.ts";

export type Link = "live" | "gone";

export function Live({ calls, now, link }: { calls: Calls; now: number; link: Link }) {
  const { panel } = calls;
  if (panel.is_finished) return null;
  if (link === "gone") {
    return (
      <p class="jitviz-note" role="status">
        <span aria-hidden="true">⚠ </span>The kernel is gone; this is what was seen until then.
      </p>
    );
  }
  const running = phasesUnderWay(calls);
  if (running.length === 0) {
    return (
      <p class="jitviz-live jitviz-faint" role="status">
        <span class="jitviz-pulse" aria-hidden="true" />
        recording
      </p>
    );
  }
  return (
    <>
      {running.map(({ name, lane, phase, start_s }) => (
        <div
          class={`jitviz-live jitviz-live-${name}`}
          key={phase}
          role="status"
          aria-label={`${sayPhase(name)} ${lane}`}
        >
          <span aria-hidden="true">
            {sayPhase(name)} <code>{lane}</code> … <b>{seconds(Math.max(0, now - start_s))}</b>
          </span>
          <span class="jitviz-progress" aria-hidden="true">
            <span />
          </span>
        </div>
      ))}
    </>
  );
}

function sayPhase(name: (typeof PHASES)[number]): string {
  return { trace: "tracing", lower: "lowering", compile: "compiling" }[name];
}

function phasesUnderWay({ panel }: Calls) {
  const { timeline } = panel;
  return Array.from({ length: timeline.phase_call.length }, (_, phase) => ({
    phase,
    name: PHASES[timeline.phase_name[phase] ?? 0] ?? "trace",
    lane: timeline.lanes[timeline.phase_lane[phase] ?? 0]?.name ?? "",
    start_s: timeline.phase_start_s[phase] ?? 0,
    isOver: (timeline.phase_duration_s[phase] ?? -1) >= 0,
  })).filter((phase) => !phase.isOver);
}
