/** The signs of the timeline, each with what it means. */

import { Term } from "../parts/term.tsx";

const SIGNS = ["trace", "lower", "compile", "run", "own", "hit"] as const;

export function Legend({ hasInlined, hasErrors }: { hasInlined: boolean; hasErrors: boolean }) {
  const signs = [...SIGNS, ...(hasInlined ? (["inlined"] as const) : []), ...(hasErrors ? (["error"] as const) : [])];
  return (
    <ul class="jitviz-legend" aria-label="Legend">
      {signs.map((sign) => (
        <li key={sign}>
          <span class={`jitviz-swatch jitviz-${sign}`} aria-hidden="true" />
          <Term name={sign === "own" ? "jitviz" : sign} />
        </li>
      ))}
    </ul>
  );
}
