/**
 * Every leaf of the chosen call, or of its outputs: also those that the score groups or leaves out.
 *
 * In: the choice.  Out: a tree that folds, or those that a filter finds; until all are here, those that came with the panel.
 * Must never: stay empty without saying why.
 */

import { useMemo } from "preact/hooks";
import { toggled } from "../collections.ts";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { LinkButton, Sign } from "../parts/buttons.tsx";
import { keepTyping } from "../parts/keys.ts";
import { Change } from "../parts/prose.tsx";
import { Segments } from "../parts/segments.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import { Term } from "../parts/term.tsx";
import { type Detail, FLAG_WORDS, FLAGS, type FunctionView, type Partition, type Row } from "../schema.ts";
import { type Answer, useAnswer } from "../state/answers.ts";
import type { Calls } from "../state/calls.ts";
import type { Choice } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, grouped, size } from "../words/numbers.ts";
import { type LeafRows, leafRowsOf, sift, unfold } from "./leaf_rows.ts";

const STEP = 200; // rows at a time
const SIDES = ["inputs", "outputs"] as const;
type Side = (typeof SIDES)[number];

interface Props {
  calls: Calls;
  choice: Choice;
  /** Called with the path of a leaf of the inputs. */
  onLeaf(path: string): void;
}

export function Leaves({ calls, choice, onLeaf }: Props) {
  const [side, setSide] = usePanelState<Side>("side", () => "inputs");
  const { version } = choice;
  const { key, params } = questionOf(calls, choice);
  const answer = useAnswer("partition", params, key);
  const leaves = chooseLeaves(answer, calls, choice, side);
  const outputs = answer.state === "done" ? answer.value.outputs : (version?.outputs ?? null);
  const status = (
    <AnswerStatus answer={answer} what="all leaves" instead={leaves ? "Only some leaves are here." : ""} />
  );
  if (!leaves) {
    const unknown = choice.call >= 0 && !version && !calls.isSigned(choice.call) && tellUnknown(calls, choice.call);
    return <div class="jitviz-leaves">{unknown ? <p class="jitviz-faint">{unknown}</p> : status}</div>;
  }
  const compared = version !== null && !version.is_before && version.reasons.some(({ kind }) => kind !== "first");
  return (
    <div class="jitviz-leaves">
      {outputs && <Segments label="Inputs or outputs" items={SIDES} chosen={side} onChoose={setSide} />}
      <LeafTable
        leaves={leaves}
        name={`leaves ${choice.home?.name} ${version ? `${version.index} ${version.is_before}` : choice.call} ${side}`}
        label={`the ${side}`}
        path={side === "inputs" ? choice.path : ""}
        isCompared={compared && side === "inputs"}
        onLeaf={side === "inputs" ? onLeaf : null}
      />
      {status}
    </div>
  );
}

/** The question for all leaves; its key is "" if the panel has them. */
function questionOf(calls: Calls, { version, home, call }: Choice) {
  if (version && !version.is_before) {
    const isWhole = isComplete(version.inputs) && isComplete(version.outputs);
    return { key: isWhole ? "" : `compile ${version.index} ${version.status}`, params: { compile: version.index } };
  }
  const first = version ? calls.firstLike(call) : call;
  const isKnown = version !== null || (calls.isSigned(call) && !isWholeHere(calls, home, call));
  return { key: isKnown && first >= 0 ? `call ${first}` : "", params: { call: first } };
}

function isWholeHere(calls: Calls, home: FunctionView | null, call: number): boolean {
  return !!home?.called_with && calls.isFirstSigned(call) && isComplete(home.called_with);
}

function isComplete(part: Partition | null): boolean {
  return part === null || (!part.is_diff && part.n_more_leaves === 0);
}

function chooseLeaves(answer: Answer<Detail>, calls: Calls, choice: Choice, side: Side): LeafRows | null {
  const { version, home, call } = choice;
  const whole = answer.state === "done" ? answer.value[side] : null;
  const own = side === "inputs" && calls.isFirstSigned(call) ? home?.called_with : null;
  const part = whole ?? (version ? version[side] : own);
  return part ? leafRowsOf(part) : null;
}

function tellUnknown(calls: Calls, call: number): string {
  const outcome = calls.outcome(call);
  if (outcome === "inlined") return "This call became part of another program, and its arguments were not seen.";
  if (outcome === "error") return "This call raised, and its arguments were not seen.";
  const maybe = calls.mayHaveRun(call);
  return maybe
    ? `This call ran ${maybe}. Which one is not known, so neither are its leaves.`
    : "Which compiled version this call ran is not known, so neither are its leaves.";
}

interface TableProps {
  leaves: LeafRows;
  /** Its state is kept under this name. */
  name: string;
  label: string;
  /** The chosen leaf, or "". */
  path: string;
  isCompared: boolean;
  onLeaf: Props["onLeaf"] | null;
}

