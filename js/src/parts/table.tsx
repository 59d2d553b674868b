/** A table with one row of column headings, which scrolls when it is too wide. */

import type { ComponentChildren } from "preact";
import { Term, type TermName } from "./term.tsx";

/** Classes: "jitviz-number" aligns a column to the right, "jitviz-wide" hides it in narrow panels. */
type Column = readonly [
  title: ComponentChildren,
  classes?: string,
  term?: TermName | undefined,
  sort?: "ascending" | "descending" | "none",
];

interface Props {
  columns: readonly Column[];
  caption?: ComponentChildren;
  class?: string;
  /** The rows of the body. */
  children: ComponentChildren;
}

export const NUMBER = "jitviz-number";

export function Table({ columns, caption, class: name = "", children }: Props) {
  return (
    <div class="jitviz-table-box">
      <table class={`jitviz-table ${name}`}>
        {caption}
        <thead>
          <tr>
            {columns.map(([title, classes, term, sort], index) => (
              <th key={index} scope="col" class={classes} aria-sort={sort}>
                {term ? <Term name={term}>{title}</Term> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
