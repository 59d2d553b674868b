/**
 * Colours and patterns of the canvas, from the same CSS variables as everything else.
 *
 * In: an element of the panel.  Out: `Colours`.
 * Must never: tell two things apart by colour alone, or draw a kind of work in another way than `palette.css` does.
 */

import { WHATS, type What } from "../schema.ts";

const SIGNS = ["hit", "error", "inlined", "text", "faint", "line", "shade", "focus", "tone", "rim"] as const;

type ColourName = (typeof SIGNS)[number] | What;
export type Colours = Record<ColourName, string> & { font: string };

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  // The value of a variable may be any expression; an element that uses it has the resulting colour.
  const colours = Object.fromEntries(
    [...SIGNS, ...WHATS].map((name) => {
      probe.style.color = `var(--jitviz-${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return { ...colours, font: style.fontFamily } as Colours;
}

const SIDE = 12; // a multiple of the length of each pattern

/** Lines of a pattern: from where to where, how wide, and how far apart to the right and down. */
type Lines = readonly [dx: number, dy: number, width: number, right: number, down: number];

/** The patterns of the style sheet; "dots" and "none" have no lines. */
const PATTERNS: Record<What, Lines | "dots" | "none"> = {
  trace: [1, -1, 2, 6, 0],
  lower: "dots",
  compile: "none",
  load: [0, 1, 2, 6, 0],
  op_by_op: [1, 1, 4, 12, 0],
  run: [1, 0, 1, 0, 4],
  python: "none",
  jitviz: [1, -1, 1, 6, 0],
};

type Fill = string | CanvasPattern;
const made = new WeakMap<Colours, { density: number; fills: readonly Fill[] }>();

/** The fills of all kinds of work, in the order of `WHATS`; made once, since a canvas is painted often. */
export function fillsOf(colours: Colours, density: number): readonly Fill[] {
  const known = made.get(colours);
  if (known?.density === density) return known.fills;
  const fills = WHATS.map((what) => fillOf(colours, what, density));
  made.set(colours, { density, fills });
  return fills;
}

function fillOf(colours: Colours, what: What, density: number): Fill {
  const pattern = PATTERNS[what];
  if (pattern === "none") return colours[what];
  const tile = document.createElement("canvas");
  tile.width = tile.height = SIDE * density;
  const pen = tile.getContext("2d");
  if (!pen) return colours[what];
  pen.scale(density, density);
  pen.fillStyle = colours[what];
  pen.fillRect(0, 0, SIDE, SIDE);
  pen.fillStyle = pen.strokeStyle = what === "jitviz" ? colours.faint : colours.tone;
  if (pattern === "dots") {
    for (let x = 1.5; x < SIDE; x += 4) for (let y = 1.5; y < SIDE; y += 4) pen.fillRect(x - 0.8, y - 0.8, 1.6, 1.6);
  } else {
    const [dx, dy, width, right, down] = pattern;
    pen.lineWidth = width;
    for (let at = -SIDE; at <= 2 * SIDE; at += right || down) {
      const [x, y] = right ? [at, 0] : [0, at + 0.5];
      pen.moveTo(x - SIDE * dx, y - SIDE * dy);
      pen.lineTo(x + 2 * SIDE * dx, y + 2 * SIDE * dy);
    }
    pen.stroke();
  }
  const fill = pen.createPattern(tile, "repeat");
  fill?.setTransform(new DOMMatrix().scale(1 / density));
  return fill ?? colours[what];
}
