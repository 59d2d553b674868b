/**
 * What is worth doing: the counted causes of this cell first, a line or two each; what else there is in one folded line.
 *
 * In: a `Panel`.  Out: a row for each finding, which opens to the whole sentence, the advice and code to paste.
 */

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { groupBy } from "../collections.ts";
import { CopyText, LinkButton } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Advice, Code, Prose, Sentence } from "../parts/prose.tsx";
import type { FindingKind, FindingView, Panel, RaisedView, Span } from "../schema.ts";
import type { Lit } from "../score/grid.tsx";
import { usePanelState } from "../state/panel_state.ts";
import { count, grouped, keepUnits, seconds } from "../words/numbers.ts";
import { nameFindings, sayFinding, saySpans } from "../words/phrases.ts";
import { EditMark, FEW, markOf, useSought } from "./edits.tsx";
import { Sizes } from "./sizes.tsx";

/** What a finding is about that costs no seconds that are known. */
const LABELS: Partial<Record<FindingKind, string>> = {
  stale: "stale",
  traced_once: "frozen",
  constant: "memory",
  donation: "memory",
  kept_alive: "memory",
};
/** Findings about a line inside of a program. */
const IN_PROGRAM: readonly FindingKind[] = ["unrolled", "slow_compile", "constant"];

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Called with what a finding is about while it is pointed at, and with null. */
  onLight(lit: Lit | null): void;
  /** Called with the compile and the row to look at. */
  onCompile(compile: number, path: string): void;
  /** Called with the compile and the line of its source to look at. */
  onProgram(compile: number, source: string): void;
  /** Called with the function whose tracing is to be shown. */
  onTrace(function_: string): void;
}

interface Item {
  finding: FindingView;
  /** Its state is kept under this name. */
  name: string;
  /** Among the findings of the panel. */
  place: number;
  /** Of which finding the line below is marked as the one to change, -1 if none is. */
  mark: number;
  /** The function, unless its score is open. */
  where: string;
}

export function Findings({ panel, ...does }: Props) {
  const { findings, n_more_findings: nMore, also } = panel;
  const names = nameFindings(findings);
  const marked = new Set(panel.cells.flatMap(({ lines }) => lines.flatMap(({ edits }) => Array.from(edits))));
  const items = findings.map((finding, place) => ({
    finding,
    name: names[place] ?? "",
    place,
    mark: marked.has(place) ? markOf(findings, place) : -1,
    where: panel.scores.length > 1 && finding.function !== panel.scores[0]?.function ? finding.function : "",
  }));
  const counted = items.filter(({ finding }) => !finding.is_also);
  const others = items.filter(({ finding }) => finding.is_also);
  const goal = useSought();
  const groups = groupBy(counted, ({ finding, name }) => (counted.length > FEW ? sayFinding(finding) : name));
  const sought = groups.findIndex((group) => group.some(({ place }) => place === goal));
  const { shown, more } = useLongList({ items: groups, most: FEW, noun: "finding", name: "findings", nMore, sought });
  const [isOpen, setOpen] = usePanelState("also open", () => false);
  const isAlso = isOpen || others.some(({ place }) => place === goal);
  if (findings.length === 0 && !panel.raised) return null;
  return (
    <section>
      {panel.raised && <Raised raised={panel.raised} onCulprit={does.onCulprit} onLight={does.onLight} />}
      {counted.length > 0 && (
        <ol class="jitviz-findings" aria-label="What is worth doing">
          {shown.map((group, place) =>
            group.length === 1 ? (
              <FindingRow key={group[0].name} {...group[0]} {...does} />
            ) : (
              <GroupRow key={group[0].name} group={group} isSought={place === sought} {...does} />
            ),
          )}
        </ol>
      )}
      {more}
      {others.length > 0 && (
        <div class="jitviz-also">
          <LinkButton aria-expanded={isAlso} onClick={() => setOpen(!isAlso)}>
            Also
          </LinkButton>
          : {also ? <Prose text={also} /> : count(others.length, "more finding")}
          {isAlso && (
            <ol class="jitviz-findings" aria-label="Also">
              {others.map((item) => (
                <FindingRow key={item.name} {...item} {...does} />
              ))}
            </ol>
          )}
        </div>
      )}
    </section>
  );
}

