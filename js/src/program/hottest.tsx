/**
 * Where the work comes from: the hottest lines, sortable by any measure, with what to do about them.
 *
 * In: `Links` and the measure that is looked at.  Out: a table; clicking a line goes there.
 * Must never: disagree with the strip beside the source; both sort by the same measure.
 */

import { useMemo } from "preact/hooks";
import { LinkButton } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Prose } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { Links } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { grouped } from "../words/numbers.ts";
import { SourceLink } from "./explanation.tsx";
import type { Source } from "./source.ts";
import { MEASURES, type Measure, nameMeasure, namePlace, percent, sortWork } from "./work.ts";

interface Props {
  links: Links;
  source: Source;
  measure: Measure;
  onMeasure(measure: Measure): void;
  onGo(file: number, line: number): void;
}

const AT_FIRST = 6;

export function Hottest({ links, source, measure, onMeasure, onGo }: Props) {
  const [isByRepeats, setByRepeats] = usePanelState("hottest by repeats", () => false);
  const by = isByRepeats ? "repeats" : measure;
  const rows = useMemo(() => sortWork(links, by), [links, by]);
  const { shown, more } = useLongList({ items: rows, most: AT_FIRST, noun: "line", name: "hottest lines" });
  const texts = useMemo(() => source.text.split("\n"), [source]);
  const { lines } = links;
  if (rows.length === 0) return null;
  const choose = (next: Measure | "repeats") => {
    setByRepeats(next === "repeats");
    if (next !== "repeats") onMeasure(next);
  };
  const column = (name: Measure | "repeats", title: string) => {
    const button = (
      <button type="button" class="jitviz-sort" onClick={() => choose(name)}>
        {title}
        <span aria-hidden="true">{name === by ? " ▾" : ""}</span>
      </button>
    );
    return [button, NUMBER, undefined, name === by ? "descending" : "none"] as const;
  };
  const columns = [
    ["line"],
    ["source", "jitviz-wide"],
    ...MEASURES.map((name) => column(name, nameMeasure(name))),
    column("repeats", "unrolled"),
  ] as const;
  return (
    <section>
      <h2>Hottest lines</h2>
      {links.advice.map(({ file, line, summary, advice }) => (
        <p class="jitviz-work-advice" key={`${file} ${line}`}>
          <LinkButton aria-label={namePlace(links, file, line)} onClick={() => onGo(file, line)}>
            {links.files[file]}
          </LinkButton>{" "}
          <Prose text={summary} />{" "}
          <span class="jitviz-advice">
            → <Prose text={advice} />
          </span>
        </p>
      ))}
      <Table class="jitviz-work" columns={columns}>
        {shown.map((row) => {
          const [file, line] = [lines.file[row] ?? -1, lines.line[row] ?? 0];
          const repeats = lines.repeats[row] ?? 1;
          return (
            <tr key={row}>
              <th scope="row">
                <SourceLink links={links} source={source} file={file} line={line} onGo={onGo} />
              </th>
              <td class="jitviz-wide jitviz-excerpt">
                <code>{texts[source.find(file, line)]?.trim()}</code>
              </td>
              {MEASURES.map((name) => {
                const amount = lines[name][row] ?? 0;
                return (
                  <td key={name} class={NUMBER}>
                    {amount > 0 ? grouped(amount) : "–"}
                    {name === by && links[name] > 0 && (
                      <span class="jitviz-faint"> {percent(amount / links[name])}</span>
                    )}
                  </td>
                );
              })}
              <td class={NUMBER}>{repeats > 1 ? `${grouped(repeats)} times` : ""}</td>
            </tr>
          );
        })}
      </Table>
      {more}
    </section>
  );
}
