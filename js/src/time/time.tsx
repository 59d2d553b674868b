/** Where the time went, as an icicle or a table; or, in other units, the parts of the chosen program. */

import { useMemo } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { Segments } from "../parts/segments.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import { hasTexts, VersionPicker } from "../program/picker.tsx";
import { type Measure, nameMeasure, percent } from "../program/work.ts";
import type { Panel } from "../schema.ts";
import { useAnswer } from "../state/answers.ts";
import { type Choice, namePicked, type Picked } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count } from "../words/numbers.ts";
import { Icicle } from "./icicle.tsx";
import { type Cut, cutAccount, cutProgram } from "./slices.ts";

export type Unit = "seconds" | Measure;
/** The name of the state that says which unit is shown, and the label of the icicle of seconds. */
export const UNIT = "time unit";
export const SECONDS = "Where the time went";
const UNITS: readonly Unit[] = ["seconds", "equations", "stablehlo_ops", "hlo_ops", "flops"];
const MOST_ROWS = 200;

interface Props {
  panel: Panel;
  choice: Choice;
  onVersion(picked: Picked): void;
}

export function Time({ panel, choice, onVersion }: Props) {
  const [unit, setUnit] = usePanelState<Unit>(UNIT, () => "seconds");
  const [isTable, setTable] = usePanelState("time table", () => false);
  const picked = pickedIn(panel, choice);
  const units = picked ? UNITS : UNITS.slice(0, 1);
  const { account } = panel;
  return (
    <section>
      <div class="jitviz-bar">
        {units.length > 1 ? (
          <Segments label="Unit" items={units} chosen={unit} nameItem={nameUnit} onChoose={setUnit} />
        ) : (
          <span />
        )}
        <span class="jitviz-tools">
          {unit !== "seconds" && <VersionPicker panel={panel} label="program of" picked={picked} onPick={onVersion} />}
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            table
          </button>
        </span>
      </div>
      {unit === "seconds"
        ? account && <Seconds panel={panel} isTable={isTable} />
        : picked && <Made key={`${picked.version.index} ${unit}`} picked={picked} unit={unit} isTable={isTable} />}
    </section>
  );
}

function nameUnit(unit: Unit): string {
  return unit === "seconds" ? unit : nameMeasure(unit);
}

function Seconds({ panel: { account }, isTable }: { panel: Panel; isTable: boolean }) {
  const cut = useMemo(() => account && cutAccount(account), [account]);
  if (!cut || !account) return null;
  return (
    <>
      <Drawn cut={cut} isTable={isTable} label={SECONDS} />
      {account.n_more > 0 && <p class="jitviz-faint">{count(account.n_more, "more row")}</p>}
      {account.beside && <p class="jitviz-faint">{account.beside}</p>}
      {account.processes.map((text) => (
        <p class="jitviz-faint">{text}</p>
      ))}
    </>
  );
}

interface MadeProps {
  picked: Picked;
  unit: Measure;
  isTable: boolean;
}

/** The parts of a program, by call stack. */
function Made({ picked, unit, isTable }: MadeProps) {
  const { index } = picked.version;
  const answer = useAnswer("links", { compile: index }, `links ${index}`);
  const title = namePicked(picked);
  const links = answer.state === "done" ? answer.value : null;
  const cut = useMemo(() => links && cutProgram(links, unit, title), [links]);
  if (!cut || !links) return <AnswerStatus answer={answer} what="the origin of the program" />;
  return (
    <>
      <Drawn cut={cut} isTable={isTable} label={`${nameMeasure(unit)} by call stack`} />
      {links.note && <p class="jitviz-faint">{links.note}</p>}
    </>
  );
}

function Drawn({ cut, isTable, label }: { cut: Cut; isTable: boolean; label: string }) {
  return isTable ? <CutTable cut={cut} label={label} /> : <Icicle cut={cut} label={label} />;
}

/** The icicle as a table. */
function CutTable({ cut: { slices, tell }, label }: { cut: Cut; label: string }) {
  const whole = slices[0]?.amount || 1;
  const rest = slices.length - MOST_ROWS;
  return (
    <>
      <Table columns={COLUMNS} caption={<caption class="jitviz-hidden">{label}</caption>}>
        {slices.slice(0, MOST_ROWS).map(({ name, amount, depth }, index) => (
          <tr key={index}>
            <th scope="row" style={{ paddingLeft: `${Math.min(depth, 12) * 18}px` }}>
              {name}
            </th>
            <td class={NUMBER}>{tell(amount)}</td>
            <td class={NUMBER}>{percent(amount / whole)}</td>
          </tr>
        ))}
      </Table>
      {rest > 0 && <p class="jitviz-faint">{count(rest, "more row")}</p>}
    </>
  );
}

const COLUMNS = [["what"], ["how much", NUMBER], ["of all", NUMBER]] as const;

/** The chosen version if it has texts, else one of the same function, else any. */
function pickedIn(panel: Panel, { home, version }: Choice): Picked | null {
  if (home && version && hasTexts(version)) return { home, version };
  for (const one of home ? [home, ...panel.functions] : panel.functions) {
    const best = one.versions.findLast(hasTexts);
    if (best) return { home: one, version: best };
  }
  return null;
}
