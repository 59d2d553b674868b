/** The timeline as a table, for screen readers and for those who want numbers. */

import { LinkButton } from "../parts/buttons.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import { PHASES } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, grouped, seconds } from "../words/numbers.ts";
import { hasNumber, nameOutcome, tellDuration } from "../words/phrases.ts";

const PAGE = 25;

interface Props {
  calls: Calls;
  chosen: number;
  onChoose(call: number): void;
}

export function CallTable({ calls, chosen, onChoose }: Props) {
  const [turned, setTurned] = usePanelState("timeline page", () => ({ chosen: -2, page: 0 }));
  const pages = Math.max(1, Math.ceil(calls.n / PAGE));
  // The page of the chosen call, until the user turns to another one.
  const page = turned.chosen === chosen ? turned.page : Math.max(0, Math.floor(chosen / PAGE));
  const setPage = (to: number) => setTurned({ chosen, page: to });
  const first = page * PAGE;
  const shown = Array.from({ length: Math.min(PAGE, calls.n - first) }, (_, index) => first + index);
  return (
    <>
      <Table
        columns={COLUMNS}
        caption={
          <caption class="jitviz-faint">
            {count(calls.n, "call")}
            {pages > 1 && `, ${grouped(first + 1)} to ${grouped(first + shown.length)}`}
          </caption>
        }
      >
        {shown.map((call) => (
          <CallRow key={call} calls={calls} call={call} isChosen={call === chosen} onChoose={onChoose} />
        ))}
      </Table>
      {pages > 1 && (
        <div class="jitviz-bar">
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            earlier
          </button>
          <span>
            page {grouped(page + 1)} of {grouped(pages)}
          </span>
          <button type="button" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            later
          </button>
        </div>
      )}
    </>
  );
}

const COLUMNS = [
  ["call"],
  ["outcome"],
  ["version"],
  ["start", NUMBER],
  ["duration", NUMBER],
  ...PHASES.map((name) => [name, NUMBER] as const),
  ["jitviz", NUMBER],
] as const;

interface RowProps extends Pick<Props, "calls" | "onChoose"> {
  call: number;
  isChosen: boolean;
}

function CallRow({ calls, call, isChosen, onChoose }: RowProps) {
  const phases = calls.phasesOf(call);
  const own = calls.own(call);
  const spentIn = (name: string) => {
    const phase = phases.find((candidate) => (candidate.name === "load" ? "compile" : candidate.name) === name);
    return phase ? tellDuration(phase.duration_s) : "–";
  };
  return (
    <tr aria-current={isChosen ? "true" : undefined}>
      <th scope="row">
        <LinkButton onClick={() => onChoose(call)}>
          <code>{calls.functionName(call)}</code> {hasNumber(calls, call) && grouped(calls.numberInFunction[call] ?? 0)}
        </LinkButton>
      </th>
      <td>{nameOutcome(calls.outcome(call))}</td>
      <td>{calls.versionNumber(call) ?? (calls.mayHaveRun(call) || "not known")}</td>
      <td class={NUMBER}>{seconds(calls.start(call))}</td>
      <td class={NUMBER}>{tellDuration(calls.duration(call))}</td>
      {PHASES.map((name) => (
        <td key={name} class={NUMBER}>
          {spentIn(name)}
        </td>
      ))}
      <td class={NUMBER}>{own ? seconds(own) : "–"}</td>
    </tr>
  );
}
