/**
 * The panel: the seconds on top, then what is worth doing, then the evidence in tabs.
 *
 * In: a `Panel`.  Out: everything that is shown of a recording.
 * Must never: forget the user's choice when the recording grows.
 */

import { useMemo, useState } from "preact/hooks";
import { Arguments } from "../overview/arguments.tsx";
import { Cells } from "../overview/cells.tsx";
import { Edits } from "../overview/edits.tsx";
import { Findings } from "../overview/findings.tsx";
import { Functions } from "../overview/functions.tsx";
import { PartitionPane } from "../partition/partition.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { readLine, type Selected, writeLine } from "../program/highlights.ts";
import { FIRST_PLACE, type Place, readPlace, writePlace } from "../program/place.ts";
import { Program } from "../program/program.tsx";
import type { Goal } from "../program/reading.tsx";
import type { ListingName, Panel, Span } from "../schema.ts";
import { type Address, readAddress, useAddress } from "../state/address.ts";
import { Calls } from "../state/calls.ts";
import {
  blamedOn,
  type Choice,
  chooseAgain,
  chooseBeside,
  chooseCall,
  chooseCulprit,
  chooseFirst,
  chooseVersion,
  type Picked,
} from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { zoomOf } from "../time/icicle.tsx";
import { cutAccount, type Slice } from "../time/slices.ts";
import { SECONDS, Time, UNIT, type Unit } from "../time/time.tsx";
import { Timeline } from "../timeline/timeline.tsx";
import { Chips, Headline } from "./headline.tsx";
import { growAccount, type Link, Live, useElapsed } from "./live.tsx";
import { Notes } from "./notes.tsx";
import { Ribbon } from "./ribbon.tsx";
import { Versions } from "./versions.tsx";

const TITLES = {
  overview: "Overview",
  time: "Time",
  timeline: "Timeline & partition",
  versions: "Versions",
  program: "Program",
  notes: "Notes",
};
/** A cell that takes less has no frame, which would only appear and go. */
const FRAMED_S = 1;
/** Of what compiled, below the findings. */
const FEW_ROWS = 4;
type TabName = keyof typeof TITLES;

interface Props {
  panel: Panel;
  link: Link;
  theme: string;
  /** Whether the address of the page is the panel's own. */
  isPage: boolean;
}

