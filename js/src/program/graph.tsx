/** A jaxpr as a graph. */

import { type Library, useAnswer } from "../answer.ts";
import type { Version } from "../schema.ts";
import { Waiting } from "../waiting.tsx";
import type { Ask } from "../wire.ts";

interface Props {
  version: Version;
  ask: Ask;
  library: Library;
  onLine(line: number): void;
}

export function Graph({ version, ask, library }: Props) {
  const params = { compile: version.index, open: null };
  const answer = useAnswer(ask, library, "graph", params, `graph ${version.index}`);
  return (
    <>
      <Waiting answer={answer} what="the graph" />
      {answer.state === "done" && <pre>{answer.value.dot}</pre>}
    </>
  );
}
