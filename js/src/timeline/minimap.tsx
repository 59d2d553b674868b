/** The whole recording in a strip, with the window in sight, which dragging moves: always there, so that nothing moves. */

import { useEffect, useRef } from "preact/hooks";
import { OUTCOMES } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import type { Window } from "./axis.ts";
import { type Colours, fillsOf } from "./colours.ts";
import type { Layout } from "./layout.ts";

const HEIGHT = 18;

interface Props {
  calls: Calls;
  layout: Layout;
  colours: Colours | null;
  window: Window;
  width: number;
  onMove(center: number): void;
}

export function Minimap({ calls, layout, colours, window, width, onMove }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { length } = layout.axis;
  const [from, to] = [Math.max(0, window.from), Math.min(length, window.to)];
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context && colours) paintMinimap(context, calls, layout, colours, width);
  }, [calls, layout, colours, width]);
  const move = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onMove(((event.clientX - box.left) / box.width) * length);
  };
  return (
    <div
      class="jitviz-minimap"
      style={{ width: `${width}px` }}
      aria-hidden="true"
      onPointerDown={move}
      onPointerMove={move}
    >
      <canvas ref={canvas} style={{ width: "100%", height: `${HEIGHT}px` }} />
      <div
        class="jitviz-window"
        style={{ left: `${(from / length) * 100}%`, width: `${((to - from) / length) * 100}%` }}
      />
    </div>
  );
}

function paintMinimap(
  context: CanvasRenderingContext2D,
  calls: Calls,
  layout: Layout,
  colours: Colours,
  width: number,
): void {
  const density = devicePixelRatio;
  context.canvas.width = Math.max(1, width * density);
  context.canvas.height = HEIGHT * density;
  context.scale(density, density);
  const scale = width / layout.axis.length;
  const taken = new Uint8Array(Math.ceil(width) + 1);
  const isHit = OUTCOMES.indexOf("hit");
  context.fillStyle = colours.hit;
  for (let call = 0; call < calls.n; call += 1) {
    const column = ((layout.from[call] as number) * scale) | 0;
    if (taken[column] || calls.panel.timeline.call_outcome[call] !== isHit) continue;
    taken[column] = 1;
    context.fillRect(column, 5, 1, HEIGHT - 10);
  }
  const { phase_what } = calls.panel.timeline;
  const fills = fillsOf(colours, density);
  let last = -1;
  for (let phase = 0; phase < layout.phaseFrom.length; phase += 1) {
    const from = (layout.phaseFrom[phase] as number) * scale;
    const to = Math.max((layout.phaseTo[phase] as number) * scale, from + 1);
    if (to - from <= 1 && (from | 0) === last) continue;
    last = from | 0;
    context.fillStyle = fills[phase_what[phase] as number] ?? colours.trace;
    context.fillRect(from, 3, to - from, HEIGHT - 6);
  }
}
