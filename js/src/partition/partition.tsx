/**
 * The partition of the chosen call: its tree of arguments or outputs, filtered, folded, with what changed.
 *
 * In: the choice.  Out: the tree; until the whole tree is here, the part that came with the panel.
 * Must never: leave the tree empty without saying why.
 */

import { useEffect, useMemo } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { keepTyping } from "../parts/keys.ts";
import { Segments } from "../parts/segments.tsx";
import { Term } from "../parts/term.tsx";
import type { Detail, FunctionView, Partition } from "../schema.ts";
import { type Answer, useAnswer } from "../state/answers.ts";
import type { Calls } from "../state/calls.ts";
import type { Choice } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, grouped, size } from "../words/numbers.ts";
import { hasNumber, nameCall } from "../words/phrases.ts";
import { TreeList } from "./list.tsx";
import { LeafCard } from "./row.tsx";
import { foldedAtFirst, growTree, sift, type Tree } from "./tree.ts";

const SIDES = ["inputs", "outputs"] as const;
type Side = (typeof SIDES)[number];

interface Props {
  calls: Calls;
  choice: Choice;
  /** Called with the path of the selected leaf. */
  onLeaf(path: string): void;
}

export function PartitionPane({ calls, choice, onLeaf }: Props) {
  const [side, setSide] = usePanelState<Side>("side", () => "inputs");
  const [pointed, setPointed] = usePanelState("output", () => "");
  const { version, home, call } = choice;
  const isHere = version !== null && !version.is_before;
  const { key, params } = questionOf(calls, choice);
  const answer = useAnswer("partition", params, key);
  const tree = useMemo(() => chooseTree(answer, calls, choice, side), [answer.state, key, version, home, call, side]);
  const outputs = answer.state === "done" ? answer.value.outputs : (version?.outputs ?? null);
  if (!tree) return <NoPartition calls={calls} choice={choice} answer={answer} />;
  const name = `tree ${version ? `${version.index} ${version.is_before}` : `of call ${call}`} ${home?.name} ${side}`;
  const compared = isHere && version.reasons.some((reason) => reason.kind !== "first");
  return (
    <section class="jitviz-partition">
      <div class="jitviz-bar">
        <h2>
          <Term name="partition">Partition</Term>{" "}
          <span class="jitviz-faint">
            of <code>{home?.name}</code>
            {call >= 0 && hasNumber(calls, call) && `, ${nameCall(calls, call)}`}
            {version && `, ${version.name}`}
          </span>
        </h2>
        {outputs && <Segments label="Inputs or outputs" items={SIDES} chosen={side} onChoose={setSide} />}
      </div>
      <Browser
        key={name}
        name={name}
        tree={tree}
        pointed={side === "inputs" ? choice.path : pointed}
        label={`${side} of ${home?.name ?? "the call"}`}
        isCompared={compared && side === "inputs"}
        onPoint={side === "inputs" ? onLeaf : setPointed}
      />
      <AnswerStatus answer={answer} what="the whole tree" instead="Only part of this tree is here." />
    </section>
  );
}

/** The question for the whole tree; its key is "" if the panel has all of it. */
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

function chooseTree(answer: Answer<Detail>, calls: Calls, choice: Choice, side: Side): Tree | null {
  const { version, home, call } = choice;
  const whole = answer.state === "done" ? answer.value[side] : null;
  const own = side === "inputs" && calls.isFirstSigned(call) ? home?.called_with : null;
  const part = version ? version[side] : own;
  return whole ? growTree(whole) : part ? growTree(part) : null;
}

function NoPartition({ calls, choice, answer }: { calls: Calls; choice: Choice; answer: Answer<Detail> }) {
  const isUnknown = choice.call >= 0 && !choice.version && !calls.isSigned(choice.call);
  return (
    <section class="jitviz-partition jitviz-none">
      <p class="jitviz-faint">
        {isUnknown
          ? tellUnknown(calls, choice.call)
          : calls.n > 0
            ? "Choose a call to see which of its leaves were traced and which were static."
            : "No call of a jitted function was seen, so there is no partition."}
      </p>
      {!isUnknown && <AnswerStatus answer={answer} what="the tree" />}
    </section>
  );
}

function tellUnknown(calls: Calls, call: number): string {
  const outcome = calls.outcome(call);
  if (outcome === "inlined") return "This call became part of another program, and its arguments were not seen.";
  if (outcome === "error") return "This call raised, and its arguments were not seen.";
  const maybe = calls.mayHaveRun(call);
  return maybe
    ? `This call ran ${maybe}. Which one is not known, so neither is its partition.`
    : "Which compiled version this call ran is not known, so neither is its partition.";
}

