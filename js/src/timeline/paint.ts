/**
 * Paints the lanes. Calls narrower than a pixel fall into their pixel column, and each column is drawn once.
 *
 * In: a `Scene`.  Out: paint on a canvas.
 * Must never: draw more things than there are pixel columns and lanes, however many calls there are.
 */

import { OUTCOMES, WHATS } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { sayTick, ticks, type Window } from "./axis.ts";
import { type Colours, fillsOf } from "./colours.ts";
import type { Layout } from "./layout.ts";

export const LANE = 34;
const BAR = 16;
const BAR_TOP = (LANE - BAR) / 2;
export const AXIS = 24;
export const FOOT = 16; // below the lanes, for the names of bands

export interface Scene {
  calls: Calls;
  layout: Layout;
  window: Window;
  colours: Colours;
  /** CSS pixels. */
  width: number;
  height: number;
  scrollTop: number;
  density: number;
  chosen: number;
  marked: readonly number[];
  hovered: number;
}

/** If a pixel column has several outcomes, the last one in this list is drawn. */
const RANK = ["hit", "inlined", "trace", "compile", "error"] as const;
const OWN = WHATS.indexOf("jitviz");
const RUN = WHATS.indexOf("run");
const RANK_OF = OUTCOMES.map((outcome) => RANK.indexOf(outcome) + 1);

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { colours, width, height, density } = scene;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `11px ${colours.font}`;
  paintGround(context, scene);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, AXIS - scene.scrollTop);
  paintCalls(context, scene);
  paintPhases(context, scene);
  paintOutline(context, scene, scene.hovered, colours.faint);
  paintOutline(context, scene, scene.chosen, colours.focus);
  for (const call of scene.marked) paintMark(context, scene, call);
  context.restore();
}

function toPixel({ window, width }: Scene, position: number): number {
  return ((position - window.from) / (window.to - window.from)) * width;
}

function paintGround(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, window, width, height, colours } = scene;
  const { axis } = layout;
  paintBands(context, scene);
  const first = axis.time(window.from);
  const last = axis.time(window.to);
  const { times, step } = ticks(first, last, axis.gaps.length ? width / 60 : width / 110);
  let free = -Infinity;
  for (const time of times) {
    const x = Math.round(toPixel(scene, axis.at(time))) + 0.5;
    if (x < free || axis.gaps.some((gap) => time > gap.from && time < gap.to)) continue;
    context.fillStyle = colours.line;
    context.fillRect(x - 0.5, AXIS - 5, 1, height);
    context.fillStyle = colours.faint;
    const label = sayTick(time, step, last);
    const room = context.measureText(label).width;
    if (x + 4 + room < width) context.fillText(label, x + 4, AXIS - 10);
    free = x + room + 18;
  }
  for (const gap of axis.gaps) {
    const from = toPixel(scene, axis.at(gap.from));
    const to = toPixel(scene, axis.at(gap.to));
    context.fillStyle = colours.shade;
    context.fillRect(from, AXIS, to - from, height);
    context.strokeStyle = colours.faint;
    context.setLineDash([2, 3]);
    context.strokeRect(from, AXIS - 5, Math.max(1, to - from), height);
    context.setLineDash([]);
  }
}

/** Cells, where there are several: every other one is shaded, and each has its name where there is room. */
function paintBands(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, width, height, colours } = scene;
  if (layout.bands.length < 2) return;
  for (const [index, band] of layout.bands.entries()) {
    const from = Math.max(0, toPixel(scene, band.from));
    const to = Math.min(width, toPixel(scene, band.to));
    if (to <= from) continue;
    context.fillStyle = colours.shade;
    if (index % 2 === 0) context.fillRect(from, AXIS, to - from, height - AXIS);
    context.fillStyle = colours.faint;
    if (context.measureText(band.label).width + 8 < to - from) context.fillText(band.label, from + 4, height - 4);
  }
}

function paintCalls(context: CanvasRenderingContext2D, scene: Scene): void {
  const { calls, layout, window, width, colours, density } = scene;
  const { lanes, call_lane, call_outcome } = calls.panel.timeline;
  const columns = Math.ceil(width);
  const scale = width / (window.to - window.from);
  const narrow = new Uint8Array(lanes.length * columns);
  context.fillStyle = fillsOf(colours, density)[RUN] ?? colours.run;
  context.strokeStyle = colours.rim;
  context.lineWidth = 1;
  for (let call = 0; call < calls.n; call += 1) {
    const from = (layout.from[call] as number) * scale - window.from * scale;
    const to = (layout.to[call] as number) * scale - window.from * scale;
    if (to < 0 || from > width) continue;
    const lane = call_lane[call] as number;
    const column = lane * columns + Math.min(columns - 1, Math.max(0, from | 0));
    const rank = RANK_OF[call_outcome[call] as number] as number;
    if (to - from >= 3) {
      const top = lane * LANE + BAR_TOP + 0.5;
      const ready = (layout.ready[call] as number) * scale - window.from * scale;
      const begin = Math.max(-2, Math.round(from));
      const left = Math.max(-2, Math.round(ready)) + 0.5;
      const right = Math.min(width + 2, Math.round(to)) - 0.5;
      context.strokeRect(begin, top + BAR / 2, right - begin, 0);
      if (right - left >= 1) {
        context.fillRect(left, top, right - left, BAR - 1);
        context.strokeRect(left, top, right - left, BAR - 1);
      }
      if (from < 0) continue;
    }
    if (rank > (narrow[column] as number)) narrow[column] = rank;
  }
  for (let lane = 0; lane < lanes.length; lane += 1) {
    for (let column = 0; column < columns; column += 1) {
      const rank = narrow[lane * columns + column] as number;
      if (!rank) continue;
      // Adjacent ticks are fainter, so that many hits weigh less than one compile.
      const isAlone = narrow[lane * columns + column - 1] !== rank;
      context.globalAlpha = isAlone ? 1 : 0.55;
      paintTick(context, RANK[rank - 1] ?? "hit", colours, column, lane * LANE, isAlone ? 2 : 1);
    }
  }
  context.globalAlpha = 1;
}

