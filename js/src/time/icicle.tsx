/**
 * Slices of slices as an icicle: the whole on top, the parts of each slice below it.
 *
 * In: slices.  Out: a picture; arrow keys move through it, Enter or a click zooms.
 */

import { useState } from "preact/hooks";
import { LinkButton } from "../parts/buttons.tsx";
import { useOwnId } from "../parts/id.ts";
import { onKeys } from "../parts/keys.ts";
import { usePanelState } from "../state/panel_state.ts";
import { seconds } from "../words/numbers.ts";
import { type Slice, tellSlice } from "./slices.ts";

const ROW_PX = 27;
const LEAST = 0.0015; // of the width

/** The name of the state that says which slice fills it. */
export const ZOOM = "zoom of time";

export function Icicle({ slices, label }: { slices: readonly Slice[]; label: string }) {
  const id = useOwnId();
  const [pointed, setActive] = useState(0);
  const [filling, setZoomed] = usePanelState(ZOOM, () => 0);
  // A recording that grows may have other slices by now.
  const active = pointed < slices.length ? pointed : 0;
  const zoomed = filling < slices.length ? filling : 0;
  const top = slices[zoomed] as Slice;
  const isAbove = (index: number) => {
    for (let at = zoomed; at >= 0; at = slices[at]?.parent ?? -1) if (at === index) return true;
    return false;
  };
  const drawn = slices.flatMap((slice, index) => {
    if (isAbove(index)) return [{ slice, index, left: 0, width: 1 }];
    const left = (slice.start - top.start) / top.width;
    const width = slice.width / top.width;
    return left > -1e-9 && left + width < 1 + 1e-9 && width > LEAST ? [{ slice, index, left, width }] : [];
  });
  const rows = Math.max(...drawn.map(({ slice }) => slice.depth)) + 1;
  const seen = drawn.map(({ index }) => index);
  const beside = (step: number) => {
    const same = seen.filter((index) => slices[index]?.depth === slices[active]?.depth);
    return same[same.indexOf(active) + step] ?? active;
  };
  const zoom = (index: number) => {
    setActive(index);
    setZoomed(index === zoomed ? Math.max(0, slices[index]?.parent ?? 0) : index);
  };
  const keys = onKeys({
    ArrowRight: () => setActive(beside(1)),
    ArrowLeft: () => setActive(beside(-1)),
    ArrowDown: () => setActive(seen.find((index) => slices[index]?.parent === active) ?? active),
    ArrowUp: () => setActive(Math.max(0, slices[active]?.parent ?? 0)),
    Home: () => setActive(0),
    Enter: () => zoom(active),
    " ": () => zoom(active),
    Escape: () => zoom(0),
    "0": () => zoom(0),
  });
  return (
    <div>
      <div
        class="jitviz-icicle"
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={seen.includes(active) ? `${id}-${active}` : undefined}
        style={{ height: `${rows * ROW_PX}px` }}
        onKeyDown={keys}
      >
        {drawn.map(({ slice, index, left, width }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys, and says which slice is active
          <div
            key={index}
            id={`${id}-${index}`}
            role="treeitem"
            tabIndex={-1}
            aria-level={slice.depth + 1}
            aria-selected={index === active}
            aria-label={tellSlice(slices, index)}
            title={tellSlice(slices, index)}
            class={`jitviz-slice jitviz-fit jitviz-what-${slice.what} ${index === active ? "jitviz-active" : ""}`}
            style={{
              left: `${100 * left}%`,
              width: `${100 * width}%`,
              top: `${slice.depth * ROW_PX}px`,
              height: `${ROW_PX - 2}px`,
            }}
            onClick={() => zoom(index)}
            onPointerEnter={() => setActive(index)}
          >
            <span>{slice.name}</span> <span>{seconds(slice.seconds)}</span>
          </div>
        ))}
      </div>
      <p class="jitviz-faint" aria-live="polite">
        {tellSlice(slices, active)}
        {zoomed > 0 && (
          <>
            {" "}
            <LinkButton onClick={() => zoom(0)}>show all</LinkButton>
          </>
        )}
      </p>
    </div>
  );
}
