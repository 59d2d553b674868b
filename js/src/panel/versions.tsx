/**
 * All versions in one table that can be sorted: why each was compiled, what it cost, how often it ran, its program texts.
 *
 * In: a `Panel`.  Out: a row for each version, which opens to all of its reasons; one for each function without a version.
 */

import { GLOSSARY } from "../glossary.ts";
import { Functions } from "../overview/functions.tsx";
import { LinkButton, Sign } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Menu } from "../parts/menu.tsx";
import { PhaseBar } from "../parts/phase_bar.tsx";
import { Change, Prose } from "../parts/prose.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import type { TermName } from "../parts/term.tsx";
import { nameText } from "../program/place.ts";
import type { FunctionView, HitsSeen, ListingName, Panel, PhaseName, Version } from "../schema.ts";
import { PHASES } from "../schema.ts";
import type { Picked } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { cutMiddle } from "../words/changes.ts";
import { atLeast, count, grouped, keepUnits, quantity, seconds, size } from "../words/numbers.ts";
import { nameFunction } from "../words/phrases.ts";
import { isLeafOf, Reasons } from "./reasons.tsx";

const MOST = 20;
const WIDE = `${NUMBER} jitviz-wide`;
const WIDER = `${NUMBER} jitviz-wider`;

interface Props {
  panel: Panel;
  onVersion(picked: Picked, path?: string): void;
  onText(picked: Picked, name: ListingName): void;
}

/** A version, or a function that has none here. */
interface Entry {
  home: FunctionView;
  version: Version | null;
}

type Cost = readonly [
  name: string,
  classes: string,
  of: (version: Version) => number | null | undefined,
  tell: (value: number) => string,
  term?: TermName,
];

/** The columns of numbers, after the bar of the seconds. */
const COSTS: readonly Cost[] = [
  ...PHASES.map((name) => [name, WIDE, (version: Version) => phaseOf(version, name), seconds, name] as const),
  ["FLOPs", WIDER, ({ flops }) => flops, quantity],
  ["moved", WIDER, ({ moved }) => moved, size],
  ["temporaries", WIDER, ({ sizes }) => sizes?.temporary, size],
  ["code", WIDER, ({ sizes }) => sizes?.generated_code, size], // 0 on some backends
];
/** What rows are sorted by, beside the numbers. */
const SORTS: Record<string, (entry: Entry) => number | string> = {
  version: ({ home, version }) => `${home.name} ${String(version?.version ?? 0).padStart(9, "0")}`,
  seconds: ({ version }) => version?.duration_s ?? -1,
  hits: ({ home, version }) => version?.hits ?? home.hits_of_unknown_version,
  ...Object.fromEntries(COSTS.map(([name, , of]) => [name, ({ version }: Entry) => (version && of(version)) ?? -1])),
};

/** A function may have several versions of one number: earlier ones, and those of a transform. */
function keyOf({ home, version }: Entry): string {
  return version ? `version ${version.is_before} ${version.index}` : `function ${nameFunction(home)}`;
}

export function Versions({ panel, onVersion, onText }: Props) {
  // As they were compiled, until a heading is clicked: most first, then least first.
  const [{ by, sign }, setSort] = usePanelState("versions sort", () => ({ by: "", sign: 1 }));
  const entries: Entry[] = panel.functions.flatMap((home): Entry[] =>
    home.versions.length > 0 ? home.versions.map((version) => ({ home, version })) : [{ home, version: null }],
  );
  const value = SORTS[by] ?? (() => 0);
  entries.sort((a, b) => sign * (Number(value(a) < value(b)) - Number(value(a) > value(b))));
  const costs = COSTS.filter(([, , of]) => entries.some(({ version }) => version && of(version)));
  const longest = Math.max(...entries.map(({ version }) => version?.duration_s ?? 0), 1e-9);
  const nMore = panel.functions.reduce((sum, { n_more_versions }) => sum + n_more_versions, 0);
  const { shown, more } = useLongList({ items: entries, most: MOST, noun: "version", name: "versions", nMore });
  const heading = (name: string, classes = "", term?: TermName) => {
    const first = name === "version" ? -1 : 1;
    const isBy = name === by;
    const button = (
      <button
        type="button"
        class="jitviz-sort"
        title={term && GLOSSARY[term].text}
        onClick={() => setSort({ by: name, sign: isBy ? -sign : first })}
      >
        {name}
        <span aria-hidden="true">{isBy ? (sign > 0 ? " ▾" : " ▴") : ""}</span>
      </button>
    );
    const sort = isBy ? (sign > 0 ? "descending" : "ascending") : "none";
    return [button, classes, undefined, sort] as const;
  };
  const columns = [
    heading("version", "", "version"),
    ["why"],
    heading("seconds", "jitviz-cost", "compile time"),
    ...costs.map(([name, classes, , , term]) => heading(name, classes, term)),
    heading("hits", `${NUMBER} jitviz-roomy`, "hit"),
    [<span class="jitviz-hidden">open</span>],
  ] as const;
  return (
    <>
      {entries.length > 0 && (
        <Table class="jitviz-versions" columns={columns}>
          {shown.map((entry) => (
            <EntryRows key={keyOf(entry)} {...entry} {...{ costs, longest, onVersion, onText }} />
          ))}
        </Table>
      )}
      {more}
      {panel.n_more_functions > 0 && <p class="jitviz-faint">{count(panel.n_more_functions, "more function")}</p>}
      <Functions panel={panel} />
    </>
  );
}

