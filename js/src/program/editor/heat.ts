/** The heat strip: a bar beside each line of source, as long as its share, with its number. */

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter } from "@codemirror/view";

export interface Heat {
  /** Of the longest bar, from 0 to 1. */
  share: number;
  /** For the strip, and for its tooltip. */
  short: string;
  long: string;
}

/** Heat by line of the text, from 0; null for a line without work. */
export type Heats = readonly (Heat | null)[];

const setHeats = StateEffect.define<Heats>();

const heatsField = StateField.define<Heats>({
  create: () => [],
  update: (heats, { effects }) => effects.reduce((so, effect) => (effect.is(setHeats) ? effect.value : so), heats),
});

export function heat(view: EditorView, heats: Heats): void {
  view.dispatch({ effects: setHeats.of(heats) });
}

class HeatMarker extends GutterMarker {
  constructor(readonly heat: Heat) {
    super();
  }

  override eq(other: HeatMarker) {
    return other.heat === this.heat;
  }

  override toDOM() {
    const element = document.createElement("span");
    element.className = "jitviz-heat";
    element.title = this.heat.long;
    const bar = element.appendChild(document.createElement("span"));
    bar.style.width = `${Math.max(2, this.heat.share * 100)}%`;
    bar.style.opacity = String(0.25 + 0.75 * this.heat.share);
    element.append(this.heat.short);
    return element;
  }
}

export const heating: Extension = [
  heatsField,
  gutter({
    class: "jitviz-heats",
    lineMarker(view, block) {
      const heats = view.state.field(heatsField);
      const heat = heats.length && heats[view.state.doc.lineAt(block.from).number - 1];
      return heat ? new HeatMarker(heat) : null;
    },
    lineMarkerChange: (update) => update.startState.field(heatsField) !== update.state.field(heatsField),
  }),
];
