/** The numbers of the summary. */

import type { Chip } from "./schema.ts";
import { Hint } from "./term.tsx";

export function Chips({ chips }: { chips: readonly Chip[] }) {
  return (
    <ul class="jitviz-chips" aria-label="Summary">
      {chips.map((chip) => (
        <li key={chip.label} class={isAlarming(chip) ? "jitviz-chip jitviz-alarming" : "jitviz-chip"}>
          <Hint text={chip.help}>
            <b>{chip.value}</b> {chip.label}
          </Hint>
        </li>
      ))}
    </ul>
  );
}

function isAlarming({ label, value }: Chip): boolean {
  return /^(avoidable|failed|error)/.test(label) && value !== "0";
}
