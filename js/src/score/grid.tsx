/**
 * The score of one function as a grid: calls across, leaves down, seconds above, the version beneath them.
 *
 * In: a `Score`, the chosen column and row, what a finding lights up, what a quiz covers.  Out: a grid that arrow keys walk.
 * Must never: draw more than is in sight, or draw the cells again because another column was chosen.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { toggled } from "../collections.ts";
import { useOwnId } from "../parts/id.ts";
import { onKeys } from "../parts/keys.ts";
import type { Score, ScoreRow } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { ColumnHead } from "./column_head.tsx";
import { isFoldable, rowOfPath, rowsAround, rowsInSight, widthsOf } from "./looks.ts";
import { type Cover, GridRow, type Span } from "./row.tsx";

export const ROW_PX = 20;
const [LEAST_PX, MOST_PX, SHARE] = [170, 480, 0.42]; // how high it is at most, and what part of the window
const HEAD_PX = 100;
const SPARE = 8; // rows and columns beyond what is in sight
const MANY = 120; // columns, of which only those in sight are drawn
const COVERED = [36, 84] as const; // how wide every column is in a quiz: its width would tell what it is

/** What the squares are, for those who see them for the first time, in lines. */
const ROLES = [
  ["traced", "traced"],
  ["static", "static"],
] as const;
const CAUSE = [["cause", "made it compile"]] as const;
const RAISED = [["raised", "to blame"]] as const;

const NONE: readonly string[] = [];

/** What a pointed-at finding is about. */
export interface Lit {
  compiles: ReadonlySet<number>;
  paths: ReadonlySet<string>;
}

interface Props {
  score: Score;
  /** Its state is kept under this name. */
  name: string;
  /** A column, -1 for none. */
  chosen: number;
  /** The path of a row, "" for none. */
  path: string;
  lit?: Lit | null;
  /** The paths of the leaves to blame for an exception. */
  raised?: readonly string[];
  cover?: Cover | null;
  /** Stands above the names of the rows. */
  corner?: ComponentChildren;
  /** In place of the name of the function. */
  title?: ComponentChildren;
  onChoose(column: number, path: string): void;
  /** Asks for the rows that were left out beneath a row. */
  onMore?(): void;
}

