/** A line in place of an answer that is not there yet, or was refused. */

import type { Answer } from "../state/answers.ts";
import { LinkButton } from "./buttons.tsx";

interface Props {
  answer: Answer<unknown>;
  what: string;
  /** What is shown instead of the answer, if anything: then a refusal is no error. */
  instead?: string;
}

export function AnswerStatus({ answer, what, instead = "" }: Props) {
  if (answer.state === "refused") {
    return (
      <p class={instead ? "jitviz-faint" : "jitviz-note"} role="status">
        {instead || <span aria-hidden="true">⚠</span>} {answer.error}{" "}
        {answer.again && <LinkButton onClick={answer.again}>Ask again</LinkButton>}
      </p>
    );
  }
  if (answer.state !== "waiting") return null;
  return (
    <p class="jitviz-faint" role="status">
      {answer.isSlow ? `The kernel is busy; ${what} will follow.` : ""}
    </p>
  );
}
