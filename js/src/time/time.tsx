/** Where the time went, as an icicle with the same as a table below it. */

import { useMemo } from "preact/hooks";
import { useLongList } from "../parts/long_list.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import { percent } from "../program/work.ts";
import type { AccountView } from "../schema.ts";
import { count, seconds } from "../words/numbers.ts";
import { Icicle } from "./icicle.tsx";
import { cutAccount } from "./slices.ts";

const LABEL = "Where the time went";
const MOST_ROWS = 16;
const COLUMNS = [["what"], ["how much", NUMBER], ["of all", NUMBER]] as const;

export function Time({ account }: { account: AccountView }) {
  const slices = useMemo(() => cutAccount(account), [account]);
  const parts = slices.slice(1); // the whole is the first
  const { shown, more } = useLongList({ items: parts, most: MOST_ROWS, noun: "row", name: `rows of ${LABEL}` });
  return (
    <section>
      <Icicle slices={slices} label={LABEL} />
      <Table class="jitviz-amounts" columns={COLUMNS} caption={<caption class="jitviz-hidden">{LABEL}</caption>}>
        {shown.map(({ name, seconds: spent, depth, what }, index) => (
          <tr key={index}>
            <th scope="row" style={{ paddingLeft: `${Math.min(depth - 1, 12) * 18}px` }}>
              {depth === 1 && <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />}
              {depth === 1 ? <b>{name}</b> : name}
            </th>
            <td class={NUMBER}>{seconds(spent)}</td>
            <td class={NUMBER}>{percent(spent / (account.wall_s || 1))}</td>
          </tr>
        ))}
      </Table>
      {more}
      {account.n_more > 0 && <p class="jitviz-faint">{count(account.n_more, "more row")}</p>}
      {[account.beside, ...account.processes].filter(Boolean).map((text) => (
        <p key={text} class="jitviz-faint">
          {text}
        </p>
      ))}
    </section>
  );
}
