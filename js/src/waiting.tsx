/** What is said while an answer is not there. */

import type { Answer } from "./answer.ts";

export function Waiting({ answer, what }: { answer: Answer<unknown>; what: string }) {
  if (answer.state === "refused") {
    return (
      <p class="jitviz-note" role="status">
        <span aria-hidden="true">⚠ </span>
        {answer.error}{" "}
        <button type="button" class="jitviz-link" onClick={answer.again}>
          Ask again
        </button>
      </p>
    );
  }
  if (answer.state !== "waiting") return null;
  return (
    <p class="jitviz-faint" role="status">
      {answer.isSlow ? `The kernel is busy; ${what} will come when it has time.` : ""}
    </p>
  );
}
