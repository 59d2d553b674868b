/** A leaf or node through all calls: its name, a cell for each column in sight, its type. */

import { Sign } from "../parts/buttons.tsx";
import type { Score, ScoreColumn, ScoreRow } from "../schema.ts";
import { grouped } from "../words/numbers.ts";
import { causesBeneath, type Look, looksOf } from "./looks.ts";

/** What a quiz hides: all that is told from a column on. */
export interface Cover {
  column: number;
  /** Whether that column's head is hidden too, as those after it are. */
  hidesHead: boolean;
  /** Takes a choice of a row. */
  take(at: number): void;
}

/** Of many columns, those in sight; `before` and `after` are as wide as the others. */
export interface Span {
  from: number;
  to: number;
  before: number;
  after: number;
}

interface Props {
  id: string;
  score: Score;
  /** Its place in the score, and among the rows in sight. */
  at: number;
  index: number;
  span: Span;
  cover: Cover | null;
  /** The paths of the leaves to blame for an exception. */
  raised: readonly string[];
  /** Null for what cannot be folded. */
  isOpen: boolean | null;
}

export function GridRow({ id, score, at, index, span, cover, raised, isOpen }: Props) {
  const row = score.rows[at] as ScoreRow;
  const look = looksOf(row);
  const causes = isOpen === null ? null : causesBeneath(score, at);
  const type = cover ? row.type.replace(/\[.*/, "[…]") : row.type; // its dots would tell what varies
  const cells = [];
  for (let column = span.from; column < span.to && row.kind !== "more"; column += 1) {
    const plain = look(column);
    const isBlamed = raised.includes(row.path) && score.columns[column]?.kind === "error";
    const own = isBlamed ? { ...plain, isCause: true, told: "needed a value" } : plain;
    const beneath = causes?.get(column);
    const seen = beneath && !own.isCause && !isOpen ? { ...own, isCause: true, told: own.told || beneath } : own;
    const isBlank = isOpen === true && !own.text && (!own.isCause || beneath !== undefined); // the cause is beneath it
    const isHidden = cover !== null && column >= cover.column;
    const shown = isHidden ? { ...seen, text: "", told: "", isCause: false } : seen;
    // What never changed is known of any version.
    const isKnown = score.columns[column]?.is_known || (!row.has_changed && !cover);
    cells.push(
      <Cell
        key={column}
        id={`${id}-${at}-${column}`}
        at={at}
        column={column}
        of={score.columns[column] as ScoreColumn}
        look={shown}
        isKnown={isKnown}
        isBlank={isBlank}
        isHit={!isHidden && score.columns[column]?.kind === "hits"}
        row={row}
      />,
    );
  }
  const { traced, static: isStatic } = row;
  const sums = isOpen !== null && traced + isStatic > 0 ? `${grouped(traced)} traced, ${grouped(isStatic)} static` : "";
  return (
    <div
      role="row"
      class={`jitviz-score-row jitviz-row-${row.kind}`}
      aria-rowindex={index + 2}
      style={{ top: `${index * 20}px` }}
    >
      <div
        role="rowheader"
        class="jitviz-score-label"
        aria-expanded={isOpen ?? undefined}
        aria-colindex={1}
        style={{ paddingLeft: `min(${row.depth * 14}px, 16cqw)` }}
        title={[row.path || row.name, sums].filter(Boolean).join(": ")}
        data-cell={`${at} -1`}
      >
        <span class="jitviz-caret">{isOpen !== null && <Sign name={isOpen ? "down" : "right"} />}</span>
        <code>{row.name}</code>
      </div>
      <span aria-hidden="true" />
      {cells}
      <span aria-hidden="true" />
      <div role="gridcell" class="jitviz-score-type" aria-colindex={score.columns.length + 2} title={type}>
        <code>{type}</code> {!cover && row.varies && <b>{row.varies}</b>}
        {row.marks.map((mark) => (
          <span key={mark} class="jitviz-tag">
            {mark}
          </span>
        ))}
      </div>
    </div>
  );
}

interface CellProps {
  id: string;
  at: number;
  column: number;
  of: ScoreColumn;
  row: ScoreRow;
  look: Look;
  isKnown: boolean;
  /** An open node, which is drawn beneath it. */
  isBlank: boolean;
  /** What ran before is paler. */
  isHit: boolean;
}

function Cell({ id, at, column, of, row, look, isKnown, isBlank, isHit }: CellProps) {
  const { role, text, told, isCause } = look;
  const looks = [
    "jitviz-square",
    !isBlank && (of.kind === "programs" && role !== "absent" ? "jitviz-ran" : `jitviz-${role}`),
    isCause && !isBlank && (of.kind === "error" ? "jitviz-raised" : "jitviz-cause"),
    isHit && "jitviz-rerun",
    !isKnown && !isBlank && "jitviz-unknown",
  ];
  const said = told.includes(text) ? told : `${text}, ${told}`;
  const words = [role === "absent" ? "" : role, said, isCause && of.kind !== "error" && "made this call compile"];
  return (
    <div
      role="gridcell"
      id={id}
      class={looks.filter(Boolean).join(" ")}
      aria-colindex={column + 2}
      aria-label={words.filter(Boolean).join(", ") || "absent"}
      title={told || undefined}
      style={
        role === "mixed" && !isBlank ? { "--jitviz-share": row.traced / (row.traced + row.static || 1) } : undefined
      }
      data-cell={`${at} ${column}`}
    >
      {text}
    </div>
  );
}
