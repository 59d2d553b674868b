/** The text of a cell as an index: in the margin the seconds of compiling that a line caused, dark where the line itself called, below it the findings about it. */

import { groupBy } from "../collections.ts";
import { Sentence } from "../parts/prose.tsx";
import type { CellLine, CellView, FindingView, Span } from "../schema.ts";
import { count, grouped, keepUnits, seconds } from "../words/numbers.ts";
import { sayFinding } from "../words/phrases.ts";
import { EditMark } from "./edits.tsx";

const TURNED_CH = 4; // how far a line that is too long is turned in, from where it begins

interface Props {
  cells: readonly CellView[];
  findings: readonly FindingView[];
  onCulprit(span: Span): void;
}

export function Cells({ cells, findings, onCulprit }: Props) {
  const most = Math.max(...cells.flatMap(({ lines }) => lines.map((line) => line.seconds)), 1e-9);
  return (
    <>
      {cells.map(({ label, lines, n_more_lines }) => (
        <section key={label} class="jitviz-cell" aria-label={`the text of ${label}`}>
          <h2>
            {label}{" "}
            <span class="jitviz-faint">
              time compiling at each line, calls included
              {lines.some(({ edits }) => Array.from(edits).includes(0)) &&
                "; edit 1 marks what to change for the first finding"}
            </span>
          </h2>
          <ol class="jitviz-cell-text">
            {lines.map((line, at) => (
              <Line
                key={line.number}
                line={line}
                share={line.seconds / most}
                isAfterGap={line.number - (lines[at - 1]?.number ?? 0) > 1}
                blamed={Array.from(line.findings).flatMap((place) => findings[place] ?? [])}
                findings={findings}
                onCulprit={onCulprit}
              />
            ))}
          </ol>
          {n_more_lines > 0 && <p class="jitviz-faint">{count(n_more_lines, "more line")}</p>}
        </section>
      ))}
    </>
  );
}

function tell(finding: FindingView | undefined) {
  return finding?.summary.map(({ text }) => text).join("") ?? "";
}

interface LineProps extends Pick<Props, "findings" | "onCulprit"> {
  line: CellLine;
  share: number;
  isAfterGap: boolean;
  blamed: readonly FindingView[];
}

function Line({ line, share, isAfterGap, blamed, findings, onCulprit }: LineProps) {
  const { number, text, told } = line;
  const indent = text.search(/\S|$/);
  const groups = groupBy(blamed, sayFinding);
  return (
    <li value={number} class={isAfterGap ? "jitviz-cell-line jitviz-cell-gap" : "jitviz-cell-line"}>
      <span class="jitviz-margin">
        {line.seconds > 0 && (
          <>
            <span
              class="jitviz-margin-bar jitviz-margin-beneath"
              style={{ width: `${100 * share}%` }}
              aria-hidden="true"
            />
            <span
              class="jitviz-margin-bar"
              style={{ width: `${100 * share * (1 - line.beneath / line.seconds)}%` }}
              aria-hidden="true"
            />
            <span class="jitviz-margin-text">{seconds(line.seconds)}</span>
          </>
        )}
      </span>
      <span class="jitviz-line-number" aria-hidden="true">
        {number}
      </span>
      <pre style={{ paddingLeft: `min(${indent + TURNED_CH}ch, 40%)`, textIndent: `-${TURNED_CH}ch` }}>
        {text.slice(indent)}
        {Array.from(line.edits, (place) => (
          <EditMark key={place} finding={place} at="line" label={`to change this line: ${tell(findings[place])}`} />
        ))}
      </pre>
      {told && <span class={`jitviz-counts ${/\braised /.test(told) ? "jitviz-failed" : "jitviz-faint"}`}>{told}</span>}
      {blamed.length > 0 && (
        <div class="jitviz-blames">
          {groups.map(([finding, ...others], index) => (
            <p key={index} class="jitviz-blame">
              <Sentence spans={finding.summary} onCulprit={onCulprit} />
              <span class="jitviz-faint">
                {others.length > 0 && `, in ${grouped(1 + others.length)} functions`}
                {finding.seconds > 0 &&
                  keepUnits(` ${seconds(others.reduce((sum, one) => sum + one.seconds, finding.seconds))}`)}
              </span>
            </p>
          ))}
        </div>
      )}
    </li>
  );
}