/** Outcomes differ in height and place as well: a hit is a tick, an inlined call hangs below, an error stands out. */
function paintTick(
  context: CanvasRenderingContext2D,
  outcome: (typeof RANK)[number],
  colours: Colours,
  x: number,
  top: number,
  hitWidth: number,
): void {
  context.fillStyle = colours[outcome];
  if (outcome === "hit") context.fillRect(x, top + BAR_TOP - 3, hitWidth, BAR + 6);
  else if (outcome === "inlined") context.fillRect(x, top + BAR_TOP + BAR / 2, 2, BAR / 2);
  else if (outcome === "error") {
    context.fillRect(x, top + 2, 2, LANE - 4);
    context.beginPath();
    context.moveTo(x - 4, top + 1);
    context.lineTo(x + 6, top + 1);
    context.lineTo(x + 1, top + 8);
    context.fill();
  } else context.fillRect(x, top + BAR_TOP, 1.5, BAR);
}

function paintPhases(context: CanvasRenderingContext2D, scene: Scene): void {
  const { calls, layout, width, colours, density } = scene;
  const { phase_lane, phase_what, lanes } = calls.panel.timeline;
  const columns = Math.ceil(width);
  const narrow = new Uint8Array(lanes.length * columns);
  const fills = fillsOf(colours, density);
  for (let phase = 0; phase < layout.phaseFrom.length; phase += 1) {
    const from = toPixel(scene, layout.phaseFrom[phase] as number);
    const to = toPixel(scene, layout.phaseTo[phase] as number);
    if (to < 0 || from > width) continue;
    const lane = phase_lane[phase] as number;
    const what = phase_what[phase] as number;
    const own = Math.min(width + 2, toPixel(scene, layout.ownTo[phase] as number)) - to;
    if (own >= 1) {
      context.fillStyle = fills[OWN] as string;
      context.fillRect(to, lane * LANE + BAR_TOP, own, BAR);
    }
    if (to - from < 1.5) {
      const column = lane * columns + Math.min(columns - 1, Math.max(0, from | 0));
      narrow[column] = Math.max(narrow[column] as number, what + 1);
      continue;
    }
    const left = Math.max(-2, from);
    const right = Math.min(width + 2, to);
    context.clearRect(left, lane * LANE + BAR_TOP, right - left, BAR);
    context.fillStyle = fills[what] as string;
    context.fillRect(left, lane * LANE + BAR_TOP, right - left, BAR);
    context.strokeStyle = colours.rim;
    if (right - left >= 3) context.strokeRect(left + 0.5, lane * LANE + BAR_TOP + 0.5, right - left - 1, BAR - 1);
  }
  for (let lane = 0; lane < lanes.length; lane += 1) {
    for (let column = 0; column < columns; column += 1) {
      const what = WHATS[(narrow[lane * columns + column] as number) - 1];
      if (!what) continue;
      context.fillStyle = colours[what];
      context.fillRect(column, lane * LANE + BAR_TOP, 1.5, BAR);
    }
  }
}

function paintOutline(context: CanvasRenderingContext2D, scene: Scene, call: number, colour: string): void {
  if (call < 0 || call >= scene.calls.n) return;
  const from = Math.max(-8, toPixel(scene, scene.layout.from[call] as number));
  const to = Math.min(scene.width + 8, toPixel(scene, scene.layout.to[call] as number));
  const top = scene.calls.lane(call) * LANE + BAR_TOP - 5.5;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(from - 3.5, top, Math.max(to - from, 2) + 7, BAR + 11, 4);
  context.stroke();
}

/** An arrow at the beginning of a call. */
function paintMark(context: CanvasRenderingContext2D, scene: Scene, call: number): void {
  if (call < 0) return;
  const x = toPixel(scene, scene.layout.from[call] as number);
  const top = scene.calls.lane(call) * LANE;
  context.fillStyle = scene.colours.focus;
  context.beginPath();
  context.moveTo(x - 5, top);
  context.lineTo(x + 5, top);
  context.lineTo(x, top + 7);
  context.fill();
}
