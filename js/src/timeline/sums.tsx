/**
 * The sum of what is selected on the timeline: calls by outcome, and seconds by phase.
 *
 * In: a window, and which lanes count.  Out: `Sums`, and a line that says them.
 * Must never: count a second of a thread twice, where a phase has others inside it.
 */

import { useMemo } from "preact/hooks";
import { OUTCOMES, type Outcome, WHATS, type What } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { count, grouped, seconds } from "../words/numbers.ts";
import { nameOutcome, nameWhat } from "../words/phrases.ts";
import type { Window } from "./axis.ts";
import type { Layout } from "./layout.ts";

export interface Sums {
  outcomes: Map<Outcome, number>;
  phases: Map<What, number>;
  /** Several threads worked: their seconds may be more than went by. */
  isThreads: boolean;
}

export function sumUp(calls: Calls, layout: Layout, { from, to }: Window, isWanted: (lane: number) => boolean): Sums {
  const { call_lane, call_outcome, call_count, phase_lane, phase_what, lanes } = calls.panel.timeline;
  const { phaseFrom, phaseTo } = layout;
  const at = (column: Float64Array, index: number) => column[index] as number;
  const outcomes = new Map<Outcome, number>();
  for (let call = 0; call < calls.n; call += 1) {
    if (!isWanted(call_lane[call] as number) || at(layout.to, call) < from || at(layout.from, call) > to) continue;
    const outcome = OUTCOMES[call_outcome[call] as number] as Outcome;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + (call_count[call] ?? 1));
  }
  const phases = new Map<What, number>();
  const threads = new Set<string>();
  const open = new Map<string, number[]>(); // by thread, the phases around the next one
  const order = Array.from(phaseFrom, (_, phase) => phase);
  order.sort((a, b) => at(phaseFrom, a) - at(phaseFrom, b) || at(phaseTo, b) - at(phaseTo, a));
  const add = (phase: number, seconds: number) => {
    if (!isWanted(phase_lane[phase] as number)) return;
    const name = WHATS[phase_what[phase] as number] as What;
    phases.set(name, (phases.get(name) ?? 0) + seconds);
  };
  for (const phase of order) {
    if (at(phaseTo, phase) < from || at(phaseFrom, phase) > to) continue;
    const thread = lanes[phase_lane[phase] as number]?.thread ?? "";
    const around = open.get(thread) ?? [];
    open.set(thread, around);
    const [start, end] = [Math.max(from, at(phaseFrom, phase)), Math.min(to, at(phaseTo, phase))];
    while (around.length > 0 && at(phaseTo, around.at(-1) as number) <= start) around.pop();
    const outer = around.at(-1);
    if (outer !== undefined) add(outer, start - Math.min(end, at(phaseTo, outer)));
    add(phase, end - start);
    if (isWanted(phase_lane[phase] as number)) threads.add(thread);
    around.push(phase);
  }
  return { outcomes, phases, isThreads: threads.size > 1 };
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
  const { axis } = layout;
  const { from, to } = view ?? { from: 0, to: axis.length };
  const whole = seconds(duration_s);
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
          <b>{view ? `${seconds(axis.time(to) - axis.time(from))} of ${whole}` : whole}</b> ·{" "}
          {[found, said].filter(Boolean).join(" · ")}
        </>
      ) : (
        <span class="jitviz-faint">Drag over a stretch to zoom in, and to sum up what is in it.</span>
      )}
    </p>
  );
}

/** "6 calls: 5 hits, 1 compile · trace 310 ms, compile 620 ms" */
function tellSums({ outcomes, phases, isThreads }: Sums): string {
  const told = OUTCOMES.filter((name) => outcomes.has(name));
  const nameOne = (outcome: Outcome) => (outcome === "inlined" ? "inlined call" : nameOutcome(outcome));
  const kinds = told.map((outcome) => count(outcomes.get(outcome) ?? 0, nameOne(outcome))).join(", ");
  const n = told.reduce((sum, outcome) => sum + (outcomes.get(outcome) ?? 0), 0);
  const spent = WHATS.filter((what) => phases.has(what)).map(
    (what) => `${nameWhat(what)} ${seconds(phases.get(what) ?? 0)}`,
  );
  const calls = n > 0 ? `${count(n, "call")}: ${kinds}` : "no calls";
  return [calls, spent.join(", ") + (isThreads ? " in thread-seconds" : "")].filter(Boolean).join(" · ");
}
