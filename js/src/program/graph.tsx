/**
 * A jaxpr as a graph, with inner programs that open and close.
 *
 * In: a version.  Out: the picture of its graph; where nothing can draw it, why.
 * Must never: load the engine before someone looks at a graph, or take a picture away before there is another.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { CopyButton, download } from "../parts/buttons.tsx";
import { Prose } from "../parts/prose.tsx";
import type { GraphView, Version } from "../schema.ts";
import { useAnswer, useAsk } from "../state/answers.ts";
import { usePanelState } from "../state/panel_state.ts";
import { loadChunk } from "../wire/chunk.ts";
import { messageOf } from "../wire/questions.ts";
import { count } from "../words/numbers.ts";
import css from "./graph.css?raw";
import { Picture } from "./picture.tsx";

interface Props {
  version: Version;
  /** A node was chosen: the line of the jaxpr on which it begins, from 0. */
  onLine(line: number): void;
}

export function Graph({ version, onLine }: Props) {
  const [open, setOpen] = usePanelState<readonly string[] | null>(`graph ${version.index} open`, () => null);
  const params = { compile: version.index, open };
  const answer = useAnswer("graph", params, `graph ${version.index} ${open ?? ""} ${open === null}`);
  const last = useRef<GraphView | null>(null);
  if (answer.state === "done") last.current = answer.value;
  const view = last.current;
  const picture = usePicture(version.index, view);
  const label = view ? `graph of ${version.name}, ${count(view.n_nodes, "node")}` : "";
  const choose = (id: string, line: number) => {
    if (view?.cluster.includes(id)) setOpen(toggled(view.cluster_open, id));
    else if (line >= 0) onLine(line);
  };
  return (
    <section class="jitviz-graph" aria-label="graph">
      <style>{css}</style>
      <AnswerStatus answer={answer} what="the graph" />
      {view && (
        <>
          <div class="jitviz-bar">
            <span class="jitviz-faint">
              {count(view.n_nodes, "node")}
              {view.cluster.length > 0 && `, ${view.cluster_open.length} of ${view.cluster.length} open`}
            </span>
            <span class="jitviz-tools">
              {view.cluster.length > 0 && (
                <>
                  <button type="button" onClick={() => setOpen(view.cluster)}>
                    open all
                  </button>
                  <button type="button" onClick={() => setOpen([])}>
                    close all
                  </button>
                </>
              )}
              {picture.svg && (
                <button type="button" onClick={() => download(picture.svg, `${version.index}.svg`, "image/svg+xml")}>
                  download SVG
                </button>
              )}
            </span>
            <CopyButton text={view.dot} what="the graph as DOT" />
          </div>
          {view.note && (
            <p class="jitviz-faint">
              <Prose text={view.note} />
            </p>
          )}
          {picture.why && (
            <p class="jitviz-faint" role="status">
              It is not drawn here: {picture.why} Its DOT text can be copied, for Graphviz to draw.
            </p>
          )}
          {picture.svg && (
            <Picture
              name={`graph ${version.index}`}
              svg={picture.svg}
              view={picture.of ?? view}
              label={label}
              onNode={choose}
            />
          )}
          {!picture.svg && !picture.why && (
            <p class="jitviz-faint" role="status">
              drawing
            </p>
          )}
        </>
      )}
    </section>
  );
}

interface Drawn {
  svg: string;
  /** The view that was drawn. */
  of: GraphView | null;
  /** Why there is no picture, or "". */
  why: string;
}

/** The picture of a view: as it came with it, or as the engine of this page draws it, or else the kernel's. */
function usePicture(compile: number, view: GraphView | null): Drawn {
  const ask = useAsk();
  const [drawn, setDrawn] = useState<Drawn>({ svg: "", of: null, why: "" });
  useEffect(() => {
    if (!view) return;
    const abort = new AbortController();
    const tell = (svg: string, why = "") => {
      if (!abort.signal.aborted) setDrawn({ svg, of: view, why });
    };
    const drawHere = async () => {
      const engine = await loadChunk<typeof import("../bundles/graphviz.ts")>("graphviz", ask);
      return engine.draw(view.dot, abort.signal);
    };
    const drawThere = async (problem: unknown) => {
      const params = { compile, open: view.cluster_open, has_svg: true } as const;
      const svg = await ask("graph", params, abort.signal).then(
        (other) => other.svg,
        () => "",
      );
      tell(svg, svg ? "" : messageOf(problem));
    };
    if (view.svg) tell(view.svg);
    else drawHere().then(tell, drawThere);
    return () => abort.abort();
  }, [ask, compile, view]);
  return drawn;
}

/** The same with one more that is open, or one less. */
function toggled(open: readonly string[], id: string): string[] {
  return open.includes(id) ? open.filter((other) => other !== id) : [...open, id];
}