export function Grid(props: Props) {
  const { score, name, chosen, path, lit = null, raised = NONE, cover = null, onChoose } = props;
  const { columns, rows } = score;
  const id = useOwnId();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 480, width: 1200 });
  const [turned, setTurned] = usePanelState<ReadonlySet<string>>(`${name} turned`, () => new Set());
  const [row, setRow] = usePanelState(`${name} row`, () => rowOfPath(score, path));
  const keyOf = (at: number) => `${rows[at]?.path || rows[at]?.name} ${rows[at]?.depth}`;
  const { room, isTight } = useMemo(() => roomFor(score), [score]);
  const isOpen = (at: number) => {
    if (cover) return rows.length * ROW_PX < LEAST_PX !== turned.has(keyOf(at)); // what is open tells what changed
    const isFirst = rows[at]?.is_open === true && (!isTight || rows[at]?.has_changed === true);
    return isFirst !== turned.has(keyOf(at));
  };
  const seen = useMemo(() => rowsInSight(score, isOpen), [score, turned]);
  // A leaf that was chosen elsewhere: what is folded around it unfolds.
  useLayoutEffect(() => {
    const at = rowOfPath(score, path);
    if (!path || at < 0 || rows[row]?.path === path) return;
    setRow(at);
    const folded = rowsAround(score, at).filter((around) => !isOpen(around));
    if (folded.length > 0) setTurned(toggled(turned, ...folded.map(keyOf)));
  }, [path, score]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () =>
      setView({
        top: element.scrollTop,
        left: element.scrollLeft,
        height: element.clientHeight,
        width: element.clientWidth,
      });
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);

  const widths = useMemo(() => (cover ? columns.map(() => COVERED) : widthsOf(score)), [score, !cover]);
  const span = useMemo(() => columnsInSight(widths, view), [widths, view.left, view.width]);
  const isNumbered = columns.some(({ first }) => first > 0);
  const at = seen.indexOf(row);
  const goRow = (place: number) => {
    const next = seen[Math.min(Math.max(place, 0), seen.length - 1)] ?? -1;
    setRow(next);
    onChoose(chosen, rows[next]?.path ?? "");
    reveal(next, chosen);
  };
  const goColumn = (column: number) => {
    const next = Math.min(Math.max(column, 0), columns.length - (cover ? 0 : 1)); // a quiz ends after the last
    onChoose(next, rows[row]?.path ?? "");
    reveal(row, next);
  };
  const reveal = (to: number, column: number) => {
    const element = box.current;
    const place = seen.indexOf(to) * ROW_PX;
    if (element && place >= 0 && to >= 0) {
      const head = element.querySelector<HTMLElement>(".jitviz-score-head")?.offsetHeight ?? 0;
      const room = element.clientHeight - head;
      if (place < element.scrollTop) element.scrollTop = place;
      else if (place + ROW_PX > element.scrollTop + room) element.scrollTop = place + ROW_PX - room;
    }
    const left = widths.slice(0, column).reduce((sum, [least]) => sum + least + 2, 0);
    if (element && element.scrollWidth > element.clientWidth) {
      const room = element.clientWidth * 0.5;
      if (left < element.scrollLeft || left > element.scrollLeft + room) element.scrollLeft = left - room / 2;
    }
  };
  const compiled = (step: 1 | -1) => {
    for (let next = chosen + step; next >= 0 && next < columns.length; next += step) {
      if (columns[next]?.compiles.length || columns[next]?.kind === "error") return goColumn(next);
    }
  };
  const keys = onKeys({
    ArrowRight: () => goColumn(chosen + 1),
    ArrowLeft: () => (chosen < 0 ? goColumn(columns.length - 1) : goColumn(chosen - 1)),
    ArrowDown: () => goRow(at + 1),
    ArrowUp: () => goRow(at - 1),
    Home: () => goColumn(0),
    End: () => goColumn(columns.length - 1),
    "Ctrl+Home": () => goRow(0),
    "Ctrl+End": () => goRow(seen.length - 1),
    n: () => compiled(1),
    p: () => compiled(-1),
    Enter: () => (cover ? cover.take(row) : act(row)),
    " ": () => act(row),
    Escape: () => {
      setRow(-1);
      onChoose(-1, "");
    },
  });
  const act = (on: number) => {
    if (rows[on]?.kind === "more") props.onMore?.();
    else if (on >= 0 && isFoldable(score, on)) setTurned(toggled(turned, keyOf(on)));
  };
  const click = ({ target }: MouseEvent) => {
    const cell = (target as Element).closest<HTMLElement>("[data-cell]");
    if (!cell) return;
    const [on = -1, column = -1] = (cell.dataset.cell ?? "").split(" ").map(Number);
    if (on >= 0) setRow(on);
    if (cover && on >= 0 && (column >= 0 || !isFoldable(score, on))) return cover.take(on);
    if (on >= 0 && column < 0) act(on);
    onChoose(column < 0 ? chosen : column, rows[on >= 0 ? on : row]?.path ?? "");
  };

  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE);
  const last = Math.min(seen.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE);
  const shown = seen.slice(first, last);
  const head = useMemo(
    () =>
      columns
        .slice(span.from, span.to)
        .map((_column, offset) => (
          <ColumnHead
            key={span.from + offset}
            id={`${id}--1-${span.from + offset}`}
            columns={columns}
            at={span.from + offset}
            isNumbered={isNumbered}
            isCovered={cover !== null && span.from + offset >= cover.column + (cover.hidesHead ? 0 : 1)}
          />
        )),
    [score, span, cover],
  );
  // What a choice does not change is not drawn again for it.
  const body = useMemo(
    () =>
      shown.map((at, offset) => (
        <GridRow
          key={keyOf(at)}
          {...{ id, score, at, span, cover, raised }}
          index={first + offset}
          isOpen={isFoldable(score, at) ? isOpen(at) : null}
        />
      )),
    [score, seen, first, last, span, cover],
  );
  const lists = columns.flatMap((column, place) =>
    lit && Array.from(column.compiles).some((compile) => lit.compiles.has(compile)) ? [place] : [],
  );
  const litRows = lit ? seen.flatMap((at, place) => (lit.paths.has(rows[at]?.path ?? "") ? [place] : [])) : [];
  const strip = (place: number, look: string) => (
    <i key={`${look}${place}`} class={look} style={{ top: `${place * ROW_PX}px`, height: `${ROW_PX}px` }} />
  );
  const band = (column: number, look: string) =>
    column >= span.from &&
    column < span.to && <i key={`${look}${column}`} class={look} style={{ gridColumn: column - span.from + 3 }} />;
  return (
    <div class="jitviz-score" ref={box} style={{ maxHeight: `${room}px` }} onClick={click}>
      <div
        role="grid"
        aria-label={score.place < 0 ? score.function : `Calls of ${score.function}`}
        aria-rowcount={seen.length + 1}
        aria-colcount={columns.length + 2}
        aria-activedescendant={chosen >= 0 ? `${id}-${at >= first && at < last ? row : -1}-${chosen}` : undefined}
        tabIndex={0}
        style={{
          "--jitviz-columns": tracksOf(score, widths, span),
          "--jitviz-type-px": `${typePx(score)}px`,
        }}
        onKeyDown={keys}
      >
        <div role="row" class="jitviz-score-row jitviz-score-head" aria-rowindex={1}>
          <div role="columnheader" class="jitviz-score-name" aria-colindex={1}>
            {props.corner}
            <span title={score.told}>
              {props.title || (
                <>
                  <code>{score.function}</code>{" "}
                  <span class="jitviz-faint">{score.place < 0 ? "by line" : "calls →"}</span>
                </>
              )}
            </span>
            {isNumbered && <small>call</small>}
            <small>{score.place < 0 ? "programs" : "version"}</small>
          </div>
          <span aria-hidden="true" />
          {head}
          <span aria-hidden="true" />
          <div role="columnheader" class="jitviz-score-type" aria-colindex={columns.length + 2}>
            {score.place >= 0 &&
              !props.title &&
              [[["", "partition:"]], ROLES, raised.length > 0 ? RAISED : CAUSE].map((line) => (
                <small key={line[0]?.[0]}>
                  {line.map(([look, words]) => (
                    <span key={look} class="jitviz-legend-item">
                      {look && <span class={`jitviz-swatch jitviz-${look}`} aria-hidden="true" />}
                      {words}
                    </span>
                  ))}
                </small>
              ))}
            <small>{score.place < 0 ? "source" : "type"}</small>
          </div>
        </div>
        <div role="rowgroup" style={{ height: `${seen.length * ROW_PX}px` }}>
          <div class="jitviz-score-lit" aria-hidden="true">
            {litRows.map((place) => strip(place, "jitviz-lit-row"))}
            {at >= 0 && strip(at, "jitviz-chosen-row")}
          </div>
          {body}
        </div>
        <div class="jitviz-score-row jitviz-score-marks" aria-hidden="true">
          {lists.map((column) => band(column, "jitviz-lit-column"))}
          {chosen >= 0 && band(chosen, "jitviz-chosen-column")}
        </div>
      </div>
    </div>
  );
}

