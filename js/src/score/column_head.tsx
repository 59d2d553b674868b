/** What stands above and beneath the bar of a column: its seconds, and the version or the number of hits. */

import type { ScoreColumn } from "../schema.ts";
import { Bar, longest } from "./bars.tsx";
import { signsOf } from "./marks.ts";

interface Props {
  id: string;
  columns: readonly ScoreColumn[];
  at: number;
}

export function ColumnHead({ id, columns, at }: Props) {
  const column = columns[at] as ScoreColumn;
  const { kind, name, label, told, seconds, avoidable_s, is_known } = column;
  const isTimed = kind !== "hits" && kind !== "inlined";
  const looks = ["jitviz-column", `jitviz-column-${kind}`, !is_known && "jitviz-unknown"];
  return (
    <div
      role="columnheader"
      id={id}
      class={looks.filter(Boolean).join(" ")}
      aria-colindex={at + 2}
      aria-label={label}
      title={label}
      data-cell={`-1 ${at}`}
    >
      {isTimed && told && <span class={avoidable_s > 0 ? "jitviz-saved" : ""}>{told}</span>}
      <span class="jitviz-column-bar">
        <Bar column={column} share={seconds / longest(columns)} />
      </span>
      <b>
        {name}
        {signsOf(column)}
      </b>
    </div>
  );
}
