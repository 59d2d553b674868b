/** Tabs that the arrow keys walk through. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useOwnId } from "./id.ts";
import { onKeys } from "./keys.ts";

export interface Tab<Name extends string> {
  name: Name;
  title: string;
  /** How many things are in it, "" where that says nothing. */
  badge: string;
}

interface Props<Name extends string> {
  tabs: readonly Tab<Name>[];
  chosen: Name;
  /** What the tabs are, for those who hear them. */
  label?: string;
  onChoose(name: Name): void;
  children: ComponentChildren;
}

export function Tabs<Name extends string>({ tabs, chosen, label = "Views", onChoose, children }: Props<Name>) {
  const id = useOwnId();
  const list = useRef<HTMLDivElement>(null);
  const at = tabs.findIndex((tab) => tab.name === chosen);
  const go = (to: number) => {
    const next = (to + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab) onChoose(tab.name);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  const keys = onKeys({
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    Home: () => go(0),
    End: () => go(tabs.length - 1),
  });
  return (
    <>
      <div class="jitviz-tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(({ name, title, badge }) => (
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
            {title}
            {badge && <span class="jitviz-badge">{badge}</span>}
          </button>
        ))}
      </div>
      <div class="jitviz-tab" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
