/** A bar of phases, as long as its part of the longest. */

import { PHASES, type PhaseTime } from "../schema.ts";

export function PhaseBar({ part, phases }: { part: number; phases: readonly PhaseTime[] }) {
  const spentIn = (wanted: string) =>
    phases.reduce((sum, { name, duration_s }) => sum + (name === wanted ? (duration_s ?? 0) : 0), 0);
  return (
    <span class="jitviz-stack" style={{ width: `${Math.max(2, 100 * part)}%` }} aria-hidden="true">
      {PHASES.map((name) => (
        <span key={name} class={`jitviz-${name}`} style={{ flexGrow: spentIn(name) }} />
      ))}
    </span>
  );
}
