/** A bar of phases, as long as its part of the longest. */

import { PHASES, type PhaseTime } from "../schema.ts";

export function PhaseBar({ part, phases }: { part: number; phases: readonly PhaseTime[] }) {
  const spent = PHASES.map((wanted) =>
    phases.reduce((sum, { name, duration_s }) => sum + (name === wanted ? (duration_s ?? 0) : 0), 0),
  );
  const whole = spent.reduce((sum, time) => sum + time, 0) || 1; // in seconds they would not fill a bar of less than one
  return (
    <span class="jitviz-stack" style={{ width: `${Math.max(2, 100 * part)}%` }} aria-hidden="true">
      {PHASES.map((name, at) => (
        <span key={name} class={`jitviz-what-${name}`} style={{ flexGrow: (spent[at] ?? 0) / whole }} />
      ))}
    </span>
  );
}
