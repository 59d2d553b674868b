/** What is under way, in one line of fixed height with its elapsed time, which stops without news; and a note if the kernel went away. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { Warning } from "../parts/prose.tsx";
import { type AccountView, type Panel, type Spent, WHATS, type What } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { count, seconds } from "../words/numbers.ts";

export type Link = "live" | "gone";

/** What the kernel says between two panels, in seconds since the recording began, and when that was heard. */
export interface Progress {
  at_s: number;
  compiles: number;
  what?: What;
  since_s?: number;
  function?: string;
  inside?: string;
  heard_ms: number;
}

/** Without news for longer than this, nobody knows what runs. */
const PATIENCE_S = 3;

interface Props {
  calls: Calls;
  clock: Clock;
  link: Link;
  progress: Progress | null;
}

export function Live({ calls, clock, link, progress }: Props) {
  const { panel } = calls;
  if (panel.is_finished) return null;
  if (link === "gone") {
    return <Warning role="status">The kernel is gone; this is what it had recorded.</Warning>;
  }
  const running = phasesUnderWay(calls, progress);
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
          {progressOf(last.name)} <code>{last.lane}</code> … <b>{seconds(Math.max(0, clock.now - last.start_s))}</b>
          {running.length > 1 && <span class="jitviz-faint"> inside {running[0]?.lane}</span>}
        </span>
      ) : (
        "recording"
      )}
      <span class="jitviz-faint" aria-hidden="true">
        {progress && progress.compiles > 0 && ` · ${count(progress.compiles, "compile")} so far`}
        {clock.silence > PATIENCE_S && ` · as of ${Math.floor(clock.silence)} s ago`}
      </span>
    </p>
  );
}

function progressOf(what: What): string {
  return what === "trace" ? "tracing" : what === "lower" ? "lowering" : "compiling";
}

interface Phase {
  name: What;
  lane: string;
  isMain: boolean;
  start_s: number;
}

/** The phases under way, the outermost first, by what was heard last. */
function phasesUnderWay({ panel }: Calls, progress: Progress | null): Phase[] {
  const { timeline } = panel;
  if (progress && progress.at_s > timeline.duration_s) {
    const { what, since_s = 0, function: lane = "", inside } = progress;
    const phase = (lane: string) => what && { name: what, lane, isMain: true, start_s: since_s };
    return [inside === undefined ? undefined : phase(inside), phase(lane)].filter((found) => found !== undefined);
  }
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
export function growAccount(calls: Calls, account: AccountView, now: number, progress: Progress | null): AccountView {
  const last = phasesUnderWay(calls, progress).findLast(({ isMain }) => isMain);
  const more = now - Math.max(calls.panel.timeline.duration_s, last?.start_s ?? 0);
  if (!last || more <= 0 || calls.panel.is_finished) return account;
  const isOf = ({ what, depth, name }: Spent) => what === last.name && (depth === 0 || name === last.lane);
  const bar = account.bar.map((part) => (isOf(part) ? { ...part, seconds: part.seconds + more } : part));
  return { ...account, bar, wall_s: account.wall_s + more };
}

const STEP_MS = 100;
const CALM_STEP_MS = 1000; // for those who asked their system for less motion

export interface Clock {
  /** The length of the recording so far, in seconds. */
  now: number;
  /** For how many seconds nothing was heard. */
  silence: number;
}

/** The time that the panel or the newest progress says, plus the time since then while it is live. It stops if nothing is heard. */
export function useClock(panel: Panel, progress: Progress | null, isLive: boolean): Clock {
  const { duration_s } = panel.timeline;
  const drawn = useMemo(() => ({ at_s: duration_s, heard_ms: performance.now() }), [panel]);
  const heard = progress && progress.heard_ms > drawn.heard_ms ? progress : drawn;
  const at_s = Math.max(heard.at_s, duration_s);
  const [ms, setMs] = useState(heard.heard_ms);
  useEffect(() => {
    if (!isLive) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setInterval(() => setMs(performance.now()), isCalm ? CALM_STEP_MS : STEP_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  if (!isLive) return { now: duration_s, silence: 0 };
  const silence = Math.max(0, (ms - heard.heard_ms) / 1000);
  return { now: at_s + Math.min(silence, PATIENCE_S), silence };
}
