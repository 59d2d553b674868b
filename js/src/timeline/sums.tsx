/**
 * The sum of what is selected on the timeline: calls by outcome, and seconds by phase.
 *
 * In: a window, and which lanes count.  Out: `Sums`, and a line that says them.
 * Must never: count a second of a thread twice, where a phase has others inside it.
 */

import { useMemo } from "preact/hooks";
import { OUTCOMES, type Outcome, PHASES, type PhaseName } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { count, grouped, seconds } from "../words/numbers.ts";
import { nameOutcome } from "../words/phrases.ts";
import type { Window } from "./axis.ts";
import type { Layout } from "./layout.ts";

export interface Sums {
  outcomes: Map<Outcome, number>;
  phases: Map<PhaseName, number>;
  /** Several threads worked: their seconds may be more than went by. */
  isThreads: boolean;
}

export function sumUp(calls: Calls, layout: Layout, { from, to }: Window, isWanted: (lane: number) => boolean): Sums {
  const { call_lane, call_outcome, call_count, phase_lane, phase_name, lanes } = calls.panel.timeline;
  const outcomes = new Map<Outcome, number>();
  for (let call = 0; call < calls.n; call += 1) {
    if (!isWanted(call_lane[call] as number) || !overlaps(layout.from, layout.to, call, from, to)) continue;
    const outcome = OUTCOMES[call_outcome[call] as number] as Outcome;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + (call_count[call] ?? 1));
  }
  const phases = new Map<PhaseName, number>();
  const threads = new Set<string>();
  const open = new Map<string, number[]>(); // by thread, the phases around the next one
  const order = Array.from(layout.phaseFrom, (_, phase) => phase);
  order.sort(
    (a, b) => at(layout.phaseFrom, a) - at(layout.phaseFrom, b) || at(layout.phaseTo, b) - at(layout.phaseTo, a),
  );
  const add = (phase: number, seconds: number) => {
    if (!isWanted(phase_lane[phase] as number)) return;
    const name = PHASES[phase_name[phase] as number] as PhaseName;
    phases.set(name, (phases.get(name) ?? 0) + seconds);
  };
  for (const phase of order) {
    if (!overlaps(layout.phaseFrom, layout.phaseTo, phase, from, to)) continue;
    const thread = lanes[phase_lane[phase] as number]?.thread ?? "";
    const around = open.get(thread) ?? [];
    open.set(thread, around);
    const [start, end] = [Math.max(from, at(layout.phaseFrom, phase)), Math.min(to, at(layout.phaseTo, phase))];
    while (around.length > 0 && at(layout.phaseTo, around.at(-1) as number) <= start) around.pop();
    const outer = around.at(-1);
    if (outer !== undefined) add(outer, start - Math.min(end, at(layout.phaseTo, outer)));
    add(phase, end - start);
    if (isWanted(phase_lane[phase] as number)) threads.add(thread);
    around.push(phase);
  }
  return { outcomes, phases, isThreads: threads.size > 1 };
}

function at(column: Float64Array, index: number): number {
  return column[index] as number;
}

function overlaps(begins: Float64Array, ends: Float64Array, index: number, from: number, to: number): boolean {
  return at(ends, index) >= from && at(begins, index) <= to;
}

interface Props {
  calls: Calls;
  layout: Layout;
  /** The stretch that is zoomed in on; null for all. */
  view: Window | null;
  /** What is searched for, "" for nothing. */
  words: string;
  isWanted(lane: number): boolean;
}

export function SumOf({ calls, layout, view, words, isWanted }: Props) {
  const { lanes, duration_s } = calls.panel.timeline;
  const { from, to } = view ?? { from: 0, to: layout.axis.length };
  const isSelected = view !== null || words !== "";
  const said = useMemo(
    () => (isSelected ? tellSums(sumUp(calls, layout, { from, to }, isWanted)) : ""),
    [isSelected, calls, layout, from, to, words],
  );
  const found =
    words && `${grouped(lanes.filter((_, lane) => isWanted(lane)).length)} of ${count(lanes.length, "lane")}`;
  return (
    <p class="jitviz-sum-of" role="status">
      {isSelected ? (
        <>
          <b>
            {view && `${seconds(to - from)} of `}
            {seconds(duration_s)}
          </b>{" "}
          · {[found, said].filter(Boolean).join(" · ")}
        </>
      ) : (
        <span class="jitviz-faint">Drag over a stretch to zoom in, and to sum up what is in it.</span>
      )}
    </p>
  );
}

/** "6 calls: 5 hits, 1 compile · trace 310 ms, compile 620 ms" */
function tellSums({ outcomes, phases, isThreads }: Sums): string {
  const n = Array.from(outcomes.values()).reduce((sum, number) => sum + number, 0);
  const kinds = Array.from(outcomes, ([outcome, number]) =>
    count(number, outcome === "inlined" ? "inlined call" : nameOutcome(outcome)),
  );
  const spent = Array.from(phases, ([name, duration]) => `${name} ${seconds(duration)}`);
  const calls = n > 0 ? `${count(n, "call")}: ${kinds.join(", ")}` : "no calls";
  return [calls, spent.join(", ") + (isThreads ? " in thread-seconds" : "")].filter(Boolean).join(" · ");
}
