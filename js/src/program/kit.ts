/** CodeMirror, once it is loaded. */

import { useEffect, useState } from "preact/hooks";
import { type Answer, refusalOf, useAsk } from "../state/answers.ts";
import { loadChunk } from "../wire/chunk.ts";

export type Kit = typeof import("../bundles/code.ts");

export function useKit(): Answer<Kit> {
  const ask = useAsk();
  const [trial, setTrial] = useState(0);
  const [answer, setAnswer] = useState<Answer<Kit>>({ state: "waiting", isSlow: false });
  useEffect(() => {
    let isOver = false;
    const tell = (next: Answer<Kit>) => {
      if (!isOver) setAnswer(next);
    };
    tell({ state: "waiting", isSlow: false });
    loadChunk<Kit>("code", ask)
      .then((value) => tell({ state: "done", value }))
      .catch((error: unknown) => {
        tell(refusalOf(error, () => setTrial((n) => n + 1)));
      });
    return () => {
      isOver = true;
    };
  }, [ask, trial]);
  return answer;
}
