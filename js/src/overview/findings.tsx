/** What is worth fixing: a row per cause, in the order of what fixing it saves; the first row is open, the others open on demand. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { groupBy } from "../collections.ts";
import { Strips } from "../panel/ribbon.tsx";
import { CopyText, LinkButton, Sign } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Advice, Prose, Sentence } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { FindingKind, FindingView, Panel, Span, Stretch } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { grouped, seconds } from "../words/numbers.ts";
import { nameFindings, sayFinding } from "../words/phrases.ts";
import { EditMark, useSought } from "./edits.tsx";

const FEW = 5;
/** What a finding is about that costs no seconds that are known. */
const LABELS: Partial<Record<FindingKind, string>> = {
  stale: "outdated",
  traced_once: "frozen",
  constant: "memory",
  donation: "memory",
  kept_alive: "memory",
};
const MANY = 12; // more findings than this are grouped

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Called with the compile to look at. */
  onCompile(compile: number): void;
  /** Called with the compile and the line of its source to look at. */
  onProgram(compile: number, source: string): void;
  /** Called with the function whose tracing is to be shown. */
  onTrace(function_: string): void;
}

export function Findings({ panel, ...does }: Props) {
  const { findings, n_more_findings: nMore } = panel;
  const names = nameFindings(findings);
  const marked = new Set(panel.cells.flatMap(({ lines }) => lines.flatMap(({ edits }) => Array.from(edits))));
  const rows = findings.map((finding, place) => ({
    finding,
    name: names[place] ?? "",
    place,
    isMarked: marked.has(place),
    avoidable: panel.account?.avoidable_at ?? [],
  }));
  const items = groupBy(rows, ({ finding, name }) => (findings.length > MANY ? sayFinding(finding) : name));
  const goal = useSought();
  const sought = items.findIndex((group) => group.some(({ place }) => place === goal));
  const { shown, more } = useLongList({ items, most: FEW, noun: "finding", name: "findings", nMore, sought });
  if (findings.length === 0) return null;
  const draw = (row: (typeof rows)[number], isFirst: boolean) => (
    <FindingRow key={row.name} {...row} isFirst={isFirst} {...does} />
  );
  return (
    <section>
      <ol aria-label="What is worth doing">
        {shown.map((group, place) =>
          group.length === 1 ? (
            draw(group[0], place === 0)
          ) : (
            <GroupRow
              key={group[0].name}
              {...group[0]}
              group={group.map(({ finding }) => finding)}
              isSought={place === sought}
              draw={() => group.map((row) => draw(row, false))}
              onCulprit={does.onCulprit}
            />
          ),
        )}
      </ol>
      {more}
    </section>
  );
}

interface RowProps extends Omit<Props, "panel"> {
  /** Its state is kept under this name. */
  name: string;
  finding: FindingView;
  /** Among the findings of the panel. */
  place: number;
  /** Whether a line below is marked as the one to change. */
  isMarked: boolean;
  /** Where avoidable work stands on the bill. */
  avoidable: readonly Stretch[];
  isFirst: boolean;
}

interface GroupProps extends Pick<RowProps, "name" | "finding" | "avoidable" | "onCulprit"> {
  group: readonly FindingView[];
  /** Whether someone goes to one of them. */
  isSought: boolean;
  draw(): ComponentChildren;
}

/** Several findings that say the same of several functions. */
function GroupRow({ name, finding, avoidable, group, isSought, draw, onCulprit }: GroupProps) {
  const [isOpen, setOpen] = usePanelState(`group ${name}`, () => false);
  useLayoutEffect(() => {
    if (isSought) setOpen(true);
  }, [isSought]);
  const saved = group.reduce((sum, one) => sum + savedBy(one), 0);
  const functions = group.slice(0, FEW).map((one) => `\`${one.function}\``);
  const rest = group.length > FEW ? ` and ${grouped(group.length - FEW)} more` : "";
  return (
    <Frame
      {...{ finding, saved, avoidable, isOpen }}
      at={group.flatMap(({ at }) => at)}
      inner={isOpen && <ol>{draw()}</ol>}
      onToggle={setOpen}
    >
      <p class="jitviz-finding-said">
        <Sentence spans={finding.summary} onCulprit={onCulprit} />
      </p>
      <p class="jitviz-faint">
        <Prose text={`${grouped(group.length)} findings alike: in ${functions.join(", ")}${rest}`} />
      </p>
    </Frame>
  );
}

function savedBy({ saves_s, seconds: spent }: FindingView): number {
  return saves_s || spent;
}

interface FrameProps extends Pick<FindingView, "at">, Pick<RowProps, "finding" | "avoidable"> {
  saved: number;
  isOpen: boolean;
  /** As wide as the bill, on whose axis its findings stand. */
  inner?: ComponentChildren;
  onToggle(isOpen: boolean): void;
  children: ComponentChildren;
}