export function PanelView({ panel, link, theme, isPage }: Props) {
  const [linked] = useState(() => (isPage ? readAddress(location.hash) : null));
  const [tab, setTab] = useState<TabName>(() => asTab(linked?.tab));
  const [chosen, setChosen] = useState<Choice | null>(() => (linked ? goTo(new Calls(panel), linked) : null));
  const [place, setPlace] = useState<Place>(() => readPlace(linked?.place ?? "", FIRST_PLACE));
  const [selected, setSelected] = usePanelState<Selected | null>("selected", () => selectedIn(linked, chosen));
  const [, setGoal] = usePanelState<Goal | null>("program goal", () => null);
  const [isWide, setWide] = useState(false);
  const [, setUnit] = usePanelState<Unit>(UNIT, () => "seconds");
  const [, setZoomed] = usePanelState(zoomOf(SECONDS), () => 0);
  const calls = useMemo(() => new Calls(panel), [panel]);
  const choice = useMemo(
    () => (chosen ? chooseAgain(calls, chosen) : chooseFirst(calls, panel)),
    [calls, chosen, panel],
  );
  const now = useElapsed(panel, !panel.is_finished && link === "live");
  const marked = useMemo(
    () => blamedOn(choice.home, choice.path).map((version) => calls.callOf(version)),
    [calls, choice.home, choice.path],
  );
  const show = (next: Choice | null) => {
    if (!next) return;
    setChosen(next);
    setTab("timeline");
  };
  const pick = (picked: Picked) => setChosen(chooseVersion(calls, picked));
  const showVersion = (picked: Picked, path = "") => show(chooseVersion(calls, picked, path));
  const showText = (picked: Picked, pane: ListingName) => {
    pick(picked);
    setPlace({ ...place, view: "code", pane });
    setTab("program");
  };
  const showTrace = (function_: string) => {
    const { slices } = panel.account ? cutAccount(panel.account) : { slices: [] };
    const isIts = ({ look, depth, name }: Slice) => look === "what-trace" && depth === 2 && name.startsWith(function_);
    setUnit("seconds");
    setZoomed(Math.max(0, slices.findIndex(isIts)));
    setTab("time");
  };
  const showProgram = (compile: number, source: string) => {
    setChosen((old) => chooseCulprit(calls, { compile, path: "" }) ?? old);
    setPlace({ ...place, view: "code" });
    setGoal({ index: compile, source });
    setTab("program");
  };
  const openTab = (name: TabName) => {
    // A reader of a program keeps it when another one is compiled.
    if (name === "program") setChosen((old) => old ?? choice);
    setTab(name);
  };
  const at = { tab, call: choice.call, leaf: choice.path, function: choice.home?.name ?? "", place: "", line: "" };
  if (tab === "program") {
    at.place = writePlace(place);
    if (selected && selected.index === choice.version?.index) at.line = writeLine(selected.selection);
  }
  useAddress(isPage, at, (to) => {
    const next = goTo(calls, to);
    setTab(asTab(to.tab));
    setChosen(next);
    setPlace(readPlace(to.place, place));
    if (to.place) setSelected(selectedIn(to, next));
  });
  const onCulprit = (span: Span) => show(chooseCulprit(calls, span));
  const isEmpty = calls.n === 0 && panel.functions.length === 0 && panel.op_by_op.length === 0;
  // A cell with only hits is one line.
  const isShort = panel.verdict.level === "hits" && panel.is_finished && panel.failures.length === 0 && !isWide;
  // What stands below a panel does not move while it fills in.
  const isFramed = !panel.is_finished && link === "live" && now >= FRAMED_S;
  // What a choice does not change is not drawn again for it.
  const head = useMemo(
    () => (
      <>
        <Headline panel={panel} onCulprit={onCulprit}>
          {isShort && (
            <LinkButton class="jitviz-link jitviz-more" onClick={() => setWide(true)}>
              calls, timeline and partition
            </LinkButton>
          )}
        </Headline>
        <Live calls={calls} now={now} link={link} />
        {!isEmpty && !isShort && (
          <>
            {panel.account && <Ribbon account={growAccount(calls, panel.account, now)} onMore={() => setTab("time")} />}
            <Chips chips={panel.chips} />
          </>
        )}
      </>
    ),
    [calls, now, link, isShort],
  );
  const timeline = useMemo(
    () => (
      <Timeline
        calls={calls}
        chosen={choice.call}
        marked={marked}
        now={now}
        theme={theme}
        onChoose={(call) => setChosen((old) => chooseBeside(calls, old ? chooseAgain(calls, old) : choice, call))}
      />
    ),
    [calls, choice.call, marked.join(), now, theme],
  );
  // A page may have several panels, so each has its cells in its name.
  return (
    <section class={isFramed ? "jitviz-frame" : ""} aria-label={["jitviz", panel.label].filter(Boolean).join(" of ")}>
      {isEmpty || isShort ? (
        <>
          {head}
          {isEmpty && <Notes panel={panel} />}
        </>
      ) : (
        <Tabs
          titles={TITLES}
          badges={badgesOf(panel)}
          chosen={tab}
          head={head}
          isHeadSmall={tab !== "overview"}
          onChoose={openTab}
        >
          {tab === "overview" && (
            <Edits>
              <Findings
                panel={panel}
                onCulprit={onCulprit}
                onCompile={(compile) => show(chooseCulprit(calls, { compile, path: "" }))}
                onProgram={showProgram}
                onTrace={showTrace}
              />
              <Functions panel={panel} {...(panel.findings.length > 0 && { most: FEW_ROWS })} onVersion={showVersion} />
              <div class="jitviz-index">
                <div class="jitviz-cells">
                  <Cells cells={panel.cells} findings={panel.findings} onCulprit={onCulprit} />
                </div>
                <Arguments calls={calls} choice={choice} />
              </div>
            </Edits>
          )}
          {tab === "time" && <Time panel={panel} choice={choice} onVersion={pick} />}
          {tab === "timeline" && (
            <>
              {timeline}
              <PartitionPane
                calls={calls}
                choice={choice}
                onLeaf={(path) => setChosen({ ...choice, path })}
                onVersion={showVersion}
              />
            </>
          )}
          {tab === "versions" && <Versions panel={panel} onVersion={showVersion} onText={showText} />}
          {tab === "program" && (
            <Program
              panel={panel}
              choice={choice}
              place={place}
              selected={selected}
              onPlace={setPlace}
              onSelect={setSelected}
              onVersion={pick}
            />
          )}
          {tab === "notes" && <Notes panel={panel} />}
        </Tabs>
      )}
    </section>
  );
}

function asTab(name = ""): TabName {
  return Object.hasOwn(TITLES, name) ? (name as TabName) : "overview";
}

/** The call of an address, else the newest version of its function, and its leaf; null where the panel has neither. */
function goTo(calls: Calls, { call, leaf, function: name }: Address): Choice | null {
  if (call >= 0 && call < calls.n) return { ...chooseCall(calls, call), path: leaf };
  const home = calls.panel.functions.find((home) => home.name === name);
  const version = home?.versions.at(-1);
  return home && version ? chooseVersion(calls, { home, version }, leaf) : null;
}

function selectedIn(at: Address | null, choice: Choice | null): Selected | null {
  const selection = readLine(at?.line ?? "");
  return selection && choice?.version ? { index: choice.version.index, selection } : null;
}

function badgesOf({ functions, failures, n_more_failures }: Panel) {
  const versions = functions.reduce((sum, home) => sum + home.versions.length + home.n_more_versions, 0);
  return { versions, notes: failures.length + n_more_failures };
}
