/**
 * The timeline: a lane for each function and thread, with zoom, pan, brush, and the keyboard call by call.
 *
 * In: `Calls`, the chosen call, the elapsed time.  Out: a canvas, its controls, and the same as a table.
 * Must never: be the only way to learn what it shows.
 */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { LinkButton } from "../parts/buttons.tsx";
import { onKeys } from "../parts/keys.ts";
import { Term, type TermName } from "../parts/term.tsx";
import { WHATS } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, seconds } from "../words/numbers.ts";
import { nameWhat, tellCall } from "../words/phrases.ts";
import { keepInside, type Window, zoom } from "./axis.ts";
import { type Hover, HoverCard } from "./call_card.tsx";
import { type Colours, readColours } from "./colours.ts";
import { type Gestures, watchGestures } from "./gestures.ts";
import { LaneNames } from "./lanes.tsx";
import { layOut } from "./layout.ts";
import { callAt, callBeside, callInLane, extremeCall } from "./nearest.ts";
import { AXIS, FOOT, LANE, paint, type Scene } from "./paint.ts";

interface Props {
  calls: Calls;
  chosen: number;
  /** Calls to point at, beside the chosen one. */
  marked: readonly number[];
  /** Seconds of the recording so far. */
  now: number;
  theme: string;
  onChoose(call: number): void;
}

const LEAST_S = 2e-6; // the narrowest window
const MOST_LANES = 11;
const REACH_PX = 6;