function LeafTable({ leaves, name, label, path, isCompared, onLeaf }: TableProps) {
  const { about, tree, rows, depth } = leaves;
  const [filter, setFilter] = usePanelState(`${name} filter`, () => "");
  const hasChanged = rows.some(({ marks }) => marks.length > 0);
  const [onlyChanged, setOnlyChanged] = usePanelState(`${name} changed`, () => isCompared && hasChanged);
  const [turned, setTurned] = usePanelState<ReadonlySet<string>>(`${name} turned ${tree.length}`, () => new Set());
  const [most, setMost] = usePanelState(`${name} most`, () => STEP);
  const isTree = !onlyChanged && !filter.trim();
  const isOpen = (row: Row) => row.depth < depth !== turned.has(row.path);
  const found = useMemo(
    () =>
      isTree ? unfold(tree, isOpen) : sift(onlyChanged ? rows.filter(({ marks }) => marks.length > 0) : rows, filter),
    [leaves, filter, onlyChanged, turned],
  );
  return (
    <>
      <Sums about={about} />
      <div class="jitviz-bar">
        <input
          type="search"
          class="jitviz-filter"
          placeholder="filter by path, type or value"
          aria-label={`filter ${label}`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={keepTyping}
        />
        {isCompared && (
          <button type="button" aria-pressed={onlyChanged} onClick={() => setOnlyChanged(!onlyChanged)}>
            only what changed
          </button>
        )}
      </div>
      {found.length > 0 && (
        <Table columns={[["leaf"], ["value"], ["bytes", `${NUMBER} jitviz-wide`]]}>
          {found.slice(0, most).map((row) => (
            <LeafRow
              key={row.path || row.name}
              row={row}
              isChosen={path !== "" && row.path === path}
              isTree={isTree}
              isOpen={isOpen(row)}
              onTurn={() => setTurned(toggled(turned, row.path))}
              onLeaf={onLeaf}
            />
          ))}
        </Table>
      )}
      <p class="jitviz-faint" role="status">
        {found.length === 0 && tellNothing(about, filter, onlyChanged)}
        {found.length > 0 && filter.trim() && `${grouped(found.length)} of ${grouped(rows.length)} `}
        {found.length > most && (
          <LinkButton onClick={() => setMost(most + STEP)}>
            {found.length - most > STEP ? `show ${STEP} of ` : "show "}
            {grouped(found.length - most)} more
          </LinkButton>
        )}
      </p>
    </>
  );
}

function tellNothing(about: Partition, filter: string, onlyChanged: boolean): string {
  if (filter.trim()) return "No leaf has this in its path, type or value.";
  if (onlyChanged || (about.is_diff && about.n_more_leaves > 0)) return "No leaf changed: the reason lies elsewhere.";
  return "There are no leaves.";
}

function Sums({ about }: { about: Partition }) {
  return (
    <p>
      <Term name="partition">Partition</Term>: <b>{grouped(about.traced)}</b>{" "}
      <Term name="traced">traced {about.traced === 1 ? "leaf" : "leaves"}</Term>
      {about.nbytes > 0 && `, ${size(about.nbytes)}`} · <b>{grouped(about.static)}</b> <Term name="static" />
      {about.sharding && <span class="jitviz-faint"> · all on {about.sharding}</span>}
      {about.transform && ` · shaped by ${about.transform}`}
      {about.rows.length > 0 && about.n_more_leaves > 0 && (
        <span class="jitviz-faint"> · {count(about.n_more_leaves, "leaf")} hidden</span>
      )}
      {about.note && <span class="jitviz-note"> {about.note}</span>}
    </p>
  );
}

interface RowProps extends Pick<TableProps, "onLeaf"> {
  row: Row;
  isChosen: boolean;
  /** Whether it stands beneath its nodes, which say the beginning of its path. */
  isTree: boolean;
  isOpen: boolean;
  onTurn(): void;
}

function LeafRow({ row, isChosen, isTree, isOpen, onTurn, onLeaf }: RowProps) {
  const { kind, role, path, name, depth, aval, value, type, sharding, nbytes, marks, traced } = row;
  const isNode = kind === "node" && traced + row.static > 0;
  const tags = [...FLAGS.filter((flag) => row[flag]).map((flag) => FLAG_WORDS[flag]), sharding].filter(Boolean);
  const said = isTree ? name : path || name;
  const named = kind === "gone" ? <del>{said}</del> : <code>{said}</code>;
  const short = type === "NoneType" ? "None" : (type.split(".").at(-1) ?? "");
  return (
    <tr aria-current={isChosen || undefined}>
      <th scope="row" title={path} style={isTree ? { paddingLeft: `min(${depth * 14}px, 30cqw)` } : undefined}>
        {role && <span class={`jitviz-swatch jitviz-${role}`} role="img" aria-label={role} />}
        {isTree && isNode ? (
          <button type="button" class="jitviz-unfold" aria-expanded={isOpen} onClick={onTurn}>
            <Sign name={isOpen ? "down" : "right"} />
            {named}
          </button>
        ) : onLeaf && path ? (
          <LinkButton onClick={() => onLeaf(path)}>{named}</LinkButton>
        ) : (
          named
        )}
      </th>
      <td>
        {marks.map((mark) =>
          mark.before || mark.after ? (
            <Change key={mark.kind} before={mark.before} after={mark.after} />
          ) : (
            <em key={mark.kind}>{mark.kind.replaceAll("_", " ")} </em>
          ),
        )}
        {marks.length === 0 && <code>{role === "traced" ? aval : value || short}</code>}{" "}
        {marks.length === 0 && role !== null && short !== value && <span class="jitviz-faint">{short}</span>}
        {isNode && (
          <span class="jitviz-faint">
            {grouped(traced)} traced, {grouped(row.static)} static
          </span>
        )}
        {tags.map((tag) => (
          <span class="jitviz-tag" key={tag}>
            {tag}
          </span>
        ))}
      </td>
      <td class={`${NUMBER} jitviz-wide`}>{nbytes > 0 && size(nbytes)}</td>
    </tr>
  );
}
