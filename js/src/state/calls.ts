/**
 * The columns of a timeline, and lookups that link them: the calls of a function, the phases of a call.
 *
 * In: a `Panel`.  Out: `Calls`, lookups by call number.
 * Must never: make an object per call; there may be a hundred thousand.
 */

import { addToGroup } from "../collections.ts";
import { type FunctionView, OUTCOMES, type Panel, type Version, WHATS, type What } from "../schema.ts";

interface PhaseOfCall {
  name: What;
  /** Null while it is under way. */
  duration_s: number | null;
  /** The time that jitviz itself took right after it. */
  own_s: number;
}

export class Calls {
  readonly n: number;
  /** The place of each call among the calls of its function, from 1. */
  readonly numberInFunction: Int32Array;
  private readonly phases = new Map<number, number[]>();
  private readonly compileOfCall = new Map<number, number>();

  constructor(readonly panel: Panel) {
    const { timeline } = panel;
    this.n = timeline.call_lane.length;
    for (let phase = 0; phase < timeline.phase_call.length; phase += 1) {
      const call = timeline.phase_call[phase] ?? -1;
      if (call < 0) continue;
      addToGroup(this.phases, call, phase);
      this.compileOfCall.set(call, timeline.phase_compile[phase] ?? -1);
    }
    const counts = new Map<number, number>();
    this.numberInFunction = new Int32Array(this.n);
    for (let call = 0; call < this.n; call += 1) {
      const key = this.keyOf(call);
      const before = counts.get(key) ?? 0;
      counts.set(key, before + (timeline.call_count[call] ?? 1));
      this.numberInFunction[call] = before + 1;
    }
  }

  /** A key that the calls of one function share: its place in the panel, or else their lane. */
  private keyOf(call: number): number {
    const home = this.homeOf(call);
    return home < 0 ? -2 - this.lane(call) : home;
  }

  start(call: number): number {
    return this.panel.timeline.call_start_s[call] ?? 0;
  }

  /** Null while the call is under way. */
  duration(call: number): number | null {
    const value = this.panel.timeline.call_duration_s[call] ?? -1;
    return value < 0 ? null : value;
  }

  outcome(call: number): (typeof OUTCOMES)[number] {
    return OUTCOMES[this.panel.timeline.call_outcome[call] ?? 0] ?? "hit";
  }

  lane(call: number): number {
    return this.panel.timeline.call_lane[call] ?? 0;
  }

  /** The call inside which this one was made, -1 for none. */
  parent(call: number): number {
    return this.panel.timeline.call_parent[call] ?? -1;
  }

  /** Whether the arguments of a call are known without its version. */
  isSigned(call: number): boolean {
    return Array.from(this.panel.timeline.signed_calls).includes(call);
  }

  /** Whether it is the first such call of its function, whose arguments the panel has. */
  isFirstSigned(call: number): boolean {
    const key = this.keyOf(call);
    return Array.from(this.panel.timeline.signed_calls).find((other) => this.keyOf(other) === key) === call;
  }

  /** What a call of an unknown version may have run: "one of versions 1–2", or "". */
  mayHaveRun(call: number): string {
    return this.outcome(call) === "hit" ? (this.functionOf(call)?.unknown_version ?? "") : "";
  }

  /** The first call of the same function that ran the same version. */
  firstLike(call: number): number {
    const { call_version } = this.panel.timeline;
    if (call < 0) return -1;
    const key = this.keyOf(call);
    for (let other = 0; other < call; other += 1) {
      if (call_version[other] === call_version[call] && this.keyOf(other) === key) return other;
    }
    return call;
  }

  functionName(call: number): string {
    return this.panel.timeline.lanes[this.lane(call)]?.name ?? "";
  }

  /** The place of its function in the panel, -1 where the panel does not show it. */
  private homeOf(call: number): number {
    return this.panel.timeline.lanes[this.lane(call)]?.function ?? -1;
  }

  functionOf(call: number): FunctionView | null {
    return this.panel.functions[this.homeOf(call)] ?? null;
  }

  /** The number of the version that ran, null where that is not known. */
  versionNumber(call: number): number | null {
    return this.panel.timeline.call_version[call] || this.versionOf(call)?.version || null;
  }

  /** The version that the call compiled, or is known to have run. */
  versionOf(call: number): Version | null {
    const versions = this.functionOf(call)?.versions ?? [];
    const compile = this.compileOfCall.get(call);
    const number = this.panel.timeline.call_version[call] || null;
    return (
      versions.find((version) => version.index === compile && !version.is_before) ??
      versions.find((version) => version.version === number) ??
      null
    );
  }

  /** Seconds of running its program, or of dispatching it; null while there is none, or while the call is under way. */
  run(call: number): number | null {
    const ready = this.panel.timeline.call_ready_s[call] ?? -1;
    const duration = this.duration(call);
    return ready < 0 || duration === null ? null : Math.max(0, this.start(call) + duration - ready);
  }

  /** Seconds that jitviz itself took inside the call. */
  own(call: number): number {
    return this.phasesOf(call).reduce((sum, { own_s }) => sum + own_s, 0);
  }

  phasesOf(call: number): PhaseOfCall[] {
    const { timeline } = this.panel;
    return (this.phases.get(call) ?? []).map((phase) => {
      const duration = timeline.phase_duration_s[phase] ?? -1;
      return {
        name: WHATS[timeline.phase_what[phase] ?? 0] ?? "trace",
        duration_s: duration < 0 ? null : duration,
        own_s: timeline.phase_own_s[phase] ?? 0,
      };
    });
  }

  /** The call that compiled a version, -1 where none did. */
  callOf(version: Version): number {
    if (version.is_before) return -1;
    const at = this.panel.timeline.phase_compile.length;
    for (let phase = 0; phase < at; phase += 1) {
      if (this.panel.timeline.phase_compile[phase] === version.index)
        return this.panel.timeline.phase_call[phase] ?? -1;
    }
    const home = this.panel.functions.findIndex(({ versions }) => versions.includes(version));
    for (let call = 0; call < this.n; call += 1) {
      if (this.homeOf(call) === home && this.numberInFunction[call] === version.call) return call;
    }
    return -1;
  }
}
