/**
 * Colours and patterns of the canvas, from the same CSS variables as everything else.
 *
 * In: an element of the panel.  Out: `Colours`.
 * Must never: tell two things apart by colour alone.
 */

const NAMES = [
  "trace",
  "lower",
  "compile",
  "run",
  "hit",
  "error",
  "inlined",
  "text",
  "faint",
  "line",
  "shade",
  "focus",
] as const;

type ColourName = (typeof NAMES)[number];
export type Colours = Record<ColourName, string> & { font: string };

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  // The value of a variable may be any expression; an element that uses it has the resulting colour.
  const colours = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = `var(--jitviz-${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return { ...colours, font: style.fontFamily } as Colours;
}

type Pattern = "stripes" | "dots" | "solid" | "hollow" | "lines";

export const PATTERNS: Record<"trace" | "lower" | "compile" | "run" | "own", Pattern> = {
  trace: "stripes",
  lower: "dots",
  compile: "solid",
  run: "hollow",
  own: "lines",
};

const SIDE = 6;

/** The fill of a bar. */
export function fillOf(context: CanvasRenderingContext2D, colour: string, pattern: Pattern, density: number) {
  if (pattern === "solid") return colour;
  const tile = document.createElement("canvas");
  tile.width = tile.height = SIDE * density;
  const pen = tile.getContext("2d");
  if (!pen) return colour;
  pen.scale(density, density);
  pen.fillStyle = pen.strokeStyle = colour;
  pen.globalAlpha = pattern === "hollow" ? 0.22 : 0.3;
  pen.fillRect(0, 0, SIDE, SIDE);
  pen.globalAlpha = 1;
  if (pattern === "stripes") {
    pen.lineWidth = 1.8;
    for (const shift of [-SIDE, 0, SIDE]) {
      pen.beginPath();
      pen.moveTo(shift - 1, SIDE + 1);
      pen.lineTo(shift + SIDE + 1, -1);
      pen.stroke();
    }
  } else if (pattern === "dots") {
    for (const [x, y] of [
      [1.5, 1.5],
      [4.5, 4.5],
    ] as const) {
      pen.beginPath();
      pen.arc(x, y, 1.15, 0, 2 * Math.PI);
      pen.fill();
    }
  }
  if (pattern === "lines") pen.fillRect(0, SIDE / 2, SIDE, 1);
  const made = context.createPattern(tile, "repeat");
  made?.setTransform(new DOMMatrix().scale(1 / density));
  return made ?? colour;
}
