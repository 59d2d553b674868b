/** One line of a partition tree, and all details of the active one. */

import { CopyButton, Sign } from "../parts/buttons.tsx";
import { Change } from "../parts/prose.tsx";
import { KindName, Term, type TermName } from "../parts/term.tsx";
import { FLAG_WORDS, FLAGS, type Mark, type Row } from "../schema.ts";
import { count, grouped, parts, size } from "../words/numbers.ts";
import { shortName } from "./tree.ts";

export const ROW_PX = 25;

interface Props {
  row: Row;
  /** How many hits of the filter are below it, 0 without a filter. */
  hits: number;
  id: string;
  top: number;
  isActive: boolean;
  /** Null for what cannot be folded. */
  isOpen: boolean | null;
  place: { at: number; of: number };
  onPick(): void;
  onFold(): void;
}

export function TreeRow({ row, hits, id, top, isActive, isOpen, place, onPick, onFold }: Props) {
  const isShape = row.kind === "leaf" && row.role === "traced" && row.marks.length === 0;
  const names = [
    "jitviz-row",
    `jitviz-row-${row.kind}`,
    row.marks.length && "jitviz-changed",
    isActive && "jitviz-chosen",
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys, and says which row is active
    <div
      id={id}
      class={names.filter(Boolean).join(" ")}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.depth + 1}
      aria-posinset={place.at}
      aria-setsize={place.of}
      aria-selected={isActive}
      aria-expanded={isOpen ?? undefined}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `min(${8 + row.depth * 15}px, 36cqw)` }}
      title={row.path}
      onClick={onPick}
      onDblClick={onFold}
    >
      {isOpen === null ? (
        <span class="jitviz-caret" />
      ) : (
        <span
          class="jitviz-caret"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onFold();
          }}
        >
          <Sign name={isOpen ? "down" : "right"} />
        </span>
      )}
      <LeafIcon row={row} />
      <LongName name={row.name} />
      <span class={isShape ? "jitviz-what jitviz-shape" : "jitviz-what"}>
        {row.marks.length ? <Marks marks={row.marks} row={row} /> : whatOf(row)}
      </span>
      <Tags row={row} />
      <span class="jitviz-sum">{hits ? tellHits(hits, row) : sumOf(row)}</span>
    </div>
  );
}

const TAIL_CHARS = 12;

/** A name that is cut in its middle where it has no room, since its end often tells it from the next. */
function LongName({ name }: { name: string }) {
  const characters = Array.from(name);
  if (characters.length < 2 * TAIL_CHARS) return <code class="jitviz-name">{name}</code>;
  return (
    <code class="jitviz-name jitviz-two-ends" dir="auto">
      <span>{characters.slice(0, -TAIL_CHARS).join("")}</span>
      <span>{characters.slice(-TAIL_CHARS).join("")}</span>
    </code>
  );
}

function whatOf(row: Row) {
  if (row.kind === "node") return <span class="jitviz-faint">{shortName(row.type) || row.value}</span>;
  return <code>{row.role === "traced" ? row.aval : row.value || row.type}</code>;
}

/** A leaf before and after; if the two sides say nothing, the kind of the change. */
function Marks({ marks, row }: { marks: readonly Mark[]; row: Row }) {
  return (
    <>
      {marks.map(({ kind, before, after }) => (
        <span class="jitviz-mark" key={kind}>
          {before || after ? (
            <Change before={before} after={after} />
          ) : (
            <>
              {whatOf(row)} <em>{kind.replaceAll("_", " ")}</em>
            </>
          )}
        </span>
      ))}
    </>
  );
}

/** The flags of a row that are set, in words that the glossary explains. */
export function flagsOf(row: Row): TermName[] {
  return FLAGS.filter((flag) => row[flag]).map((flag) => FLAG_WORDS[flag]);
}

function Tags({ row }: { row: Row }) {
  const tags = [...flagsOf(row), row.sharding].filter(Boolean);
  return tags.length ? (
    <span class="jitviz-tags">
      {tags.map((tag) => (
        <span class="jitviz-tag" key={tag}>
          {tag}
        </span>
      ))}
    </span>
  ) : null;
}

function tellHits(hits: number, { traced, static: isStatic }: Row): string {
  return `${grouped(hits)} of ${count(traced + isStatic, "leaf")}`;
}

function sumOf(row: Row): string {
  if (row.kind === "leaf") return row.role === "traced" ? size(row.nbytes) : "";
  return row.traced || row.static ? parts(row.traced, row.static, row.nbytes) : "";
}

const CIRCLE = "M8 3.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z";
const CIRCLE_AND_ARROW = "M4.6 4.4a3.6 3.6 0 1 0 0 7.2a3.6 3.6 0 1 0 0-7.2zM10 8h5M12.4 5.4L15 8l-2.6 2.6";

/** Filled is traced, a ring is static, an arrow out of it is donated. */
function LeafIcon({ row: { kind, role, is_donated } }: { row: Row }) {
  if (kind === "gone") return <Icon class="jitviz-gone" d="M4 4l8 8M12 4l-8 8" title="removed" />;
  if (role === "static") return <Icon class="jitviz-static" d={CIRCLE} title="static" />;
  if (role !== "traced") return null;
  if (!is_donated) return <Icon class="jitviz-traced jitviz-filled" d={CIRCLE} title="traced" />;
  return <Icon class="jitviz-traced jitviz-filled jitviz-donated" d={CIRCLE_AND_ARROW} title="traced, donated" />;
}

function Icon({ class: name, d, title }: { class: string; d: string; title: string }) {
  return (
    <svg class={`jitviz-icon ${name}`} viewBox="0 0 16 16" role="img" aria-label={title}>
      <path d={d} />
    </svg>
  );
}

/** All details of the active row. */
export function LeafCard({ row, sharding }: { row: Row; sharding: string }) {
  const where = row.sharding || (row.role === "traced" ? sharding : "");
  return (
    <div class="jitviz-leaf" aria-live="polite">
      <div class="jitviz-path">
        <LeafIcon row={row} />
        <code>{row.path || row.name}</code>
        {row.path && <CopyButton text={row.path} what="the path" />}
      </div>
      <div class="jitviz-facts">
        {row.role && <Term name={row.role} />}
        {row.aval && <code>{row.aval}</code>}
        {row.kind === "leaf" && row.role === "traced" && <span>{size(row.nbytes)}</span>}
        {row.type && <span class="jitviz-faint">{row.type === "NoneType" ? "None" : row.type}</span>}
        {row.kind === "node" && row.traced + row.static > 0 && <span>{parts(row.traced, row.static, row.nbytes)}</span>}
        {where && <span class="jitviz-faint">on {where}</span>}
        {flagsOf(row).map((name) => (
          <Term key={name} name={name} />
        ))}
      </div>
      {row.value && <code class="jitviz-value">{row.value}</code>}
      {row.marks.map((mark) => (
        <div key={mark.kind}>
          <b>
            <KindName kind={mark.kind} />
          </b>{" "}
          {(mark.before || mark.after) && <Change before={mark.before} after={mark.after} />}
        </div>
      ))}
    </div>
  );
}
