/**
 * The program of a version: its texts, its graph, its differences from another one, its cost.
 *
 * In: the chosen version and a place.  Out: one of four views of it.
 * Must never: ask for what is not shown.
 */

import { Segments } from "../parts/segments.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { ListingName, Panel } from "../schema.ts";
import type { Choice, Picked } from "../state/choice.ts";
import { Cost } from "./cost.tsx";
import { Diff } from "./diff.tsx";
import { Graph } from "./graph.tsx";
import { type Selected, type Selection, wholeLine } from "./highlights.ts";
import { hasTexts, VersionPicker } from "./picker.tsx";
import { type Layout, nameText, type PaneName, type Place, TEXTS, type ViewName } from "./place.ts";
import { Reading } from "./reading.tsx";

interface Props {
  panel: Panel;
  choice: Choice;
  place: Place;
  selected: Selected | null;
  onPlace(place: Place): void;
  onSelect(selected: Selected): void;
  onVersion(picked: Picked): void;
}

const VIEWS: Record<ViewName, string> = { code: "Code", graph: "Graph", diff: "Diff", cost: "Cost" };

export function Program({ panel, choice, place, selected, onPlace, onSelect, onVersion }: Props) {
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
        <VersionPicker panel={panel} label="program of" picked={picked} onPick={onVersion} />
        {place.view === "code" && picked && <Layouts place={place} onPlace={onPlace} />}
      </div>
      <Tabs
        titles={VIEWS}
        label="Views of the program"
        chosen={place.view}
        onChoose={(view) => onPlace({ ...place, view })}
      >
        {!picked && <p class="jitviz-faint">{tellNone(panel)}</p>}
        {picked && place.view === "code" && (
          <Reading key={index} {...picked} place={place} selection={selection} onSelect={select} onPlace={onPlace} />
        )}
        {picked && place.view === "graph" && <Graph key={index} version={picked.version} onLine={goToLine} />}
        {picked && place.view === "diff" && (
          <Diff panel={panel} picked={picked} name={text} onText={(pane) => onPlace({ ...place, pane })} />
        )}
        {picked && place.view === "cost" && <Cost version={picked.version} />}
      </Tabs>
    </div>
  );
}

/** The chosen version if it has texts, else another version of the same function. */
function pickedIn({ home, version }: Choice): Picked | null {
  if (!home) return null;
  const best = version && hasTexts(version) ? version : home.versions.findLast(hasTexts);
  return best ? { home, version: best } : null;
}

function tellNone(panel: Panel): string {
  const isAny = panel.functions.some(({ versions }) => versions.some(hasTexts));
  if (isAny) return "The program of this call is not known; choose a version.";
  return panel.compiles > 0 || panel.op_by_op.length > 0
    ? "The programs that were compiled here were not kept: those outside any jit never are."
    : "Nothing was compiled here, so there is no program to read.";
}

const LAYOUTS: readonly Layout[] = ["single", "side by side", "all"];

function Layouts({ place, onPlace }: { place: Place; onPlace(place: Place): void }) {
  const panes: readonly PaneName[] = place.layout === "single" ? ["source", ...TEXTS] : TEXTS;
  const shown = place.layout === "side by side" && place.pane === "source" ? "jaxpr" : place.pane;
  return (
    <span class="jitviz-tools">
      {place.layout !== "all" && (
        <Segments
          label="Text"
          items={panes}
          chosen={shown}
          nameItem={nameText}
          onChoose={(pane) => onPlace({ ...place, pane })}
        />
      )}
      <Segments
        label="Layout"
        items={LAYOUTS}
        chosen={place.layout}
        onChoose={(layout) => onPlace({ ...place, layout })}
      />
    </span>
  );
}
