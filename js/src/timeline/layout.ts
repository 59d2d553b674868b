/**
 * The position of every call and phase on the axis.
 *
 * In: `Calls`, the present moment, whether idle time is folded.  Out: `Layout`.
 * Must never: be computed again for a zoom or a pan.
 */

import type { Floats } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { Axis, findGaps, type Window } from "./axis.ts";

export interface Layout {
  axis: Axis;
  /** By call: where it begins and ends. */
  from: Float64Array;
  to: Float64Array;
  /** By call: where its run begins; its end where it has not run. */
  ready: Float64Array;
  phaseFrom: Float64Array;
  phaseTo: Float64Array;
  /** By phase: where the work of jitviz after it ends. */
  ownTo: Float64Array;
  bands: readonly (Window & { label: string })[];
}

/** Idle time is worth folding where it takes more than this part of the whole. */
const IDLE_SHARE = 0.04;
const FOLDED_SHARE = 0.012;

export function layOut({ panel, n }: Calls, now: number, isFolded: boolean): Layout {
  const { timeline } = panel;
  const duration = Math.max(timeline.duration_s, now);
  const start = Float64Array.from(timeline.call_start_s);
  const end = ends(start, timeline.call_duration_s, now);
  const ready = end.map((at, call) => {
    const begins = timeline.call_ready_s[call] ?? -1;
    return begins < 0 ? at : Math.min(at, begins);
  });
  const phaseStart = Float64Array.from(timeline.phase_start_s);
  const phaseEnd = ends(phaseStart, timeline.phase_duration_s, now);
  const ownEnd = phaseEnd.map((at, phase) => at + (timeline.phase_own_s[phase] ?? 0));
  const axis = isFolded ? foldIdle(start, end, phaseStart, phaseEnd, duration) : new Axis(duration);
  const place = (times: Float64Array) => (axis.gaps.length ? times.map((time) => axis.at(time)) : times);
  const bands = timeline.bands.map((band) => ({
    label: band.label,
    from: axis.at(band.start_s),
    to: axis.at(band.duration_s < 0 ? duration : band.start_s + band.duration_s),
  }));
  return {
    axis,
    from: place(start).subarray(0, n),
    to: place(end),
    ready: place(ready),
    phaseFrom: place(phaseStart),
    phaseTo: place(phaseEnd),
    ownTo: place(ownEnd),
    bands,
  };
}

function ends(starts: Float64Array, durations: Floats, now: number): Float64Array {
  return starts.map((start, index) => {
    const duration = durations[index] ?? -1;
    return duration < 0 ? Math.max(now, start) : start + duration;
  });
}

function foldIdle(
  start: Float64Array,
  end: Float64Array,
  phaseStart: Float64Array,
  phaseEnd: Float64Array,
  duration: number,
): Axis {
  const starts = concatenated(start, phaseStart);
  const gaps = findGaps(starts, concatenated(end, phaseEnd), duration, duration * IDLE_SHARE);
  const idle = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  return new Axis(duration, gaps, Math.max(duration - idle, 1e-9) * FOLDED_SHARE);
}

function concatenated(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
