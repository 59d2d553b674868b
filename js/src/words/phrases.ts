/**
 * Calls and versions in words.
 *
 * In: rows of the panel.  Out: short plain phrases.
 * Must never: state a version or a time that is not known.
 */

import type { FindingView, OUTCOMES, Span, What } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { grouped, seconds } from "./numbers.ts";

function nameOutcome(outcome: (typeof OUTCOMES)[number]): string {
  return outcome === "trace" ? "retrace" : outcome;
}

/** A kind of work, as on the timeline. */
export function nameWhat(what: What) {
  return what === "op_by_op" ? "outside any jit" : what;
}

/** Stable names of findings: they have no numbers, and their texts change as a recording grows. */
export function nameFindings(findings: readonly FindingView[]): string[] {
  const seen = new Map<string, number>();
  return findings.map(({ kind, function: name, source, summary }) => {
    const base = [kind, name, source, summary.find(({ path }) => path)?.path].join(" ");
    const n = (seen.get(base) ?? 0) + 1;
    seen.set(base, n);
    return `${base} ${n}`;
  });
}

/** What a finding says, without the function of which it says it. */
export function sayFinding({ kind, summary }: FindingView): string {
  return kind + saySpans(summary);
}

export function saySpans(spans: readonly Span[] = []): string {
  return spans.map(({ text }) => text).join("");
}

/** "call 3", among the calls of its function; "" where hits before it were not seen. */
export function nameCall(calls: Calls, call: number): string {
  return hasNumber(calls, call) ? `call ${grouped(calls.numberInFunction[call] ?? 0)}` : "";
}

export function hasNumber(calls: Calls, call: number): boolean {
  return calls.functionOf(call)?.hits_seen !== "none";
}

/** "hit of version 2", and nothing of a version that is not known. */
export function tellOutcome(calls: Calls, call: number): string {
  const version = calls.versionNumber(call);
  const outcome = calls.duration(call) === null ? "in progress" : nameOutcome(calls.outcome(call));
  const maybe = calls.mayHaveRun(call);
  if (version === null && maybe) return `${outcome} of ${maybe}`;
  if (version === null) return calls.outcome(call) === "hit" ? `${outcome}, version not known` : outcome;
  return calls.outcome(call) === "hit" ? `${outcome} of version ${version}` : `${outcome}, version ${version}`;
}

/** A call in one line, for screen readers. */
export function tellCall(calls: Calls, call: number): string {
  if (call < 0) return "No call is chosen.";
  const phases = calls.phasesOf(call).map(({ name, duration_s }) => `${nameWhat(name)} ${tellDuration(duration_s)}`);
  const spent = tellDuration(calls.duration(call));
  const name = `${nameCall(calls, call) || "a call"} of ${calls.functionName(call)}`;
  return [name, tellOutcome(calls, call), spent, ...phases].join(", ");
}

/** How long something took; null while it is under way. */
export function tellDuration(duration: number | null): string {
  return duration === null ? "in progress" : seconds(duration);
}
