/** A compile in progress, as a moving bar with its elapsed time; and a note if the kernel went away. */

import { useEffect, useState } from "preact/hooks";
import { Warning } from "../parts/prose.tsx";
import { type Panel, PHASES } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { seconds } from "../words/numbers.ts";

export type Link = "live" | "gone";

export function Live({ calls, now, link }: { calls: Calls; now: number; link: Link }) {
  const { panel } = calls;
  if (panel.is_finished) return null;
  if (link === "gone") {
    return <Warning role="status">The kernel is gone; this is what it had recorded.</Warning>;
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
          aria-label={`${progressOf(name)} ${lane}`}
        >
          <span aria-hidden="true">
            {progressOf(name)} <code>{lane}</code> … <b>{seconds(Math.max(0, now - start_s))}</b>
          </span>
          <span class="jitviz-progress" aria-hidden="true">
            <span />
          </span>
        </div>
      ))}
    </>
  );
}

function progressOf(name: (typeof PHASES)[number]): string {
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

const STEP_MS = 100;
const CALM_STEP_MS = 1000; // for those who asked their system for less motion

/** The length of the recording so far: what the panel says, plus the time since then while it is live. */
export function useElapsed(panel: Panel, isLive: boolean): number {
  const [now, setNow] = useState(panel.timeline.duration_s);
  useEffect(() => {
    const start = performance.now();
    const { duration_s } = panel.timeline;
    setNow(duration_s);
    if (!isLive) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tick = () => setNow(duration_s + (performance.now() - start) / 1000);
    const timer = setInterval(tick, isCalm ? CALM_STEP_MS : STEP_MS);
    return () => clearInterval(timer);
  }, [panel, isLive]);
  return isLive ? Math.max(now, panel.timeline.duration_s) : panel.timeline.duration_s;
}
