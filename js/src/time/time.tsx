/** Where the time went, as an icicle or a table; in other units, what the chosen program was made of. */

import { useMemo } from "preact/hooks";
import { type Library, useAnswer } from "../answer.ts";
import type { Choice } from "../choice.ts";
import { useKept } from "../kept.ts";
import { hasTexts, type Picked, VersionPicker } from "../program/picker.tsx";
import { type Measure, nameMeasure, percent } from "../program/work.ts";
import type { FunctionView, Panel, Version } from "../schema.ts";
import { nameVersion } from "../tell.ts";
import { Waiting } from "../waiting.tsx";
import type { Ask } from "../wire.ts";
import { count } from "../words.ts";
import { Icicle } from "./icicle.tsx";
import { type Cut, cutAccount, cutProgram } from "./slices.ts";

type Unit = "seconds" | Measure;
const UNITS: readonly Unit[] = ["seconds", "equations", "stablehlo_ops", "hlo_ops", "flops"];
const MOST_ROWS = 200;

interface Props {
  panel: Panel;
  choice: Choice;
  ask: Ask;
  library: Library;
  onVersion(home: FunctionView, version: Version): void;
}

export function Time({ panel, choice, ask, library, onVersion }: Props) {
  const [unit, setUnit] = useKept<Unit>("time unit", () => "seconds");
  const [isTable, setTable] = useKept("time table", () => false);
  const picked = pickedIn(panel, choice);
  const units = picked ? UNITS : UNITS.slice(0, 1);
  const { account } = panel;
  return (
    <section aria-label="Time">
      <div class="jitviz-bar">
        {units.length > 1 ? (
          <fieldset class="jitviz-segments" aria-label="Unit">
            {units.map((one) => (
              <button key={one} type="button" aria-pressed={one === unit} onClick={() => setUnit(one)}>
                {one === "seconds" ? "seconds" : nameMeasure(one)}
              </button>
            ))}
          </fieldset>
        ) : (
          <span />
        )}
        <span class="jitviz-tools">
          {unit !== "seconds" && (
            <VersionPicker
              panel={panel}
              label="program of"
              picked={picked}
              onPick={({ home, version }) => onVersion(home, version)}
            />
          )}
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            table
          </button>
        </span>
      </div>
      {unit === "seconds"
        ? account && <Seconds panel={panel} isTable={isTable} />
        : picked && (
            <Made key={`${picked.version.index} ${unit}`} {...{ ask, library, isTable }} picked={picked} unit={unit} />
          )}
    </section>
  );
}

function Seconds({ panel: { account }, isTable }: { panel: Panel; isTable: boolean }) {
  const cut = useMemo(() => account && cutAccount(account), [account]);
  if (!cut || !account) return null;
  return (
    <>
      <Drawn cut={cut} isTable={isTable} label="Where the time went" />
      {account.n_more > 0 && <p class="jitviz-faint">{count(account.n_more, "more row")}</p>}
      {account.beside && <p class="jitviz-faint">{account.beside}</p>}
    </>
  );
}

interface MadeProps extends Pick<Props, "ask" | "library"> {
  picked: Picked;
  unit: Measure;
  isTable: boolean;
}

/** What a program was made of, by call stack. */
function Made({ picked, unit, isTable, ask, library }: MadeProps) {
  const { index } = picked.version;
  const answer = useAnswer(ask, library, "links", { compile: index }, `links ${index}`);
  const title = `${picked.home.name}, ${nameVersion(picked.version)}`;
  const links = answer.state === "done" ? answer.value : null;
  const cut = useMemo(() => links && cutProgram(links, unit, title), [links]);
  if (!cut || !links) return <Waiting answer={answer} what="where the program comes from" />;
  return (
    <>
      <Drawn cut={cut} isTable={isTable} label={`${nameMeasure(unit)} by call stack`} />
      {links.note && <p class="jitviz-faint">{links.note}</p>}
    </>
  );
}

function Drawn({ cut, isTable, label }: { cut: Cut; isTable: boolean; label: string }) {
  return isTable ? <Table cut={cut} label={label} /> : <Icicle cut={cut} label={label} />;
}

/** The same for those who do not see the picture. */
function Table({ cut: { slices, tell }, label }: { cut: Cut; label: string }) {
  const whole = slices[0]?.amount || 1;
  const rest = slices.length - MOST_ROWS;
  return (
    <div class="jitviz-table-box">
      <table class="jitviz-table">
        <caption class="jitviz-hidden">{label}</caption>
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" class="jitviz-number">
              how much
            </th>
            <th scope="col" class="jitviz-number">
              of all
            </th>
          </tr>
        </thead>
        <tbody>
          {slices.slice(0, MOST_ROWS).map(({ name, amount, depth }, index) => (
            <tr key={index}>
              <th scope="row" style={{ paddingLeft: `${Math.min(depth, 12) * 18}px` }}>
                {name}
              </th>
              <td class="jitviz-number">{tell(amount)}</td>
              <td class="jitviz-number">{percent(amount / whole)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p class="jitviz-faint">{count(rest, "more row")}</p>}
    </div>
  );
}

/** The version that is looked at, or else one of the same function, or any that there is something to read of. */
function pickedIn(panel: Panel, { home, version }: Choice): Picked | null {
  if (home && version && hasTexts(version)) return { home, version };
  for (const one of home ? [home, ...panel.functions] : panel.functions) {
    const best = one.versions.findLast(hasTexts);
    if (best) return { home: one, version: best };
  }
  return null;
}
