/** The seconds of a column as a bar: tracing and lowering on top, compiling beneath, or all in the colour for savings. */

import type { ScoreColumn } from "../schema.ts";
import { isTimed } from "./looks.ts";

const FLAT: Partial<Record<ScoreColumn["kind"], number>> = { hits: 0, inlined: 0, running: 0.5, error: 0.25 };

/** `share` of the longest bar; a style sheet says how high that is. */
export function Bar({ column, share }: { column: ScoreColumn; share: number }) {
  const { kind, seconds, avoidable_s, trace_s, lower_s, compile_s } = column;
  const height = `max(3px, ${100 * Math.max(FLAT[kind] ?? share, kind === "error" ? share : 0)}%)`;
  if (kind in FLAT) return <i class={`jitviz-bar-${kind}`} style={{ height }} />;
  const whole = seconds || 1;
  const kept = 1 - Math.min(1, avoidable_s / whole);
  const parts = [
    ["trace", (trace_s + lower_s) * kept],
    [kind === "programs" ? "programs" : "compile", compile_s * kept],
    ["save", Math.min(avoidable_s, whole)],
  ] as const;
  const sum = parts.reduce((all, [, part]) => all + part, 0) || 1;
  return (
    <span class="jitviz-bars" style={{ height }}>
      {parts.map(
        ([name, part]) => part > 0 && <i key={name} class={`jitviz-bar-${name}`} style={{ flexGrow: part / sum }} />,
      )}
    </span>
  );
}

/** The longest bar of several scores is as high as there is room. */
export function longest(columns: readonly ScoreColumn[]): number {
  const timed = columns.filter(({ kind }) => isTimed(kind));
  return Math.max(...timed.map(({ seconds }) => seconds), 1e-9);
}
