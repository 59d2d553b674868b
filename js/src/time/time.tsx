/** Where the time went, as an icicle with a table below it; or, in other units, the parts of the chosen program. */

import { useMemo } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { useLongList } from "../parts/long_list.tsx";
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
const UNITS: readonly Unit[] = ["seconds", "equations", "stablehlo_ops", "hlo_ops"];
const MOST_ROWS = 16;

interface Props {
  panel: Panel;
  choice: Choice;
  onVersion(picked: Picked): void;
}

export function Time({ panel, choice, onVersion }: Props) {
  const [unit, setUnit] = usePanelState<Unit>(UNIT, () => "seconds");
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
        {unit !== "seconds" && <VersionPicker panel={panel} label="program of" picked={picked} onPick={onVersion} />}
      </div>
      {unit === "seconds"
        ? account && <Seconds panel={panel} />
        : picked && <Made key={`${picked.version.index} ${unit}`} picked={picked} unit={unit} />}
    </section>
  );
}

function nameUnit(unit: Unit): string {
  return unit === "seconds" ? unit : nameMeasure(unit);
}

function Seconds({ panel: { account } }: { panel: Panel }) {
  const cut = useMemo(() => account && cutAccount(account), [account]);
  if (!cut || !account) return null;
  return (
    <>
      <Drawn cut={cut} label={SECONDS} />
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
}

/** The parts of a program, by call stack. */
function Made({ picked, unit }: MadeProps) {
  const { index } = picked.version;
  const answer = useAnswer("links", { compile: index }, `links ${index}`);
  const title = namePicked(picked);
  const links = answer.state === "done" ? answer.value : null;
  const cut = useMemo(() => links && cutProgram(links, unit, title), [links]);
  if (!cut || !links) return <AnswerStatus answer={answer} what="the origin of the program" />;
  return (
    <>
      <Drawn cut={cut} label={`${nameMeasure(unit)} by call stack`} />
      {links.note && <p class="jitviz-faint">{links.note}</p>}
    </>
  );
}

function Drawn({ cut, label }: { cut: Cut; label: string }) {
  const { slices, tell } = cut;
  const whole = slices[0]?.amount || 1;
  const parts = slices.slice(1); // the whole is the first
  const { shown, more } = useLongList({ items: parts, most: MOST_ROWS, noun: "row", name: `rows of ${label}` });
  return (
    <>
      <Icicle cut={cut} label={label} />
      <Table
        class="jitviz-amounts"
        columns={COLUMNS}
        caption={<caption class="jitviz-hidden">{label}, as a table</caption>}
      >
        {shown.map(({ name, amount, depth, look }, index) => (
          <tr key={index}>
            <th scope="row" style={{ paddingLeft: `${Math.min(depth - 1, 12) * 18}px` }}>
              {depth === 1 && label === SECONDS && <span class={`jitviz-swatch jitviz-${look}`} aria-hidden="true" />}
              {depth === 1 ? <b>{name}</b> : name}
            </th>
            <td class={NUMBER}>{tell(amount)}</td>
            <td class={NUMBER}>{percent(amount / whole)}</td>
          </tr>
        ))}
      </Table>
      {more}
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
