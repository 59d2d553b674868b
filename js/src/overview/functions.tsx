/**
 * What compiled, by function and line: what Overview shows where there is no finding.
 *
 * In: a `Panel`.  Out: a row for each function, failed ones first, those alike in one; then what compiled outside any jit.
 */

import { LinkButton } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { PhaseBar } from "../parts/phase_bar.tsx";
import { Prose } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { FunctionView, Panel } from "../schema.ts";
import type { Picked } from "../state/choice.ts";
import { count, grouped, seconds } from "../words/numbers.ts";

const MOST = 12;
const COLUMNS = [
  ["function"],
  ["line"],
  ["seconds", NUMBER],
  ["phases", "jitviz-wide"],
  ["compiles", NUMBER],
  ["status"],
] as const;

interface Props {
  panel: Panel;
  onVersion(picked: Picked): void;
}

export function Functions({ panel, onVersion }: Props) {
  const groups = groupAlike(panel.functions);
  const { shown, more } = useLongList({
    items: groups,
    most: MOST,
    noun: "row",
    name: "functions",
    nMore: panel.n_more_functions,
  });
  const longest = Math.max(...groups.map(secondsOf), 1e-9);
  return (
    <section>
      {groups.length > 0 && (
        <Table class="jitviz-functions" columns={COLUMNS}>
          {shown.map((group) => (
            <Row key={nameOf(group)} group={group} longest={longest} onVersion={onVersion} />
          ))}
        </Table>
      )}
      {more}
      <OutsideAnyJit panel={panel} />
    </section>
  );
}

/** What compiled outside any jit, a sentence for each line. */
export function OutsideAnyJit({ panel: { op_by_op, n_more_op_by_op } }: { panel: Panel }) {
  if (op_by_op.length === 0) return null;
  return (
    <section class="jitviz-function">
      <h2>Outside any jit</h2>
      <ul>
        {op_by_op.map((text) => (
          <li key={text}>
            <Prose text={text} />
          </li>
        ))}
      </ul>
      {n_more_op_by_op > 0 && <p class="jitviz-faint">{count(n_more_op_by_op, "more line")}</p>}
    </section>
  );
}

function Row({
  group,
  longest,
  onVersion,
}: { group: readonly FunctionView[]; longest: number } & Omit<Props, "panel">) {
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
      <td class="jitviz-faint">{lineOf(home)}</td>
      <td class={NUMBER}>{isRunning ? "in progress" : seconds(secondsOf(group))}</td>
      <td class="jitviz-wide">
        <PhaseBar part={secondsOf(group) / longest} phases={group.flatMap(({ phases }) => phases)} />
      </td>
      <td class={NUMBER}>
        {grouped(
          versions.filter(({ status }) => status === "done").length +
            group.reduce((sum, { n_more_versions }) => sum + n_more_versions, 0),
        )}
      </td>
      <td>
        {failed ? (
          <span class="jitviz-failed">
            <Prose text={failed.error} />
          </span>
        ) : group.length > 1 ? (
          ""
        ) : (
          home.told
        )}
      </td>
    </tr>
  );
}

function secondsOf(group: readonly FunctionView[]): number {
  return group.reduce((sum, { compile_s }) => sum + compile_s, 0);
}

function lineOf({ call_sites, defined_at }: FunctionView): string {
  return call_sites[0]?.source || defined_at;
}

/** "layer_1 … layer_59" */
function nameOf(group: readonly FunctionView[]): string {
  const [first, last] = [group[0]?.name ?? "", group.at(-1)?.name ?? ""];
  return first === last ? first : `${first} … ${last}`;
}

/** Functions whose names differ only in numbers and that one line called, together; failed ones first, then by seconds. */
function groupAlike(functions: readonly FunctionView[]): FunctionView[][] {
  const groups = new Map<string, FunctionView[]>();
  for (const home of functions) {
    const key = `${home.name.replace(/\d+/g, "#")} ${lineOf(home)} ${hasFailed(home)}`;
    groups.set(key, [...(groups.get(key) ?? []), home]);
  }
  const rank = (group: FunctionView[]) => (group.some(hasFailed) ? 1 : 0);
  return [...groups.values()].sort((a, b) => rank(b) - rank(a) || secondsOf(b) - secondsOf(a));
}

function hasFailed({ versions }: FunctionView): boolean {
  return versions.some(({ error }) => error !== "");
}
