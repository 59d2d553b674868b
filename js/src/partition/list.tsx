/**
 * A tree of any size: only the rows in sight are in the page.
 *
 * In: a `Tree` and its visible rows.  Out: rows that follow the scroll, the arrow keys and the chosen path.
 * Must never: draw more rows than fit, or lose the active row when it scrolls out of sight.
 */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useOwnId } from "../parts/id.ts";
import { onKeys } from "../parts/keys.ts";
import { usePanelState } from "../state/panel_state.ts";
import { ROW_PX, TreeRow } from "./row.tsx";
import type { Tree } from "./tree.ts";

interface Props {
  /** Its state is kept under this name. */
  name: string;
  tree: Tree;
  rows: readonly number[];
  /** The filter, "" for none. */
  sieve: string;
  /** How many hits of the filter are below each row. */
  hitsBelow: ArrayLike<number>;
  /** Whether a row can be folded. */
  isNode(index: number): boolean;
  folded: ReadonlySet<number>;
  active: number;
  label: string;
  onActive(index: number): void;
  onFold(index: number, isFolded: boolean): void;
}

const SPARE = 6; // rows above and below what is in sight

export function TreeList(props: Props) {
  const { name, tree, rows, sieve, isNode, folded, active, onActive, onFold } = props;
  const id = useOwnId();
  const box = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [revealed, setRevealed] = usePanelState(`${name} revealed`, () => -1);
  const [stood, setStood] = usePanelState(`${name} place`, () => 0);
  const [height, setHeight] = useState(400);
  const at = rows.indexOf(active);
  const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - SPARE);
  const shown = rows.slice(first, Math.ceil((scrollTop + height) / ROW_PX) + SPARE);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  // A filter shows its first hits; without it the tree scrolls back to where it was.
  useLayoutEffect(() => {
    const top = sieve ? 0 : stood;
    // Where it stands there already, saying so again would lay out the page at once.
    if (box.current && top !== scrollTop) box.current.scrollTop = top;
  }, [sieve]);
  useEffect(() => {
    const element = box.current;
    if (!element || at < 0 || revealed === active) return;
    setRevealed(active);
    const top = at * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_PX > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - Math.max(0, (element.clientHeight - ROW_PX) / 2);
    }
  }, [active, at]);

  const go = (to: number) => onActive(rows[Math.min(Math.max(to, 0), rows.length - 1)] ?? -1);
  const page = Math.max(1, Math.floor(height / ROW_PX) - 1);
  const isOpen = (index: number) => isNode(index) && !folded.has(index);
  const keys = onKeys({
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    PageDown: () => go(at + page),
    PageUp: () => go(at - page),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    ArrowRight: () => (isNode(active) && folded.has(active) ? onFold(active, false) : go(at + 1)),
    ArrowLeft: () => (isOpen(active) ? onFold(active, true) : onActive(Math.max(0, tree.parent[active] ?? 0))),
    Enter: () => isNode(active) && onFold(active, !folded.has(active)),
    " ": () => isNode(active) && onFold(active, !folded.has(active)),
  });
  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    setScrollTop(currentTarget.scrollTop);
    if (!sieve) setStood(currentTarget.scrollTop);
  };
  return (
    <div class="jitviz-tree" ref={box} onScroll={onScroll}>
      <div
        role="tree"
        aria-label={props.label}
        tabIndex={0}
        aria-activedescendant={shown.includes(active) ? `${id}-${active}` : undefined}
        style={{ height: `${rows.length * ROW_PX}px` }}
        onKeyDown={keys}
      >
        {shown.map((index, offset) => (
          <TreeRow
            key={index}
            id={`${id}-${index}`}
            row={tree.row(index)}
            hits={props.hitsBelow[index] ?? 0}
            top={(first + offset) * ROW_PX}
            isActive={index === active}
            isOpen={isNode(index) ? isOpen(index) : null}
            place={{ at: first + offset + 1, of: rows.length }}
            onPick={() => onActive(index)}
            onFold={() => isNode(index) && onFold(index, !folded.has(index))}
          />
        ))}
      </div>
    </div>
  );
}
