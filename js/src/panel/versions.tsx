/** Each version of each function: why it was compiled, what it cost, how often it ran, and its program texts. */

import { OutsideAnyJit } from "../overview/functions.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { LongList, useLongList } from "../parts/long_list.tsx";
import { NUMBER, Table } from "../parts/table.tsx";
import { nameText } from "../program/place.ts";
import type { FunctionView, HitsSeen, ListingName, Panel, Version } from "../schema.ts";
import { PHASES } from "../schema.ts";
import type { Picked } from "../state/choice.ts";
import { atLeast, count, grouped, seconds } from "../words/numbers.ts";
import { nameFunction } from "../words/phrases.ts";

const MOST_FUNCTIONS = 8;
const MOST = 12;

interface Props {
  panel: Panel;
  onVersion(picked: Picked): void;
  onText(picked: Picked, name: ListingName): void;
}

export function Versions({ panel, onVersion, onText }: Props) {
  return (
    <>
      <LongList
        items={panel.functions}
        most={MOST_FUNCTIONS}
        noun="function"
        name="versions"
        nMore={panel.n_more_functions}
      >
        {(home, index) => <FunctionVersions key={index} home={home} onVersion={onVersion} onText={onText} />}
      </LongList>
      <OutsideAnyJit panel={panel} />
    </>
  );
}

function FunctionVersions({ home, onVersion, onText }: Omit<Props, "panel"> & { home: FunctionView }) {
  const { shown, more } = useLongList({
    items: home.versions,
    most: MOST,
    noun: "version",
    name: `versions of ${nameFunction(home)}`,
    nMore: home.n_more_versions,
  });
  const longest = Math.max(...home.versions.map((version) => version.duration_s), 1e-9);
  const where = [home.api, home.defined_at && `defined at ${home.defined_at}`].filter(Boolean).join(" · ");
  return (
    <section class="jitviz-function">
      <h2>
        <code>{home.name}</code> <span class="jitviz-faint">{where}</span>
      </h2>
      <p class="jitviz-faint">
        {home.told}
        {home.hits_of_unknown_version > 0 &&
          `, ${count(home.hits_of_unknown_version, "hit")} of ${home.unknown_version || "an unknown version"}`}
      </p>
      {home.versions.length > 0 && (
        <Table columns={COLUMNS}>
          {shown.map((version) => (
            <VersionRow
              key={`${version.is_before} ${version.index}`}
              home={home}
              version={version}
              longest={longest}
              onVersion={onVersion}
              onText={onText}
            />
          ))}
        </Table>
      )}
      {more}
      <Sites home={home} />
    </section>
  );
}

const COLUMNS = [
  ["version", "", "version"],
  ["why"],
  ["time", "jitviz-cost", "compile time"],
  ...PHASES.map((name) => [name, "jitviz-number jitviz-wide", name] as const),
  ["hits", NUMBER, "hit"],
  ["program"],
] as const;

interface RowProps extends Omit<Props, "panel">, Picked {
  longest: number;
}

/** Hits of an unknown version may belong to it. */
function hitsSeen({ hits_seen, hits_of_unknown_version }: FunctionView): HitsSeen {
  return hits_seen === "all" && hits_of_unknown_version > 0 ? "some" : hits_seen;
}

function VersionRow({ home, version, longest, onVersion, onText }: RowProps) {
  const spent = new Map(version.phases.map((phase) => [phase.name, phase.duration_s]));
  const whole = version.phases.reduce((sum, { duration_s }) => sum + (duration_s ?? 0), 0) || 1;
  const unknown = version.status === "running" ? "in progress" : "not known";
  const tellTime = (time: number | null) => (time === null ? unknown : seconds(time));
  const costs = [version.cost, version.memory].filter(Boolean);
  return (
    <tr>
      <th scope="row">
        <LinkButton onClick={() => onVersion({ home, version })}>{version.name}</LinkButton>
        <div class="jitviz-faint">{version.made}</div>
      </th>
      <td class="jitviz-why-cell">
        <ShortReason version={version} />
        {costs.map((cost) => (
          <div class="jitviz-faint" key={cost}>
            {cost}
          </div>
        ))}
      </td>
      <td class="jitviz-cost">
        <b>{seconds(version.duration_s)}</b>
        <span
          class="jitviz-stack"
          style={{ width: `${Math.max(2, (version.duration_s / longest) * 100)}%` }}
          aria-hidden="true"
        >
          {PHASES.map((name) => (
            <span key={name} class={`jitviz-${name}`} style={{ width: `${((spent.get(name) ?? 0) / whole) * 100}%` }} />
          ))}
        </span>
        <span class="jitviz-narrow jitviz-faint">
          {version.phases.map(({ name, duration_s }) => `${name} ${tellTime(duration_s)}`).join(", ")}
        </span>
      </td>
      {PHASES.map((name) => {
        const time = spent.get(name);
        return (
          <td key={name} class="jitviz-number jitviz-wide">
            {time === undefined ? "–" : tellTime(time)}
          </td>
        );
      })}
      <td class="jitviz-number">{atLeast(version.hits, hitsSeen(home))}</td>
      <td>
        <span class="jitviz-tools">
          {version.listings.map(({ name, n_lines }) => (
            <button
              key={name}
              type="button"
              aria-label={`${nameText(name)} of ${version.name}`}
              title={count(n_lines, "line")}
              onClick={() => onText({ home, version }, name)}
            >
              {nameText(name)}
            </button>
          ))}
        </span>
      </td>
    </tr>
  );
}

function ShortReason({ version }: { version: Version }) {
  const [reason, ...more] = version.reasons;
  if (version.error) return <span class="jitviz-failed">{version.error}</span>;
  if (!reason) return <span class="jitviz-faint">–</span>;
  const others = more.length + version.n_more_reasons;
  return (
    <>
      {reason.kind.replaceAll("_", " ")} {reason.path && <code>{reason.path}</code>}
      {others > 0 && <span class="jitviz-faint"> and {grouped(others)} more</span>}
    </>
  );
}

function Sites({ home }: { home: FunctionView }) {
  if (home.call_sites.length === 0) return null;
  return (
    <p class="jitviz-faint">
      called from{" "}
      {home.call_sites.map((site, index) => (
        <span key={site.source}>
          {index > 0 && ", "}
          <code>{site.source}</code> ({site.told}
          {site.compile_s > 0 && `, ${seconds(site.compile_s)} compiling`})
        </span>
      ))}
      {home.n_more_call_sites > 0 && ` and ${count(home.n_more_call_sites, "more line")}`}
    </p>
  );
}
