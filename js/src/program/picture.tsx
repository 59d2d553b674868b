/**
 * The view of a drawn graph: zoom, pan, and navigation by keyboard.
 *
 * In: SVG text, and the meaning of its nodes.  Out: the picture, and the node that is clicked.
 * Must never: lose the keyboard focus when the picture is drawn again.
 */

import { useEffect, useRef } from "preact/hooks";
import type { GraphView } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { cleanSvg } from "./svg.ts";

interface Props {
  /** Its zoom is kept under this name. */
  name: string;
  svg: string;
  view: GraphView;
  label: string;
  /** A node with its line in the jaxpr, -1 where it has none. */
  onNode(id: string, line: number): void;
}

const STEP = 1.25;
const LEAST = 0.1;
const LEAST_FIT = 0.75; // at which its letters, of 11 points, are 11 pixels high
const MOST = 4;

export function Picture({ name, svg, view, label, onNode }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const zoom = useRef<Zoom | null>(null);
  const [kept] = usePanelState(`${name} zoom`, (): Zoomed => ({ scale: 0 }));
  const chosen = useRef("");
  const pointed = useRef(onNode);
  pointed.current = onNode;
  useEffect(() => {
    const home = box.current;
    if (!home) return;
    const hadFocus = home.contains((home.getRootNode() as Document | ShadowRoot).activeElement);
    const picture = cleanSvg(svg);
    home.replaceChildren(picture);
    const parts = tellParts(picture, view, label);
    zoom.current = new Zoom(home, picture, kept);
    if (parts.length === 0) picture.setAttribute("tabindex", "0"); // what scrolls must be reached by key
    const focus = (part: SVGElement | undefined, isMoved: boolean) => {
      if (!part) return;
      for (const other of parts) other.setAttribute("tabindex", other === part ? "0" : "-1");
      chosen.current = part.dataset.id ?? "";
      if (isMoved) part.focus();
    };
    focus(parts.find((part) => part.dataset.id === chosen.current) ?? parts[0], hadFocus && chosen.current !== "");
    const act = (part: SVGElement) => {
      focus(part, true);
      for (const other of parts) other.classList.toggle("jitviz-chosen", other === part);
      const id = part.dataset.id ?? "";
      pointed.current(id, view.node_line[view.node.indexOf(id)] ?? -1);
    };
    const partOf = (event: Event) => parts.find((part) => part.contains(event.target as Node));
    const onClick = (event: Event) => {
      const part = partOf(event);
      if (part && !zoom.current?.wasMoved) act(part);
    };
    const onKey = (event: KeyboardEvent) => {
      const part = partOf(event);
      const step = STEPS[event.key];
      if (event.key === "+" || event.key === "-") zoom.current?.by(event.key === "+" ? STEP : 1 / STEP);
      else if (part && (event.key === "Enter" || event.key === " ")) act(part);
      else if (part && step !== undefined) focus(parts[clamp(parts.indexOf(part) + step, parts.length)], true);
      else return;
      event.preventDefault();
    };
    picture.addEventListener("click", onClick);
    picture.addEventListener("keydown", onKey);
    return zoom.current.listen();
  }, [svg]);
  return (
    <>
      <span class="jitviz-tools">
        <button type="button" aria-label="zoom in" onClick={() => zoom.current?.by(STEP)}>
          +
        </button>
        <button type="button" aria-label="zoom out" onClick={() => zoom.current?.by(1 / STEP)}>
          −
        </button>
        <button type="button" onClick={() => zoom.current?.fit()}>
          fit
        </button>
      </span>
      <div class="jitviz-picture" ref={box} />
    </>
  );
}

const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  Home: -Infinity,
  End: Infinity,
};

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(length - 1, index));
}

/** Labels each part of the picture; returns those that can be clicked, from top to bottom. */
function tellParts(picture: SVGSVGElement, view: GraphView, label: string): SVGElement[] {
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", label);
  const open = new Set(view.cluster_open);
  const openable = new Set(view.cluster);
  const lines = new Set(view.node);
  const parts: SVGElement[] = [];
  for (const part of picture.querySelectorAll<SVGGElement>("g.node, g.cluster, g.edge")) {
    const id = part.dataset.id ?? "";
    const words = [...part.querySelectorAll("text, title")].map((text) => text.textContent?.trim()).join(" ");
    const isPart = openable.has(id) || lines.has(id);
    if (part.classList.contains("edge") || (part.classList.contains("cluster") && !isPart)) {
      part.setAttribute("aria-hidden", "true");
      continue;
    }
    part.setAttribute("role", isPart ? "button" : "img");
    part.setAttribute("aria-label", words || id);
    if (openable.has(id)) part.setAttribute("aria-expanded", String(open.has(id)));
    if (isPart) parts.push(part);
  }
  const top = new Map(parts.map((part) => [part, part.getBoundingClientRect().top]));
  return parts.sort((a, b) => (top.get(a) ?? 0) - (top.get(b) ?? 0));
}

/** 0 before it was drawn. */
interface Zoomed {
  scale: number;
}

/** The scale of the picture in its box, and its scroll position. */
class Zoom {
  wasMoved = false;
  private readonly width: number;
  private readonly height: number;

  constructor(
    private readonly box: HTMLElement,
    private readonly picture: SVGSVGElement,
    private readonly kept: Zoomed,
  ) {
    const [, , width = 0, height = 0] = (picture.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
    [this.width, this.height] = [width * (4 / 3) || 1, height * (4 / 3) || 1];
    if (kept.scale) this.draw(kept.scale);
    else this.fit();
  }

  fit(): void {
    const { clientWidth, clientHeight } = this.box;
    const fitting = Math.min(1, (clientWidth - 20) / this.width, (clientHeight - 20) / this.height);
    this.draw(Math.max(LEAST_FIT, fitting));
  }

  /** Zooms around a place of the box, by default its middle. */
  by(factor: number, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2): void {
    const before = this.kept.scale;
    const [left, top] = [this.box.scrollLeft + x, this.box.scrollTop + y];
    this.draw(before * factor);
    const grown = this.kept.scale / before;
    this.box.scrollTo(left * grown - x, top * grown - y);
  }

  private draw(scale: number): void {
    const kept = Math.max(LEAST, Math.min(MOST, scale));
    this.kept.scale = kept;
    this.picture.setAttribute("width", String(this.width * kept));
    this.picture.setAttribute("height", String(this.height * kept));
  }

  /** Follows wheel and pointer; returns a function that stops. */
  listen(): () => void {
    const { box } = this;
    const watch = new AbortController();
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      const { left, top } = box.getBoundingClientRect();
      this.by(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX - left, event.clientY - top);
    };
    const onDown = (down: PointerEvent) => {
      this.wasMoved = false;
      if (down.button !== 0 || down.pointerType === "touch") return; // a finger scrolls by itself
      const [left, top] = [box.scrollLeft, box.scrollTop];
      const press = new AbortController();
      const onMove = (move: PointerEvent) => {
        const [x, y] = [move.clientX - down.clientX, move.clientY - down.clientY];
        this.wasMoved ||= Math.hypot(x, y) > 4;
        if (this.wasMoved) box.scrollTo(left - x, top - y);
      };
      box.ownerDocument.addEventListener("pointermove", onMove, { signal: press.signal });
      box.ownerDocument.addEventListener("pointerup", () => press.abort(), { signal: press.signal });
    };
    box.addEventListener("wheel", onWheel, { passive: false, signal: watch.signal });
    box.addEventListener("pointerdown", onDown, { signal: watch.signal });
    return () => watch.abort();
  }
}
