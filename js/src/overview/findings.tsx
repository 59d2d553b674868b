/** What is worth fixing: a row per cause, in the order of what fixing it saves; the first row is open, the others open on demand. */

import { CopyText, LinkButton, Sign } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Advice, Prose, Sentence } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { FindingView, Panel, Span } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { grouped, seconds } from "../words/numbers.ts";
import { nameFindings } from "../words/phrases.ts";

const FEW = 5;

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Called with the compile to look at. */
  onCompile(compile: number): void;
  /** Called with the function whose tracing is to be shown. */
  onTrace(function_: string): void;
}

export function Findings({ panel, ...does }: Props) {
  const { findings } = panel;
  const { shown, more } = useLongList({
    items: findings,
    most: FEW,
    noun: "finding",
    name: "findings",
    nMore: panel.n_more_findings,
  });
  const names = nameFindings(findings);
  if (findings.length === 0) return null;
  return (
    <section>
      <ol aria-label="What is worth doing">
        {shown.map((finding, place) => (
          <FindingRow key={names[place]} name={names[place] ?? ""} finding={finding} isFirst={place === 0} {...does} />
        ))}
      </ol>
      {more}
    </section>
  );
}

interface RowProps extends Omit<Props, "panel"> {
  /** Its state is kept under this name. */
  name: string;
  finding: FindingView;
  isFirst: boolean;
}

function FindingRow({ name, finding, isFirst, onCulprit, ...does }: RowProps) {
  const [chosen, setOpen] = usePanelState<boolean | null>(`open ${name}`, () => null);
  const isOpen = chosen ?? isFirst; // another may come first while the cell runs
  const saved = finding.saves_s || finding.seconds;
  const cost = [finding.seconds !== saved && seconds(finding.seconds), finding.cost].filter(Boolean).join(", ");
  const summary = finding.summary.map(({ text }) => text).join("");
  return (
    <li class="jitviz-finding">
      <b class="jitviz-finding-seconds" title={finding.saves_s > 0 ? "what fixing this saves" : "what it cost"}>
        {saved > 0 ? seconds(saved) : ""}
      </b>
      <div class="jitviz-finding-body">
        <p class="jitviz-finding-said">
          <Sentence spans={finding.summary} onCulprit={onCulprit} />
        </p>
        <p class="jitviz-faint">
          <Prose text={[cost, isOpen && finding.effect].filter(Boolean).join("; ")} />
        </p>
        {isOpen && <Fix name={name} finding={finding} {...does} />}
      </div>
      <LinkButton
        class="jitviz-link jitviz-toggle"
        aria-expanded={isOpen}
        aria-label={`what to do: ${summary}`}
        onClick={() => setOpen(!isOpen)}
      >
        <Sign name={isOpen ? "up" : "down"} />
      </LinkButton>
    </li>
  );
}

/** One thing to do, the choices, and buttons to go on. */
function Fix({ name, finding, onCompile, onTrace }: Omit<RowProps, "isFirst" | "onCulprit">) {
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
