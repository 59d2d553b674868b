/** Tabs that the arrow keys walk through. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useOwnId } from "./id.ts";
import { onKeys } from "./keys.ts";

interface Props<Name extends string> {
  titles: Record<Name, string>;
  /** How many things there are in a tab, where that says something. */
  badges?: Partial<Record<Name, number>>;
  chosen: Name;
  /** Names the tabs for screen readers. */
  label?: string;
  /** What stands beside the tabs, and below them; all stays at the top while the open one scrolls, if `isHeadSmall`. */
  before?: ComponentChildren;
  after?: ComponentChildren;
  isHeadSmall?: boolean;
  onChoose(name: Name): void;
  children: ComponentChildren;
}

export function Tabs<Name extends string>(props: Props<Name>) {
  const { titles, badges, chosen, label = "Views", before, after, isHeadSmall = false, onChoose, children } = props;
  const id = useOwnId();
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(titles) as Name[];
  const at = names.indexOf(chosen);
  const go = (to: number) => {
    const next = (to + names.length) % names.length;
    onChoose(names[next] ?? chosen);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  const keys = onKeys({
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    Home: () => go(0),
    End: () => go(names.length - 1),
  });
  return (
    <>
      <div class={isHeadSmall ? "jitviz-head" : ""}>
        <div class={before ? "jitviz-top" : ""}>
          {before}
          <div class="jitviz-tabs" role="tablist" aria-label={label} ref={list}>
            {names.map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`${id}-${name}`}
                aria-selected={name === chosen}
                aria-controls={`${id}-panel`}
                tabIndex={name === chosen ? 0 : -1}
                onClick={() => onChoose(name)}
                onKeyDown={keys}
              >
                {titles[name]}
                {badges?.[name] ? <span class="jitviz-badge">{badges[name]}</span> : null}
              </button>
            ))}
          </div>
        </div>
        {after}
      </div>
      <div class="jitviz-tab" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
