/** A choice among all compiled versions of all functions. */

import type { FunctionView, Panel, Version } from "../schema.ts";
import { nameVersion } from "../tell.ts";

export interface Picked {
  home: FunctionView;
  version: Version;
}

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
                {home.name} · {nameVersion(version)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** Of versions from before the recording, and of those that failed early, there is nothing to read. */
export function hasTexts(version: Version): boolean {
  return !version.is_before && version.listings.length > 0;
}
