/**
 * One panel in an element of any page: the widget and the standalone page both draw with this.
 *
 * In: an element, a view (the JSON of a `Panel`; null before there is one), and `ask`, which looks up the rest.
 * Out: a handle to draw a newer view, to say that the kernel is gone, and to remove the panel.
 * Must never: leave anything behind in the page once it is removed.
 */

import { Component, type ComponentChildren, render } from "preact";
import forcedCss from "../forced.css?raw";
import paletteCss from "../palette.css?raw";
import type { Link, Progress } from "../panel/live.tsx";
import { PanelView } from "../panel/panel.tsx";
import { Warning } from "../parts/prose.tsx";
import programCss from "../program/program.css?raw";
import { Quizzed } from "../quiz/quiz.tsx";
import type { Panel } from "../schema.ts";
import scoreCss from "../score/score.css?raw";
import { Host } from "../state/answers.ts";
import { PanelState } from "../state/panel_state.ts";
import css from "../style.css?raw";
import { type Ask, readPanel } from "../wire/messages.ts";
import { type Theme, watchTheme } from "./theme.ts";

export interface Mounted {
  update(view: unknown): void;
  /** Takes what runs now, as the kernel says between two views. */
  hear(progress: Omit<Progress, "heard_ms">): void;
  /** Says whether the host still answers. */
  tell(link: Link): void;
  destroy(): void;
}

export function mount(el: HTMLElement, view: unknown, ask: Ask, isPage = false): Mounted {
  const root = document.createElement("div");
  root.className = "jitviz";
  // Its own style element, since a host may draw the panel inside a shadow root.
  const style = document.createElement("style");
  style.textContent = css + paletteCss + scoreCss + programCss + forcedCss;
  el.append(style, root);
  const host = { ask, library: new Map<string, unknown>() };
  const state = new Map<string, unknown>();
  let panel: Panel | null = null;
  let link: Link = "live";
  let progress: Progress | null = null;
  let theme: Theme = "light";

  const draw = () => {
    root.dataset.theme = theme;
    render(
      <Boundary>
        {panel && (
          <Host.Provider value={host}>
            <PanelState.Provider value={state}>
              <Quizzed panel={panel}>
                <PanelView panel={panel} link={link} progress={progress} theme={theme} isPage={isPage} />
              </Quizzed>
            </PanelState.Provider>
          </Host.Provider>
        )}
      </Boundary>,
      root,
    );
  };
  const take = (next: unknown) => {
    if (next !== null) panel = readPanel(next); // null: a recording that has just begun
  };
  take(view);
  const unwatch = watchTheme(root, (next) => {
    if (theme === next && root.firstChild) return;
    theme = next;
    draw();
  });
  return {
    update(next) {
      take(next);
      link = "live";
      draw();
    },
    hear(next) {
      progress = { ...next, heard_ms: performance.now() };
      link = "live";
      draw();
    },
    tell(next) {
      link = next;
      draw();
    },
    destroy() {
      unwatch();
      render(null, root);
      root.remove();
      style.remove();
    },
  };
}

/** Shows an error in drawing in place of the panel. */
class Boundary extends Component<{ children: ComponentChildren }, { error: string }> {
  override state = { error: "" };

  static override getDerivedStateFromError(error: unknown) {
    return { error: String(error) };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return <Warning role="alert">This panel could not be drawn: {this.state.error}</Warning>;
  }
}
