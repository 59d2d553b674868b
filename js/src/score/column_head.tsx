/** What stands above and beneath the bar of a column: its seconds; its first call, and the version or the number of hits. */

import type { ScoreColumn } from "../schema.ts";
import { grouped } from "../words/numbers.ts";
import { Bar, longest } from "./bars.tsx";
import { isTimed, numbersOf } from "./looks.ts";
import { signsOf } from "./marks.ts";

interface Props {
  id: string;
  columns: readonly ScoreColumn[];
  at: number;
  /** Whether calls have numbers. */
  isNumbered: boolean;
  /** Whether a quiz asks what it is. */
  isCovered: boolean;
}

export function ColumnHead({ id, columns, at, isNumbered, isCovered }: Props) {
  const column = columns[at] as ScoreColumn;
  const { kind, name, first, told, seconds, avoidable_s, is_known } = column;
  const label = isCovered ? `call ${first}, covered` : column.label;
  const numbers = isCovered ? grouped(first) : numbersOf(column, columns); // how many there are would tell that they hit
  const number = isNumbered && <small>{numbers || "\u00a0"}</small>;
  const looks = isCovered ? "" : `jitviz-column-${kind} ${is_known ? "" : "jitviz-unknown"}`;
  return (
    <div
      role="columnheader"
      id={id}
      class={`jitviz-column ${looks}`}
      aria-colindex={at + 2}
      aria-label={label}
      title={label}
      data-cell={`-1 ${at}`}
    >
      {isCovered ? (
        <>
          {number}
          <b>?</b>
        </>
      ) : (
        <>
          {isTimed(kind) && told && <span class={avoidable_s > 0 ? "jitviz-saved" : ""}>{told}</span>}
          <span class="jitviz-column-bar">
            <Bar column={column} share={seconds / longest(columns)} />
          </span>
          {number}
          <b>
            {name}
            {signsOf(column)}
          </b>
        </>
      )}
    </div>
  );
}
