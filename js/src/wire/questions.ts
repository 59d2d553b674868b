/**
 * Questions of one view to its kernel, each with its own answer.
 *
 * In: a way to send messages, and the messages that come.  Out: `ask`, a promise for each question.
 * Must never: wait forever, or take the answer to another view's question.
 */

import type { Ask, Message, QuestionKind } from "./messages.ts";
import { gunzip } from "./packing.ts";

const TIMEOUT_MS = 60_000;

/** Why a question got no answer, as a sentence for the user. */
export class Refusal extends Error {
  override name = "Refusal";

  /** `isFinal` says that asking again is useless. */
  constructor(
    message: string,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Desk {
  ask: Ask;
  /** Takes every message of the kernel, including those for other views. */
  receive(message: unknown, buffers?: readonly DataView[]): void;
  /** Refuses all waiting and all later questions. */
  close(why: string): void;
}

export function openDesk(send: (message: Message) => void, timeoutMs = TIMEOUT_MS): Desk {
  const token = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const waiting = new Map<string, (message: Message, buffers: readonly DataView[]) => void>();
  let asked = 0;
  let closed = "";

  const ask = <K extends QuestionKind>(kind: K, params: object, signal: AbortSignal) =>
    new Promise<never>((resolve, reject) => {
      if (closed) throw new Refusal(closed, true);
      signal.throwIfAborted();
      asked += 1;
      const id = `${token}:${asked}`;
      const finish = () => {
        clearTimeout(timer);
        waiting.delete(id);
        signal.removeEventListener("abort", abort);
      };
      const refuse = (why: string, isFinal = false) => {
        finish();
        reject(new Refusal(why, isFinal));
      };
      const abort = () => {
        finish();
        reject(signal.reason);
        trySend({ type: "abort", id });
      };
      const timer = setTimeout(() => {
        refuse(`The kernel did not answer within ${timeoutMs / 1000} s. It is busy, or was shut down.`);
      }, timeoutMs);
      waiting.set(id, (message, [packed]) => {
        if (message.type === "error") refuse(message.error, closed !== "");
        if (message.type !== "answer") return;
        finish();
        const read = gunzip(packed as DataView<ArrayBuffer>).json() as Promise<never>;
        read.then(resolve, (error) => reject(new Refusal(`The kernel's answer could not be read: ${error}`)));
      });
      signal.addEventListener("abort", abort);
      try {
        send({ type: "ask", id, kind, params });
      } catch {
        refuse("The kernel is gone, so this can no longer be looked up.");
      }
    });

  // If this cannot be sent, nothing is lost: nobody waits for it.
  const trySend = (message: Message) => {
    try {
      send(message);
    } catch {}
  };

  return {
    ask,
    receive(value, buffers = []) {
      const message = value as Message;
      waiting.get(message.id)?.(message, buffers);
    },
    close(why) {
      closed = why;
      for (const [id, settle] of [...waiting]) settle({ type: "error", id, error: why }, []);
    },
  };
}