interface BrowserProps {
  /** Its state is kept under this name. */
  name: string;
  onPoint(path: string): void;
  tree: Tree;
  pointed: string;
  label: string;
  isCompared: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/** A tree with its filter. The filter stays when the whole tree replaces a part; folds and the active row do not. */
function Browser({ name, tree, pointed, label, isCompared, onPoint }: BrowserProps) {
  const [filter, setFilter] = usePanelState(`${name} filter`, () => "");
  const [onlyChanged, setOnlyChanged] = usePanelState(`${name} changed`, () => isCompared && tree.marked.length > 0);
  const place = `${name} ${tree.n}`;
  const sieve = filter.trim() || onlyChanged ? `${onlyChanged} ${filter}` : "";
  const [folded, setFolded] = usePanelState<ReadonlySet<number>>(`${place} folded`, () => foldedAtFirst(tree));
  // A filter opens the folds around its hits; what is folded then is open again under the next filter.
  const [away, setAway] = usePanelState(`${place} away`, () => ({ sieve, folded: NONE }));
  const [active, setActive] = usePanelState(`${place} active`, () => -1);
  const shut = sieve === "" ? folded : away.sieve === sieve ? away.folded : NONE;
  const { rows, hits, hitsBelow, isNode } = useMemo(
    () => sift(tree, { filter, onlyChanged, folded: shut }),
    [tree, filter, onlyChanged, shut],
  );
  const fold = (index: number, isFolded: boolean) => {
    const next = new Set(shut);
    if (isFolded) next.add(index);
    else next.delete(index);
    if (sieve) setAway({ sieve, folded: next });
    else setFolded(next);
  };
  useEffect(() => {
    if (active >= 0 && tree.path(active) === pointed) return;
    const at = pointed ? indexOfPath(tree, pointed) : -1;
    const next = new Set(folded);
    for (let up = tree.parent[at] ?? -1; up >= 0; up = tree.parent[up] ?? -1) next.delete(up);
    if (next.size < folded.size) setFolded(next);
    if (at !== active) setActive(at);
  }, [pointed, tree]);
  const choose = (index: number) => {
    setActive(index);
    onPoint(index < 0 ? "" : tree.path(index));
  };
  return (
    <>
      <Sums about={tree.about} />
      <div class="jitviz-bar">
        <input
          type="search"
          class="jitviz-filter"
          placeholder="filter by path, type or value"
          aria-label={`filter the ${label}`}
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
      {rows.length === 0 ? (
        <p class="jitviz-faint">{tellNothing(tree, filter, onlyChanged)}</p>
      ) : (
        <>
          {filter.trim() && (
            <p class="jitviz-faint" role="status">
              {grouped(hits)} of {count(tree.about.traced + tree.about.static, "leaf")}
            </p>
          )}
          <TreeList
            key={place}
            name={place}
            {...{ tree, rows, sieve, hitsBelow, isNode, active, label }}
            folded={shut}
            onActive={choose}
            onFold={fold}
          />
          {rows.includes(active) && <LeafCard row={tree.row(active)} sharding={tree.about.sharding} />}
        </>
      )}
    </>
  );
}

function tellNothing(tree: Tree, filter: string, onlyChanged: boolean): string {
  if (filter) return "No leaf has this in its path, type or value.";
  if (onlyChanged || (tree.about.is_diff && tree.about.n_more_leaves > 0))
    return "No leaf changed: the reason lies elsewhere.";
  return "There are no leaves.";
}

function Sums({ about }: { about: Partition }) {
  return (
    <p class="jitviz-sums">
      <span class="jitviz-dot jitviz-traced" aria-hidden="true" /> <b>{grouped(about.traced)}</b>{" "}
      <Term name="traced">traced {about.traced === 1 ? "leaf" : "leaves"}</Term>
      {about.nbytes > 0 && <span>, {size(about.nbytes)}</span>}
      <span class="jitviz-dot jitviz-static" aria-hidden="true" /> <b>{grouped(about.static)}</b> <Term name="static" />
      {about.sharding && <span class="jitviz-faint"> · all on {about.sharding}</span>}
      {about.transform && <span> · shaped by {about.transform}</span>}
      {about.rows.length > 0 && about.n_more_leaves > 0 && (
        <span class="jitviz-faint"> · {count(about.n_more_leaves, "leaf")} hidden</span>
      )}
      {about.note && <span class="jitviz-note jitviz-block">{about.note}</span>}
    </p>
  );
}

function indexOfPath(tree: Tree, path: string): number {
  for (let index = 0; index < tree.n; index += 1) if (tree.path(index) === path) return index;
  return -1;
}