interface RowProps extends Entry, Omit<Props, "panel"> {
  costs: readonly Cost[];
  longest: number;
}

function EntryRows({ home, version, costs, longest, onVersion, onText }: RowProps) {
  const [isOpen, setOpen] = usePanelState(`${keyOf({ home, version })} open`, () => false);
  const hits = atLeast(version?.hits ?? home.hits_of_unknown_version, hitsSeen(home));
  const name = version ? `${version.name} of ${home.name}` : home.name;
  return (
    <>
      <tr>
        <th scope="row">
          <div>
            <LinkButton
              class="jitviz-link jitviz-toggle"
              aria-expanded={isOpen}
              aria-label={`more on ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              <Sign name={isOpen ? "down" : "right"} />
            </LinkButton>
            <span>
              <code title={nameFunction(home)}>{cutMiddle(home.name)}</code>{" "}
              {version && (
                <LinkButton title={version.made} onClick={() => onVersion({ home, version })}>
                  {version.name}
                </LinkButton>
              )}
            </span>
          </div>
        </th>
        <td class="jitviz-why-cell">
          {version ? (
            <ShortReason version={version} />
          ) : (
            <span class="jitviz-faint">
              <Prose text={home.told} />
            </span>
          )}
        </td>
        <td class="jitviz-cost">
          {version && (
            <div>
              <b class={version.judged.startsWith("avoidable") ? "jitviz-aside" : ""}>{seconds(version.duration_s)}</b>
              <PhaseBar part={version.duration_s / longest} phases={version.phases} />
            </div>
          )}
        </td>
        {costs.map(([name, classes, of, tell]) => (
          <td key={name} class={classes}>
            {version && tellCost(version, of(version), tell)}
          </td>
        ))}
        <td class={`${NUMBER} jitviz-roomy`}>{hits}</td>
        <td>
          {version && (
            <Menu label={`open of ${name}`}>
              <button type="button" onClick={() => onVersion({ home, version })}>
                call and partition
              </button>
              {version.listings.map(({ name: text, n_lines }) => (
                <button
                  key={text}
                  type="button"
                  aria-label={`${nameText(text)} of ${version.name}`}
                  title={count(n_lines, "line")}
                  onClick={() => onText({ home, version }, text)}
                >
                  {nameText(text)}
                </button>
              ))}
            </Menu>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr class="jitviz-opened">
          <td colSpan={costs.length + 5}>
            {version && <Reasons {...{ home, version, hits }} onLeaf={(path) => onVersion({ home, version }, path)} />}
            <AboutFunction home={home} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Null while it is under way or where it is not known, undefined where there was no such phase. */
function phaseOf(version: Version, name: PhaseName): number | null | undefined {
  return version.phases.find((phase) => phase.name === name)?.duration_s;
}

function tellCost({ status }: Version, value: number | null | undefined, tell: (value: number) => string): string {
  if (value === null && status === "running") return "in progress";
  return value === undefined ? "–" : value === null ? "not known" : tell(value);
}

/** Hits of an unknown version may belong to it. */
function hitsSeen({ hits_seen, hits_of_unknown_version }: FunctionView): HitsSeen {
  return hits_seen === "all" && hits_of_unknown_version > 0 ? "some" : hits_seen;
}

function ShortReason({ version }: { version: Version }) {
  const [reason, ...more] = version.reasons;
  if (version.error) {
    return (
      <span class="jitviz-failed">
        <Prose text={version.error} />
      </span>
    );
  }
  const others = more.length + version.n_more_reasons;
  return (
    <>
      {reason && !isLeafOf(reason) && `${reason.kind.replaceAll("_", " ")} `}
      {reason?.path && <code title={reason.path}>{cutMiddle(reason.path)}</code>}{" "}
      {(reason?.before || reason?.after) && <Change before={reason.before} after={reason.after} />}
      {others > 0 && <span class="jitviz-faint"> and {grouped(others)} more</span>}
      {version.source && (
        <span class="jitviz-faint" title={version.made}>
          {reason && " · "}
          {keepUnits(cutMiddle(version.source))}
        </span>
      )}
    </>
  );
}

/** Where it was defined and called, and what its calls did. */
function AboutFunction({ home }: { home: FunctionView }) {
  const { hits_of_unknown_version: hits, call_sites, n_more_call_sites } = home;
  const sites = call_sites.map(
    ({ source, told, compile_s }) =>
      `\`${source}\` (${told}${compile_s > 0 ? `, ${seconds(compile_s)} compiling` : ""})`,
  );
  if (n_more_call_sites > 0) sites.push(count(n_more_call_sites, "more line"));
  return (
    <p class="jitviz-faint">
      <code>{home.name}</code>{" "}
      {[home.api, home.defined_at && `defined at ${home.defined_at}`].filter(Boolean).join(" · ")}: {home.told}
      {hits > 0 && `, ${count(hits, "hit")} of ${home.unknown_version || "an unknown version"}`}
      {sites.length > 0 && <Prose text={`; called from ${sites.join(", ")}`} />}
    </p>
  );
}
