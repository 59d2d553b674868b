/** Buttons that copy a text and say so. */

import { useEffect, useState } from "preact/hooks";

export function CopyButton({ text, what }: { text: string; what: string }) {
  const { said, copy } = useCopy(text);
  return (
    <button type="button" class="jitviz-copy" aria-label={`copy ${what}`} title={`copy ${what}`} onClick={copy}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
        <path d="M3.5 10.5h-1v-8h8v1" />
      </svg>
      <span aria-live="polite">{said}</span>
    </button>
  );
}

/** The same as a button with a word on it. */
export function CopyText({ text, what, children }: { text: string; what?: string; children: string }) {
  const { said, copy } = useCopy(text);
  return (
    <button type="button" aria-label={what && `copy ${what}`} onClick={copy}>
      <span aria-live="polite">{said || children}</span>
    </button>
  );
}

function useCopy(text: string) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  return { said, copy: async () => setSaid((await putOnClipboard(text)) ? "copied" : "not allowed") };
}

/** Pages opened from a file and some notebooks have no clipboard API; copying from a text field works there. */
async function putOnClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.style.position = "fixed";
    field.style.opacity = "0";
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}