export function Timeline({ calls, chosen, marked, now, theme, onChoose }: Props) {
  const { timeline } = calls.panel;
  const [isFolded, setFolded] = usePanelState("timeline folded", () => false);
  const [view, setView] = usePanelState<Window | null>("timeline window", () => null);
  const [hover, setHover] = useState<Hover | null>(null);
  const [brush, setBrush] = useState<Window | null>(null);
  const [width, setWidth] = useState(0);
  const [scrollTop, setScrollTop] = usePanelState("timeline scroll", () => 0);
  const [revealed, setRevealed] = usePanelState("timeline revealed", () => -1);
  const [colours, setColours] = useState<Colours | null>(null);
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = useMemo(() => layOut(calls, now, isFolded), [calls, now, isFolded]);
  const { length } = layout.axis;
  const margin = length * 0.01;
  const window = view ? keepInside(view, length, LEAST_S) : { from: -margin, to: length + margin };
  const lanes = timeline.lanes.length;
  const foot = timeline.bands.length > 1 ? FOOT : 4;
  const height = AXIS + Math.min(lanes, MOST_LANES) * LANE + foot;

  useLayoutEffect(() => {
    const element = stage.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    if (scrollTop > 0) element.parentElement?.scrollTo({ top: scrollTop });
    return () => watch.disconnect();
  }, []);
  // The chosen lane is in sight, until the user scrolls away from it.
  useEffect(() => {
    if (chosen < 0 || revealed === chosen) return;
    setRevealed(chosen);
    reveal(calls.lane(chosen));
  }, [chosen]);
  useEffect(() => {
    if (stage.current) setColours(readColours(stage.current));
  }, [theme]);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !colours || width === 0) return;
    const density = devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * density), Math.round(height * density)];
    // Setting a size clears the canvas, even the same one.
    if (context.canvas.width !== wide) context.canvas.width = wide;
    if (context.canvas.height !== high) context.canvas.height = high;
    paint(context, { ...scene, colours });
  }, [layout, window.from, window.to, width, height, scrollTop, chosen, marked.join(), hover?.call, colours]);

  const scene: Omit<Scene, "colours"> = {
    calls,
    layout,
    window,
    width,
    height,
    scrollTop,
    density: devicePixelRatio || 1,
    chosen,
    marked,
    hovered: hover?.call ?? -1,
  };
  const toPosition = (x: number) => window.from + (x / Math.max(width, 1)) * (window.to - window.from);
  const show = (next: Window) => {
    const inside = keepInside(next, length, LEAST_S);
    setView(inside.to - inside.from > length * 0.999 ? null : inside);
    setHover(null);
  };
  const room = height - AXIS - foot;
  const scrollTo = (top: number) => stage.current?.parentElement?.scrollTo({ top });
  const reveal = (lane: number) => {
    const top = lane * LANE;
    if (top < scrollTop || top + LANE > scrollTop + room) scrollTo(top - (room - LANE) / 2);
  };
  const above = Math.ceil(scrollTop / LANE);
  const below = Math.max(0, lanes - Math.floor((scrollTop + room) / LANE));
  const zoomBy = (factor: number, position = (window.from + window.to) / 2) => show(zoom(window, factor, position));
  const panBy = (part: number) => {
    const shift = (window.to - window.from) * part;
    show({ from: window.from + shift, to: window.to + shift });
  };
  const choose = (call: number) => {
    if (call < 0) return;
    onChoose(call);
    const [from, to] = [layout.from[call] as number, layout.to[call] as number];
    if (to < window.from || from > window.to) {
      const half = (window.to - window.from) / 2;
      show({ from: (from + to) / 2 - half, to: (from + to) / 2 + half });
    }
  };
  const find = (x: number, y: number) => {
    const lane = Math.floor((y - AXIS + scrollTop) / LANE);
    const reach = (REACH_PX / Math.max(width, 1)) * (window.to - window.from);
    return y < AXIS || lane >= lanes ? -1 : callAt(calls, layout, lane, toPosition(x), reach);
  };
  const gestures = useRef<Gestures>(null as never); // the handlers of the last drawing
  gestures.current = {
    onZoom: (factor, x) => zoomBy(factor, toPosition(x)),
    onPan: (dx) => panBy(dx / Math.max(width, 1)),
    onBrush: (from, to, isDone) => {
      setBrush(isDone ? null : { from, to });
      if (isDone) show({ from: toPosition(from), to: toPosition(to) });
    },
    onHover: (x, y) => {
      const call = find(x, y);
      setHover(call < 0 ? null : { call, x, y });
    },
    onLeave: () => setHover(null),
    onClick: (x, y) => choose(find(x, y)),
  };
  useEffect(() => {
    if (!canvas.current) return;
    return watchGestures(canvas.current, gestures);
  }, []);
  const showAll = () => setView(null);
  const isCompile = (call: number) => calls.outcome(call) === "compile";
  const keys = onKeys({
    ArrowLeft: () => choose(callBeside(calls, chosen, -1)),
    ArrowRight: () => choose(callBeside(calls, chosen, 1)),
    p: () => choose(callBeside(calls, chosen, -1, isCompile)),
    n: () => choose(callBeside(calls, chosen, 1, isCompile)),
    ArrowUp: () => choose(callInLane(calls, chosen, -1)),
    ArrowDown: () => choose(callInLane(calls, chosen, 1)),
    Home: () => choose(extremeCall(calls, -1)),
    End: () => choose(extremeCall(calls, 1)),
    "Shift+ArrowLeft": () => panBy(-0.2),
    "Shift+ArrowRight": () => panBy(0.2),
    "+": () => zoomBy(0.5),
    "-": () => zoomBy(2),
    "0": showAll,
  });
  const fold = () => {
    setFolded(!isFolded);
    showAll();
  };

  return (
    <section class="jitviz-timeline">
      <div class="jitviz-bar">
        <Legend calls={calls} />
        <div class="jitviz-tools" role="toolbar" aria-label="Timeline tools">
          <button type="button" title="zoom out (−)" aria-label="zoom out" disabled={!view} onClick={() => zoomBy(2)}>
            −
          </button>
          <button type="button" title="zoom in (+), or drag a stretch" aria-label="zoom in" onClick={() => zoomBy(0.5)}>
            +
          </button>
          <button type="button" title="show all (0)" disabled={!view} onClick={showAll}>
            all
          </button>
          <button type="button" aria-pressed={isFolded} title="fold stretches in which nothing ran" onClick={fold}>
            hide idle time
          </button>
        </div>
      </div>
      <div class="jitviz-lanes">
        <div
          class="jitviz-scroll"
          role="application"
          aria-roledescription="timeline"
          aria-label={`Timeline of ${seconds(timeline.duration_s)}. Arrow keys go from call to call, n and p to the next and previous compile, plus and minus zoom.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the timeline is worked with keys
          tabIndex={0}
          onKeyDown={keys}
          style={{ maxHeight: `${height}px` }}
          onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
        >
          <LaneNames calls={calls} chosenLane={chosen < 0 ? -1 : calls.lane(chosen)} />
          <div class="jitviz-stage" ref={stage} style={{ height: `${AXIS + lanes * LANE + foot}px` }}>
            <canvas ref={canvas} style={{ height: `${height}px` }} />
          </div>
        </div>
        {brush && (
          <div
            class="jitviz-brush"
            style={{ left: `calc(100% - ${width - brush.from}px)`, width: `${brush.to - brush.from}px` }}
          />
        )}
        {hover && (
          <div class="jitviz-hover-box" style={{ width: `${width}px` }}>
            <HoverCard calls={calls} hover={hover} width={width} />
          </div>
        )}
      </div>
      {lanes > MOST_LANES && (
        <div class="jitviz-bar jitviz-more-lanes">
          {above > 0 && (
            <LinkButton onClick={() => scrollTo(scrollTop - room)}>{count(above, "more lane")} above</LinkButton>
          )}
          {below > 0 && (
            <LinkButton onClick={() => scrollTo(scrollTop + room)}>{count(below, "more lane")} below</LinkButton>
          )}
        </div>
      )}
      <p class="jitviz-faint jitviz-window" role="status">
        {view
          ? `${seconds(layout.axis.time(window.from))} to ${seconds(layout.axis.time(window.to))} of ${seconds(timeline.duration_s)}`
          : "Drag over a stretch to zoom in."}
      </p>
      <p class="jitviz-hidden" aria-live="polite">
        {tellCall(calls, chosen)}
      </p>
    </section>
  );
}

const RARE_SIGNS = ["inlined", "error"] as const;

/** The signs of the timeline, each with what it means. */
function Legend({ calls }: { calls: Calls }) {
  const { phase_what } = calls.panel.timeline;
  const outcomes = useMemo(() => new Set(Array.from({ length: calls.n }, (_, call) => calls.outcome(call))), [calls]);
  const drawn = useMemo(() => new Set(Array.from(phase_what, (what) => WHATS[what])), [phase_what]);
  const signs = calls.n > 0 ? (["hit", ...RARE_SIGNS.filter((sign) => outcomes.has(sign))] as const) : [];
  return (
    <ul class="jitviz-legend" aria-label="Legend">
      {WHATS.filter((what) => drawn.has(what) || what === "jitviz" || (what === "run" && calls.n > 0)).map((what) => (
        <li key={what}>
          <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />
          {what === "load" ? "load from disk" : <Term name={nameWhat(what) as TermName} />}
        </li>
      ))}
      {signs.map((sign) => (
        <li key={sign}>
          <span class={`jitviz-swatch jitviz-${sign}`} aria-hidden="true" />
          <Term name={sign} />
        </li>
      ))}
    </ul>
  );
}