/** The exception that left the cell: the user's line, which leaf is to blame, and what to write instead. */
function Raised({ raised, onCulprit, onLight }: { raised: RaisedView } & Pick<Props, "onCulprit" | "onLight">) {
  const { error, message, source, line, path, also, summary, detail, advice, code } = raised;
  const light = () => onLight({ compiles: new Set(), paths: new Set([path, ...also].filter(Boolean)) });
  return (
    <section class="jitviz-raised-row" aria-label={error} onPointerEnter={light} onPointerLeave={() => onLight(null)}>
      <p>
        <b class="jitviz-failed">{error}</b> {summary.length === 0 && !detail.length && message.split("\n")[0]}
      </p>
      {line && (
        <p>
          <span class="jitviz-faint">{source}</span> <code>{line.trim()}</code>
        </p>
      )}
      {detail.length > 0 && (
        <p class="jitviz-faint">
          <Sentence spans={detail} onCulprit={onCulprit} />
        </p>
      )}
      {advice.length > 0 && (
        <p>
          → <Sentence spans={advice} onCulprit={onCulprit} />
        </p>
      )}
      {code && (
        <div class="jitviz-with-copy">
          <Code text={code} />
          <CopyText text={code}>copy code</CopyText>
        </div>
      )}
      <details>
        <summary>what JAX says</summary>
        <Code text={message} />
      </details>
    </section>
  );
}

interface FrameProps extends Pick<Props, "onLight"> {
  group: readonly FindingView[];
  label: string;
  isOpen: boolean;
  tools: ComponentChildren;
  onToggle(): void;
  children: ComponentChildren;
}

/** What it saves, in large; what is said of it; what to do with it. Pointing at it lights its columns and rows. */
function Frame({ group, label, isOpen, tools, onLight, onToggle, children }: FrameProps) {
  const [first] = group as [FindingView];
  const saved = group.reduce((sum, one) => sum + savedBy(one), 0);
  const light = () => onLight(litBy(group));
  const dim = () => onLight(null);
  return (
    <li class="jitviz-finding" onPointerEnter={light} onPointerLeave={dim} onFocusIn={light} onFocusOut={dim}>
      <b class={first.saves_s > 0 ? "jitviz-large jitviz-saved" : "jitviz-large"}>
        {saved > 0 ? keepUnits(seconds(saved)) : LABELS[first.kind] && <small>{LABELS[first.kind]}</small>}
      </b>
      <div class="jitviz-finding-body">{children}</div>
      <div class="jitviz-tools">
        {tools}
        <button type="button" aria-expanded={isOpen} aria-label={`more on: ${label}`} onClick={onToggle}>
          {isOpen ? "less" : "more"}
        </button>
      </div>
    </li>
  );
}

