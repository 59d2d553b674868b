/**
 * What a version was compiled to: its texts, its graph, what is different from another one, what it costs.
 *
 * In: the version that is looked at, and a place.  Out: one of four views of it.
 * Must never: ask for what is not shown.
 */

import type { Library } from "../answer.ts";
import type { Choice } from "../choice.ts";
import type { FunctionView, ListingName, Panel, Version } from "../schema.ts";
import { Tabs } from "../tabs.tsx";
import type { Ask } from "../wire.ts";
import { Cost } from "./cost.tsx";
import { Diff } from "./diff.tsx";
import { Graph } from "./graph.tsx";
import { type Selected, type Selection, wholeLine } from "./lit.ts";
import { hasTexts, type Picked, VersionPicker } from "./picker.tsx";
import { type Layout, nameText, type PaneName, type Place, TEXTS, type ViewName } from "./place.ts";
import { Reading } from "./reading.tsx";

interface Props {
  panel: Panel;
  choice: Choice;
  place: Place;
  ask: Ask;
  library: Library;
  selected: Selected | null;
  onPlace(place: Place): void;
  onSelect(selected: Selected): void;
  onVersion(home: FunctionView, version: Version): void;
}

const VIEWS: readonly { name: ViewName; title: string; badge: string }[] = [
  { name: "code", title: "Code", badge: "" },
  { name: "graph", title: "Graph", badge: "" },
  { name: "diff", title: "Diff", badge: "" },
  { name: "cost", title: "Cost", badge: "" },
];

export function Program({ panel, choice, place, selected, ask, library, onPlace, onSelect, onVersion }: Props) {
  const picked = pickedIn(choice);
  const index = picked?.version.index ?? -1;
  const selection = selected?.index === index ? selected.selection : null;
  const select = (next: Selection) => onSelect({ index, selection: next });
  const text: ListingName = place.pane === "source" ? "jaxpr" : place.pane;
  const goToLine = (line: number) => {
    select(wholeLine("jaxpr", line));
    onPlace({ ...place, view: "code", pane: "jaxpr" });
  };
  return (
    <div class="jitviz-program">
      <div class="jitviz-bar">
        <VersionPicker
          panel={panel}
          label="program of"
          picked={picked}
          onPick={({ home, version }) => onVersion(home, version)}
        />
        {place.view === "code" && picked && <Layouts place={place} onPlace={onPlace} />}
      </div>
      <Tabs
        tabs={VIEWS}
        label="Views of the program"
        chosen={place.view}
        onChoose={(view) => onPlace({ ...place, view })}
      >
        {!picked && <p class="jitviz-faint">{tellNone(panel)}</p>}
        {picked && place.view === "code" && (
          <Reading
            key={index}
            {...picked}
            place={place}
            ask={ask}
            library={library}
            selection={selection}
            onSelect={select}
            onPlace={onPlace}
          />
        )}
        {picked && place.view === "graph" && (
          <Graph key={index} version={picked.version} ask={ask} library={library} onLine={goToLine} />
        )}
        {picked && place.view === "diff" && (
          <Diff
            panel={panel}
            picked={picked}
            name={text}
            ask={ask}
            library={library}
            onText={(pane) => onPlace({ ...place, pane })}
          />
        )}
        {picked && place.view === "cost" && <Cost version={picked.version} ask={ask} library={library} />}
      </Tabs>
    </div>
  );
}

/** What is looked at, if there is anything to read of it; else another version of the same function. */
function pickedIn({ home, version }: Choice): Picked | null {
  if (!home) return null;
  const best = version && hasTexts(version) ? version : home.versions.findLast(hasTexts);
  return best ? { home, version: best } : null;
}

function tellNone(panel: Panel): string {
  const isAny = panel.functions.some(({ versions }) => versions.some(hasTexts));
  return isAny
    ? "Nothing is known of what this call was compiled to; choose a version."
    : "Nothing was compiled here, so there is no program to read.";
}

const LAYOUTS: readonly { name: Layout; title: string }[] = [
  { name: "one", title: "single" },
  { name: "two", title: "side by side" },
  { name: "four", title: "all" },
];

function Layouts({ place, onPlace }: { place: Place; onPlace(place: Place): void }) {
  const panes: readonly PaneName[] = place.layout === "one" ? ["source", ...TEXTS] : TEXTS;
  const shown = place.layout === "two" && place.pane === "source" ? "jaxpr" : place.pane;
  return (
    <span class="jitviz-tools">
      {place.layout !== "four" && (
        <fieldset class="jitviz-segments" aria-label="Text">
          {panes.map((pane) => (
            <button key={pane} type="button" aria-pressed={pane === shown} onClick={() => onPlace({ ...place, pane })}>
              {nameText(pane)}
            </button>
          ))}
        </fieldset>
      )}
      <fieldset class="jitviz-segments" aria-label="Layout">
        {LAYOUTS.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === place.layout}
            onClick={() => onPlace({ ...place, layout: name })}
          >
            {title}
          </button>
        ))}
      </fieldset>
    </span>
  );
}
