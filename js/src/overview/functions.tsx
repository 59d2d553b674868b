/**
 * What compiled, by function and line: the index of the Overview.
 *
 * In: a `Panel`.  Out: a row for each function, failed ones first, those alike in one; then a row for each line that
 * compiled outside any jit.
 */

import { groupBy } from "../collections.ts";
import { LinkButton } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { PhaseBar } from "../parts/phase_bar.tsx";
import { Prose } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { FunctionView, OpRow, Panel } from "../schema.ts";
import type { Picked } from "../state/choice.ts";
import { grouped, keepUnits, seconds } from "../words/numbers.ts";

const MOST = 12;
const COLUMNS = [
  ["what compiled"],
  ["line", "jitviz-roomy"],
  ["seconds", NUMBER],
  [<span class="jitviz-hidden">phases</span>, "jitviz-wide"],
  ["compiles", `${NUMBER} jitviz-wide`],
  ["status"],
] as const;

interface Props {
  panel: Panel;
  /** How many rows are shown at first. */
  most?: number;
  /** Called with what a row is about; without it, only what compiled outside any jit is listed. */
  onVersion?(picked: Picked): void;
}

export function Functions({ panel, most = MOST, onVersion }: Props) {
  const groups = onVersion ? groupAlike(panel.functions) : [];
  const rows = rank([...groups, ...panel.op_by_op]);
  const nMore = (onVersion ? panel.n_more_functions : 0) + panel.n_more_op_by_op;
  const name = `functions ${!onVersion}`;
  const { shown, more } = useLongList({ items: rows, most, noun: "row", name, nMore });
  const longest = Math.max(...rows.map(secondsOf), 1e-9);
  if (rows.length === 0) return null;
  return (
    <section class="jitviz-compiled">
      <Table class="jitviz-functions" columns={COLUMNS}>
        {shown.map((row, place) =>
          Array.isArray(row) ? (
            <Row key={nameOf(row)} group={row} longest={longest} onVersion={(picked) => onVersion?.(picked)} />
          ) : (
            <OutsideAnyJit key={place} row={row} longest={longest} />
          ),
        )}
      </Table>
      {more}
    </section>
  );
}

function OutsideAnyJit({
  row: { name, source, seconds: spent, count, told },
  longest,
}: {
  row: OpRow;
  longest: number;
}) {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td class="jitviz-faint jitviz-roomy">{keepUnits(source)}</td>
      <td class={NUMBER}>{seconds(spent)}</td>
      <td class="jitviz-wide">
        <span class="jitviz-stack" style={{ width: `${Math.max(2, (100 * spent) / longest)}%` }} aria-hidden="true">
          <span class="jitviz-what-op_by_op" style={{ flexGrow: 1 }} />
        </span>
      </td>
      <td class={`${NUMBER} jitviz-wide`}>{grouped(count)}</td>
      <td>
        <Prose text={`outside any jit, ${told}`} />
      </td>
    </tr>
  );
}

function Row({
  group,
  longest,
  onVersion,
}: { group: FunctionView[]; longest: number } & Required<Pick<Props, "onVersion">>) {
  const [home] = group;
  if (!home) return null;
  const versions = group.flatMap((one) => one.versions.filter(({ is_before }) => !is_before));
  const failed = versions.find(({ error }) => error);
  const isRunning = versions.some(({ status }) => status === "running");
  const last = home.versions.at(-1);
  const name = <code>{nameOf(group)}</code>;
  return (
    <tr>
      <th scope="row">
        {last ? <LinkButton onClick={() => onVersion({ home, version: last })}>{name}</LinkButton> : name}
        {group.length > 1 && <span class="jitviz-tag">{grouped(group.length)} alike</span>}
      </th>
      <td class="jitviz-faint jitviz-roomy">{keepUnits(lineOf(home))}</td>
      <td class={NUMBER}>{isRunning ? "in progress" : seconds(secondsOf(group))}</td>
      <td class="jitviz-wide">
        <PhaseBar part={secondsOf(group) / longest} phases={group.flatMap(({ phases }) => phases)} />
      </td>
      <td class={`${NUMBER} jitviz-wide`}>
        {grouped(
          versions.filter(({ status }) => status === "done").length +
            group.reduce((sum, { n_more_versions }) => sum + n_more_versions, 0),
        )}
      </td>
      <td>
        {failed ? (
          <span class="jitviz-failed">raised {failed.error.split(":")[0]}</span>
        ) : (
          <Prose text={tellCalls(group)} />
        )}
      </td>
    </tr>
  );
}

/** Functions that are alike, or what one line compiled outside any jit. */
type CompiledRow = FunctionView[] | OpRow;

function secondsOf(row: CompiledRow): number {
  return Array.isArray(row) ? row.reduce((sum, { compile_s }) => sum + compile_s, 0) : row.seconds;
}

/** Failed ones first, then by seconds. */
function rank(rows: CompiledRow[]): CompiledRow[] {
  const failed = (row: CompiledRow) => Number(Array.isArray(row) && row.some(hasFailed));
  return rows.sort((a, b) => failed(b) - failed(a) || secondsOf(b) - secondsOf(a));
}

/** The outcomes of the calls; of several functions, what most of them have in common. */
function tellCalls(group: readonly FunctionView[]): string {
  const [most] = groupBy(group, ({ told }) => told).sort((a, b) => b.length - a.length);
  const whose = group.length === 1 ? "" : most?.length === group.length ? "each " : "most of them ";
  return `${whose}${most?.[0].told}`;
}

function lineOf({ call_sites, defined_at }: FunctionView): string {
  return call_sites[0]?.source || defined_at;
}

/** "layer_1 … layer_59" */
function nameOf(group: readonly FunctionView[]): string {
  const [first, last] = [group[0]?.name ?? "", group.at(-1)?.name ?? ""];
  return first === last ? first : `${first} … ${last}`;
}

/** Functions whose names differ only in numbers and that one line called, together. */
function groupAlike(functions: readonly FunctionView[]): FunctionView[][] {
  return groupBy(functions, (home) => `${home.name.replace(/\d+/g, "#")} ${lineOf(home)} ${hasFailed(home)}`);
}

function hasFailed({ versions }: FunctionView): boolean {
  return versions.some(({ error }) => error !== "");
}