function columnsInSight(widths: readonly (readonly [number, number])[], view: { left: number; width: number }): Span {
  const n = widths.length;
  if (n <= MANY) return { from: 0, to: n, before: 0, after: 0 };
  const ends: number[] = [];
  for (const [least] of widths) ends.push((ends.at(-1) ?? 0) + least + 2);
  const from = Math.max(0, ends.findIndex((end) => end > view.left) - SPARE);
  const beyond = ends.findIndex((end) => end > view.left + view.width);
  const to = beyond < 0 ? n : Math.min(n, beyond + SPARE);
  const [before, whole] = [from > 0 ? (ends[from - 1] ?? 0) : 0, ends.at(-1) ?? 0];
  return { from, to, before, after: whole - (ends[to - 1] ?? 0) };
}

/** How high the grid may be, and whether what never changed is folded, for want of room. No row is cut for a few pixels. */
function roomFor(score: Score): { room: number; isTight: boolean } {
  const usual = Math.max(LEAST_PX, Math.min(MOST_PX, SHARE * innerHeight));
  const height = (isOpen: (row: ScoreRow) => boolean) =>
    HEAD_PX + ROW_PX * rowsInSight(score, (at) => isOpen(score.rows[at] as ScoreRow)).length;
  const most = usual + 2 * ROW_PX;
  const isTight = height((row) => row.is_open) > most;
  const whole = height((row) => row.is_open && (!isTight || row.has_changed));
  return { room: whole <= most ? Math.max(usual, whole) : usual, isTight };
}

/** How wide the names of a score are; beneath the switch stands more than a name. */
export function labelPx(score: Score, isFirst = true): number {
  const chars = Math.max(
    score.function.length + (isFirst ? 8 : 0),
    ...score.rows.map(({ name, depth, kind }) => (kind === "more" ? 0 : name.length + 2 * depth)),
  );
  return Math.min(260, Math.max(96, 24 + 7 * chars));
}

function tracksOf(score: Score, widths: readonly (readonly [number, number])[], span: Span): string {
  const columns = widths
    .slice(span.from, span.to)
    .map(([least, most]) => (span.after || span.before ? `${least}px` : `minmax(${least}px, ${most}px)`));
  return `var(--jitviz-label, min(${labelPx(score)}px, 34cqw)) ${span.before}px ${columns.join(" ")} ${span.after}px var(--jitviz-type)`;
}

function typePx({ rows }: Score): number {
  const chars = Math.max(
    0,
    ...rows.map(({ type, varies, marks }) => type.length + varies.length + marks.join("").length),
  );
  return Math.min(240, Math.max(130, 24 + 7 * chars)); // room for what the squares are
}
