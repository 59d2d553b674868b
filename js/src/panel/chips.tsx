/** The numbers of the summary. */

import { GLOSSARY } from "../glossary.ts";
import { Hint, type TermName } from "../parts/term.tsx";
import type { Chip } from "../schema.ts";

export function Chips({ chips }: { chips: readonly Chip[] }) {
  return (
    <ul class="jitviz-chips" aria-label="Summary">
      {chips.map((chip) => (
        <li key={chip.label} class={chip.is_alarming ? "jitviz-chip jitviz-alarming" : "jitviz-chip"}>
          <Hint text={GLOSSARY[chip.term as TermName]?.text ?? ""}>
            <b>{chip.value}</b> {chip.label}
          </Hint>
        </li>
      ))}
    </ul>
  );
}
