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
import type { Links } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { grouped } from "../words/numbers.ts";
import type { Source } from "./source.ts";
import { SourceLink } from "./source_link.tsx";
import { MEASURES, type Measure, nameMeasure, namePlace, percent, sortWork, tellAmount, tellShort } from "./work.ts";

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
  const heading = (name: Measure | "repeats", title: string) => (
    <th scope="col" class="jitviz-number" aria-sort={name === by ? "descending" : "none"}>
      <button type="button" class="jitviz-sort" onClick={() => choose(name)}>
        {title}
        <span aria-hidden="true">{name === by ? " ▾" : ""}</span>
      </button>
    </th>
  );
  return (
    <section>
      <h2>Hottest lines</h2>
      {links.advice.map((one) => (
        <p class="jitviz-work-advice" key={`${one.file} ${one.line}`}>
          <LinkButton aria-label={namePlace(links, one.file, one.line)} onClick={() => onGo(one.file, one.line)}>
            {links.files[one.file]}
          </LinkButton>{" "}
          <Prose text={one.summary} />{" "}
          <span class="jitviz-advice">
            → <Prose text={one.advice} />
          </span>
        </p>
      ))}
      <div class="jitviz-table-box">
        <table class="jitviz-table jitviz-work">
          <thead>
            <tr>
              <th scope="col">line</th>
              <th scope="col" class="jitviz-wide">
                source
              </th>
              {MEASURES.map((name) => heading(name, nameMeasure(name)))}
              {heading("repeats", "unrolled")}
            </tr>
          </thead>
          <tbody>
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
                      <td key={name} class="jitviz-number">
                        {amount > 0 ? tellCell(name, amount) : "–"}
                        {name === by && links[name] > 0 && (
                          <span class="jitviz-faint"> {percent(amount / links[name])}</span>
                        )}
                      </td>
                    );
                  })}
                  <td class="jitviz-number">{repeats > 1 ? `${grouped(repeats)} times` : ""}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {more}
    </section>
  );
}

/** Words would make a table too wide. */
function tellCell(measure: Measure, amount: number): string {
  return measure === "flops" ? tellShort(amount) : tellAmount(measure, amount);
}