function FindingRow({ name, finding, mark, where, ...does }: Item & Omit<Props, "panel">) {
  const { summary, cause, brief, advice, code, kind } = finding;
  const [isOpen, setOpen] = usePanelState(`open ${name}`, () => false);
  const spent = seconds(finding.seconds);
  const cost = [finding.saves_s > 0 && spent !== seconds(finding.saves_s) && `took ${spent}`, finding.cost]
    .filter(Boolean)
    .join(", ");
  const edits = finding.edits.join(", ");
  const [first] = Array.from(finding.compiles);
  const path = finding.paths[0] ?? summary.find((span) => span.path)?.path ?? "";
  return (
    <Frame
      group={[finding]}
      label={saySpans(summary)}
      isOpen={isOpen}
      onLight={does.onLight}
      onToggle={() => setOpen(!isOpen)}
      tools={code ? <CopyText text={code}>copy code</CopyText> : advice && <CopyText text={advice}>copy</CopyText>}
    >
      <p class="jitviz-finding-said">
        <Sentence spans={cause.length > 0 ? cause : summary} onCulprit={does.onCulprit} />{" "}
        {where && !saySpans(cause).includes(where) && (
          <span class="jitviz-faint">
            in <code>{where}</code>{" "}
          </span>
        )}
        {mark >= 0 && <EditMark finding={mark} at="finding" text={`: ${edits}`} label="go to the line to change" />}
      </p>
      {(brief || advice) && !isOpen && (
        <p class="jitviz-faint">
          <Prose text={brief || advice} />
        </p>
      )}
      {isOpen && (
        <div class="jitviz-whole">
          {cause.length > 0 && saySpans(cause) !== saySpans(summary) && (
            <p>
              <Sentence spans={summary} onCulprit={does.onCulprit} />
            </p>
          )}
          <p class="jitviz-faint">
            <Prose text={[cost, finding.effect, mark < 0 && edits && `to edit: ${edits}`].filter(Boolean).join("; ")} />
          </p>
          <Advice text={advice} />
          {finding.plan ? <Sizes finding={finding} plan={finding.plan} name={name} /> : code && <Code text={code} />}
          <p class="jitviz-tools">
            {first !== undefined && (
              <button type="button" onClick={() => does.onCompile(first, path)}>
                show the call
              </button>
            )}
            {first !== undefined && IN_PROGRAM.includes(kind) && (
              <button type="button" onClick={() => does.onProgram(first, finding.source)}>
                show in program
              </button>
            )}
            {kind === "slow_trace" && (
              <button type="button" onClick={() => does.onTrace(finding.function)}>
                show the trace
              </button>
            )}
          </p>
        </div>
      )}
    </Frame>
  );
}

/** Several findings that say the same of several functions. */
function GroupRow({
  group,
  isSought,
  ...does
}: { group: readonly [Item, ...Item[]]; isSought: boolean } & Omit<Props, "panel">) {
  const [{ finding, name, mark }] = group;
  const isAlike = group.every((one) => one.mark === mark);
  const [isOpen, setOpen] = usePanelState(`group ${name}`, () => false);
  useLayoutEffect(() => {
    if (isSought && !isAlike) setOpen(true);
  }, [isSought]);
  const functions = group.slice(0, FEW).map((one) => `\`${one.finding.function}\``);
  const rest = group.length > FEW ? ` and ${grouped(group.length - FEW)} more` : "";
  return (
    <>
      <Frame
        group={group.map((one) => one.finding)}
        label={saySpans(finding.summary)}
        isOpen={isOpen}
        onLight={does.onLight}
        onToggle={() => setOpen(!isOpen)}
        tools={null}
      >
        <p class="jitviz-finding-said">
          <Sentence spans={finding.cause.length > 0 ? finding.cause : finding.summary} onCulprit={does.onCulprit} />{" "}
          <span class="jitviz-faint">
            <Prose text={`in ${functions.join(", ")}${rest}`} />
          </span>{" "}
          {mark >= 0 && isAlike && !isOpen && (
            <EditMark
              finding={mark}
              at="finding"
              text={`: ${finding.edits.join(", ")}`}
              label="go to the line to change"
            />
          )}
        </p>
        {group.every((one) => one.finding.brief === finding.brief) && (
          <p class="jitviz-faint">
            <Prose text={finding.brief} />
          </p>
        )}
      </Frame>
      {isOpen && group.map((item) => <FindingRow key={item.name} {...item} {...does} />)}
    </>
  );
}

function savedBy({ saves_s, seconds: spent }: FindingView): number {
  return saves_s || spent;
}

function litBy(group: readonly FindingView[]): Lit {
  return {
    compiles: new Set(group.flatMap(({ compiles }) => Array.from(compiles))),
    paths: new Set(
      group.flatMap(({ paths, summary }) => [...paths, ...summary.map(({ path }) => path)].filter(Boolean)),
    ),
  };
}