/** What a finding saves, what is said of it, and where it stands on the bill above. */
function Frame({ finding, saved, at, avoidable, isOpen, inner, onToggle, children }: FrameProps) {
  const summary = finding.summary.map(({ text }) => text).join("");
  return (
    <li class="jitviz-finding">
      <b class="jitviz-finding-seconds">
        {saved > 0 ? seconds(saved) : "⚠"}
        <small>{saved > 0 ? (finding.saves_s > 0 ? "to save" : "spent") : LABELS[finding.kind]}</small>
      </b>
      <div class="jitviz-finding-body">{children}</div>
      <LinkButton
        class="jitviz-link jitviz-toggle"
        aria-expanded={isOpen}
        aria-label={`what to do: ${summary}`}
        onClick={() => onToggle(!isOpen)}
      >
        <Sign name={isOpen ? "up" : "down"} />
      </LinkButton>
      <Strips at={at} avoidable={avoidable} />
      {inner}
    </li>
  );
}

function FindingRow({ name, finding, place, isMarked, avoidable, isFirst, onCulprit, ...does }: RowProps) {
  const [chosen, setOpen] = usePanelState<boolean | null>(`open ${name}`, () => null);
  const isOpen = chosen ?? isFirst; // another may come first while the cell runs
  const saved = savedBy(finding);
  const spent = seconds(finding.seconds);
  const cost = [spent !== seconds(saved) && `took ${spent}`, finding.cost].filter(Boolean).join(", ");
  const edits = finding.edits.join(", ");
  const where = `${finding.edits.length > 1 ? "lines" : "line"} to edit: ${edits}`;
  return (
    <Frame {...{ finding, saved, avoidable, isOpen }} at={finding.at} onToggle={setOpen}>
      <p class="jitviz-finding-said">
        <Sentence spans={finding.summary} onCulprit={onCulprit} />
      </p>
      <p class="jitviz-faint">
        <Prose text={[cost, isOpen && finding.effect, !isMarked && edits && where].filter(Boolean).join("; ")} />{" "}
        {isMarked && <EditMark finding={place} at="finding" text={`: ${edits}`} label="go to the line to change" />}
      </p>
      {isOpen && <Fix name={name} finding={finding} {...does} />}
    </Frame>
  );
}

/** Findings about a line inside of a program. */
const IN_PROGRAM: readonly FindingKind[] = ["unrolled", "slow_compile", "constant"];

/** One thing to do, the choices, and buttons to go on. */
function Fix({
  name,
  finding,
  onCompile,
  onProgram,
  onTrace,
}: Omit<RowProps, "place" | "isMarked" | "avoidable" | "isFirst" | "onCulprit">) {
  const [isShown, setShown] = usePanelState(`code ${name}`, () => false);
  const first = finding.compiles[0];
  return (
    <>
      <Advice text={finding.advice} />
      {finding.choices.length > 1 && <Choices finding={finding} />}
      <p class="jitviz-tools">
        {finding.code && <CopyText text={finding.code}>copy code</CopyText>}
        {finding.code && (
          <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "hide code" : "show code"}
          </button>
        )}
        {!finding.code && finding.advice && <CopyText text={finding.advice}>copy advice</CopyText>}
        {first !== undefined && (
          <button type="button" onClick={() => onCompile(first)}>
            show in timeline
          </button>
        )}
        {first !== undefined && IN_PROGRAM.includes(finding.kind) && (
          <button type="button" onClick={() => onProgram(first, finding.source)}>
            show in program
          </button>
        )}
        {finding.kind === "slow_trace" && (
          <button type="button" onClick={() => onTrace(finding.function)}>
            show the trace
          </button>
        )}
      </p>
      {isShown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
        <pre class="jitviz-paste" tabIndex={0}>
          {finding.code}
        </pre>
      )}
    </>
  );
}

const COLUMNS = [
  ["pad to"],
  ["sizes"],
  ["compiles", NUMBER],
  ["more elements", NUMBER],
  ["saves", NUMBER],
  [
    <span key="code" class="jitviz-hidden">
      code
    </span>,
  ],
] as const;

function Choices({ finding }: { finding: FindingView }) {
  return (
    <Table class="jitviz-choices" columns={COLUMNS}>
      {finding.choices.map((choice) => (
        <tr key={choice.name} class={choice.is_best ? "jitviz-best" : ""}>
          <th scope="row">
            {choice.name}
            {choice.is_best && <span class="jitviz-tag">best</span>}
          </th>
          <td>{choice.sizes}</td>
          <td class={NUMBER}>{grouped(choice.compiles)}</td>
          <td class={NUMBER}>{choice.run ? `${choice.padding}, ${choice.run}` : choice.padding}</td>
          <td class={NUMBER}>{choice.saved}</td>
          <td>
            <CopyText text={choice.code || finding.code} what={`the code of ${choice.name}`}>
              copy
            </CopyText>
          </td>
        </tr>
      ))}
    </Table>
  );
}
