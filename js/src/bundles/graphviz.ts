/**
 * Graphviz as WASM: the lazily loaded part that draws graphs.
 *
 * In: DOT text.  Out: SVG text.
 * Must never: hold up the page; it runs in a worker, where one may be started, and is stopped when it takes too long.
 */

import { instance } from "@viz-js/viz";

export const PATIENCE_MS = 20_000;

type Reply = { svg: string } | { error: string };

let idle: Worker | null = null;

/**
 * Draws one graph.
 *
 * @throws Error the text cannot be drawn, or not in time; a sentence for people.
 */
export async function draw(dot: string, signal: AbortSignal): Promise<string> {
  let worker: Worker;
  try {
    worker = idle ?? new Worker(import.meta.url, { type: "module" });
    idle = null;
  } catch {
    return drawHere(dot);
  }
  const reply = await askWorker(worker, dot, signal);
  // An event without a reply: the host does not let the worker run.
  if (reply === null) return drawHere(dot);
  if ("error" in reply) throw new Error(reply.error);
  rest(worker);
  return reply.svg;
}

/** One worker waits for the next graph; where two drew at once, the other one goes. */
function rest(worker: Worker): void {
  idle?.terminate();
  idle = worker;
}

function askWorker(worker: Worker, dot: string, signal: AbortSignal): Promise<Reply | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void, isOver: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      worker.onmessage = worker.onerror = null;
      if (isOver) worker.terminate();
      act();
    };
    const abort = () => settle(() => reject(signal.reason), true);
    const timer = setTimeout(() => {
      const words = `Drawing took more than ${PATIENCE_MS / 1000} s and was stopped. Close some of the open boxes.`;
      settle(() => resolve({ error: words }), true);
    }, PATIENCE_MS);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => settle(() => resolve(data), "error" in data);
    worker.onerror = () => settle(() => resolve(null), true);
    signal.addEventListener("abort", abort);
    worker.postMessage(dot);
    if (signal.aborted) abort();
  });
}

async function drawHere(dot: string): Promise<string> {
  return (await instance()).renderString(dot, { format: "svg" });
}

// The worker runs this same file.
if (typeof document === "undefined") {
  addEventListener("message", async ({ data }: MessageEvent<string>) => {
    const reply: Reply = await drawHere(data).then(
      (svg) => ({ svg }),
      (error: unknown) => ({
        error: `Graphviz could not draw this: ${error instanceof Error ? error.message : error}`,
      }),
    );
    postMessage(reply);
  });
}
