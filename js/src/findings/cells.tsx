/**
 * The text of a cell with wall time in its margin: each line's Python, tracing, compiling and running; the heaviest is the
 * darkest, whatever it did. Lines that took no time fold.
 *
 * In: the cells and findings of a panel.  Out: a list of lines for each cell.
 */

import { LinkButton } from "../parts/buttons.tsx";
import type { CellLine, CellView, FindingView } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, keepUnits, seconds } from "../words/numbers.ts";
import { saySpans } from "../words/phrases.ts";
import { EditMark, markOf, useSought } from "./edits.tsx";

const TURNED_CH = 4; // how far a line that is too long is turned in, from where it begins
const COLD = 3; // cold lines in a row that fold
const FAINT = 0.12; // of the heaviest line's ink, for the lightest

interface Props {
  cells: readonly CellView[];
  findings: readonly FindingView[];
}

export function Cells({ cells, findings }: Props) {
  const most = Math.max(...cells.flatMap(({ lines }) => lines.map((line) => line.seconds)), 1e-9);
  return (
    <>
      {cells.map((cell) => (
        <Cell key={cell.label} cell={cell} findings={findings} most={most} />
      ))}
    </>
  );
}

function Cell({ cell, findings, most }: { cell: CellView; findings: readonly FindingView[]; most: number }) {
  const { label, lines, n_more_lines } = cell;
  const [isAll, setAll] = usePanelState(`cold lines of ${label}`, () => false);
  const isSought = useSought() >= 0;
  const blocks = isAll || isSought ? [lines] : foldCold(lines);
  return (
    <section class="jitviz-cell" aria-label={`the text of ${label}`}>
      <h2>
        {label} <span class="jitviz-faint jitviz-small">wall time of each line, with what it called</span>
      </h2>
      <ol class="jitviz-cell-text">
        {blocks.map((block, at) =>
          block.length >= COLD && block.every(isCold) && !isAll ? (
            <li key={at} class="jitviz-cold">
              <LinkButton onClick={() => setAll(true)}>{count(block.length, "line")} that took no time</LinkButton>
            </li>
          ) : (
            block.map((line) => <Line key={line.number} line={line} share={line.seconds / most} findings={findings} />)
          ),
        )}
      </ol>
      {n_more_lines > 0 && <p class="jitviz-faint">{count(n_more_lines, "more line")}</p>}
    </section>
  );
}

function isCold({ seconds: spent, edits, findings, told }: CellLine): boolean {
  return spent <= 0 && edits.length === 0 && findings.length === 0 && !told;
}

/** Stretches of lines that are cold, and of lines that are not. */
function foldCold(lines: readonly CellLine[]): CellLine[][] {
  const blocks: CellLine[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last?.[0] && isCold(last[0]) === isCold(line)) last.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** What a line's time was for, by the class of its fill. */
const PARTS = [
  ["trace", "trace_s"],
  ["compile", "compile_s"],
  ["run", "run_s"],
  ["python", "python_s"],
] as const;

function Line({ line, share, findings }: { line: CellLine; share: number; findings: readonly FindingView[] }) {
  const { number, text, told } = line;
  const indent = text.search(/\S|$/);
  const parts = PARTS.map(([name, field]) => [name, line[field]] as const).filter(([, part]) => part > 0);
  const spent = parts.map(([name, part]) => `${name} ${seconds(part)}`).join(", ");
  const marks = Array.from(line.edits).filter((place) => markOf(findings, place) === place);
  const raised = /\braised /.test(told);
  return (
    <li value={number} class="jitviz-cell-line">
      <span class="jitviz-margin" title={spent || undefined}>
        {line.seconds > 0 && (
          <>
            <span
              class="jitviz-margin-bar"
              style={{ width: `calc((100% - 68px) * ${share})`, opacity: 0.4 + 0.6 * share }}
              aria-hidden="true"
            >
              {parts.map(([name, part]) => (
                <i key={name} class={`jitviz-bar-${name}`} style={{ flexGrow: part / line.seconds }} />
              ))}
            </span>
            <span class="jitviz-margin-text" style={{ "--jitviz-heavy": `${100 * Math.max(FAINT, share)}%` }}>
              {keepUnits(seconds(line.seconds))}
            </span>
          </>
        )}
      </span>
      <span class="jitviz-line-number" aria-hidden="true">
        {number}
      </span>
      <pre style={{ paddingLeft: `min(${indent + TURNED_CH}ch, 24%)`, textIndent: `-${TURNED_CH}ch` }}>
        {text.slice(indent)}
        {marks.map((place) => (
          <EditMark
            key={place}
            finding={place}
            at="line"
            label={`to change this line: ${saySpans(findings[place]?.summary)}`}
          />
        ))}
      </pre>
      {told && <span class={raised ? "jitviz-counts jitviz-failed" : "jitviz-counts jitviz-faint"}>{told}</span>}
    </li>
  );
}
