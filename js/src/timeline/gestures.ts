/**
 * Wheel and pointer on the timeline: zoom, pan, brush, click.
 *
 * In: an element, and the handlers of the moment.  Out: a function that stops watching.
 * Must never: take a plain wheel turn, which scrolls the notebook.
 */

export interface Gestures {
  /** Positions are CSS pixels from the left of the element. */
  onZoom(factor: number, x: number): void;
  onPan(dx: number): void;
  onBrush(from: number, to: number, isDone: boolean): void;
  onHover(x: number, y: number): void;
  onLeave(): void;
  onClick(x: number, y: number): void;
}

const STILL_PX = 4; // a hand that clicks moves this far

export function watchGestures(element: HTMLElement, gestures: { current: Gestures }): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  let press: { x: number; y: number; isMoved: boolean; isPan: boolean; last: number } | null = null;
  const place = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const on = <K extends keyof HTMLElementEventMap>(name: K, act: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(name, act, { passive: false, signal });
  on("wheel", (event) => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey) gestures.current.onZoom(1.002 ** event.deltaY, place(event).x);
    else if (isSideways) gestures.current.onPan(event.deltaX || event.deltaY);
    else return;
    event.preventDefault();
  });
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { x, y } = place(event);
    press = { x, y, isMoved: false, isPan: event.shiftKey || event.pointerType === "touch", last: x };
  });
  on("pointermove", (event) => {
    const { x, y } = place(event);
    if (!press) return gestures.current.onHover(x, y);
    if (!press.isMoved && Math.abs(x - press.x) < STILL_PX) return;
    // Only a drag holds on to the pointer: a click must reach what lies under it.
    if (!press.isMoved) element.setPointerCapture(event.pointerId);
    press.isMoved = true;
    gestures.current.onLeave();
    if (press.isPan) gestures.current.onPan(press.last - x);
    else gestures.current.onBrush(Math.min(press.x, x), Math.max(press.x, x), false);
    press.last = x;
  });
  on("pointerup", (event) => {
    if (!press) return;
    const { x, y } = place(event);
    if (!press.isMoved) gestures.current.onClick(x, y);
    else if (!press.isPan) gestures.current.onBrush(Math.min(press.x, x), Math.max(press.x, x), true);
    press = null;
  });
  on("pointerleave", () => gestures.current.onLeave());
  on("pointercancel", () => {
    gestures.current.onLeave();
    press = null;
  });
  return () => watch.abort();
}
