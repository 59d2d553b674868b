/** What is under way, in one line of fixed height with its elapsed time; and a note if the kernel went away. */

import { useEffect, useState } from "preact/hooks";
import { Warning } from "../parts/prose.tsx";
import { type AccountView, type Panel, type Spent, WHATS, type What } from "../schema.ts";
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
  const last = running.at(-1);
  // One line for one number that moves: the innermost phase; those around it are named.
  return (
    <p
      class={`jitviz-live jitviz-live-${last?.name ?? "none"} ${last ? "" : "jitviz-faint"}`}
      role="status"
      aria-label={last ? `${progressOf(last.name)} ${last.lane}` : "recording"}
    >
      <span class="jitviz-pulse" aria-hidden="true" />
      {last ? (
        <span aria-hidden="true">
          {progressOf(last.name)} <code>{last.lane}</code> … <b>{seconds(Math.max(0, now - last.start_s))}</b>
          {running.length > 1 && <span class="jitviz-faint"> inside {running[0]?.lane}</span>}
        </span>
      ) : (
        "recording"
      )}
    </p>
  );
}

function progressOf(what: What): string {
  return what === "trace" ? "tracing" : what === "lower" ? "lowering" : "compiling";
}

/** The phases under way, the outermost first. */
function phasesUnderWay({ panel }: Calls) {
  const { timeline } = panel;
  return Array.from({ length: timeline.phase_call.length }, (_, phase) => ({
    phase,
    name: WHATS[timeline.phase_what[phase] ?? 0] ?? "trace",
    lane: timeline.lanes[timeline.phase_lane[phase] ?? 0]?.name ?? "",
    isMain: !timeline.lanes[timeline.phase_lane[phase] ?? 0]?.thread,
    start_s: timeline.phase_start_s[phase] ?? 0,
    isOver: (timeline.phase_duration_s[phase] ?? -1) >= 0,
  })).filter((phase) => !phase.isOver);
}

/** The account up to now: what went by since it was made belongs to the phase under way, the innermost of its thread. */
export function growAccount(calls: Calls, account: AccountView, now: number): AccountView {
  const last = phasesUnderWay(calls).findLast(({ isMain }) => isMain);
  const more = now - calls.panel.timeline.duration_s;
  if (!last || more <= 0 || calls.panel.is_finished) return account;
  const isOf = ({ what, depth, name }: Spent) => what === last.name && (depth === 0 || name === last.lane);
  const bar = account.bar.map((part) => (isOf(part) ? { ...part, seconds: part.seconds + more } : part));
  return { ...account, bar, wall_s: account.wall_s + more };
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
