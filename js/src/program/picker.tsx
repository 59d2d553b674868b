/** A choice among all compiled versions of all functions. */

import type { Panel, Version } from "../schema.ts";
import type { Picked } from "../state/choice.ts";

interface Props {
  panel: Panel;
  label: string;
  picked: Picked | null;
  onPick(picked: Picked): void;
}

export function VersionPicker({ panel, label, picked, onPick }: Props) {
  const groups = panel.functions.map((home) => ({ home, versions: home.versions.filter(hasTexts) }));
  const byIndex = new Map(
    groups.flatMap(({ home, versions }) => versions.map((version) => [version.index, { home, version }])),
  );
  if (byIndex.size === 0) return null;
  const labels = labelVersions(byIndex.values());
  return (
    <label class="jitviz-picker">
      <span class="jitviz-faint">{label}</span>{" "}
      <select
        class="jitviz-select"
        value={picked?.version.index ?? ""}
        onChange={(event) => {
          const next = byIndex.get(Number(event.currentTarget.value));
          if (next) onPick(next);
        }}
      >
        {!picked && (
          <option value="" disabled>
            choose a version
          </option>
        )}
        {groups.map(({ home, versions }, index) => (
          <optgroup key={index} label={home.name}>
            {versions.map((version) => (
              <option key={version.index} value={version.index}>
                {labels.get(version.index)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** Labels; versions with the same number, of functions with the same name, also get the line that compiled them. */
function labelVersions(all: Iterable<Picked>): Map<number, string> {
  const labels = new Map<number, string>();
  const taken = new Map<string, Version>();
  for (const { home, version } of all) {
    const label = `${home.name} · ${version.name}`;
    const other = taken.get(label);
    if (other) labels.set(other.index, addSource(label, other));
    labels.set(version.index, other ? addSource(label, version) : label);
    taken.set(label, version);
  }
  return labels;
}

function addSource(label: string, { source }: Version): string {
  return source ? `${label}, at ${source}` : label;
}

/** Versions from before the recording, and those that failed early, have no texts. */
export function hasTexts(version: Version): boolean {
  return !version.is_before && version.listings.length > 0;
}
