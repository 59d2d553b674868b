/** Buttons: as a link, as a sign, and those that copy or download a text. */

import type { ComponentProps } from "preact";
import { useEffect, useState } from "preact/hooks";

const SIGNS = {
  copy: "M5.5 7a1.5 1.5 0 0 1 1.5-1.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5zM3.5 10.5h-1v-8h8v1",
  "fold all": "M3 3h10M3 13h10M5 8h6",
  "unfold all": "M3 2h10M3 14h10M8 5v6M6 7l2-2l2 2M6 9l2 2l2-2",
  download: "M8 2v8M5 7l3 3l3-3M3 13h10",
  up: "M4 10l4-4l4 4",
  down: "M4 6l4 4l4-4",
  right: "M6 4l4 4l-4 4",
} as const;

export function Sign({ name }: { name: keyof typeof SIGNS }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={SIGNS[name]} />
    </svg>
  );
}

/** Looks like a link. */
export function LinkButton(props: ComponentProps<"button">) {
  return <button type="button" class="jitviz-link" {...props} />;
}

interface ToolProps {
  sign: keyof typeof SIGNS;
  label: string;
  isDisabled?: boolean;
  onClick(): void;
}

/** A small button with a sign in place of words. */
export function Tool({ sign, label, isDisabled = false, onClick }: ToolProps) {
  return (
    <button type="button" class="jitviz-tool" aria-label={label} title={label} disabled={isDisabled} onClick={onClick}>
      <Sign name={sign} />
    </button>
  );
}

interface StepsProps {
  /** Of what, for the labels: "hunk" makes "previous hunk" and "next hunk". */
  of: string;
  isDisabled?: boolean;
  onStep(step: 1 | -1): void;
}

/** To the previous one, and to the next. */
export function StepButtons({ of, isDisabled = false, onStep }: StepsProps) {
  return (
    <>
      <Tool sign="up" label={`previous ${of}`} isDisabled={isDisabled} onClick={() => onStep(-1)} />
      <Tool sign="down" label={`next ${of}`} isDisabled={isDisabled} onClick={() => onStep(1)} />
    </>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const { result, copy } = useCopy(text);
  return (
    <button type="button" class="jitviz-copy" aria-label={`copy ${what}`} title={`copy ${what}`} onClick={copy}>
      <Sign name="copy" />
      <span aria-live="polite">{result}</span>
    </button>
  );
}

/** The same as a button with a word on it. */
export function CopyText({ text, what, children }: { text: string; what?: string; children: string }) {
  const { result, copy } = useCopy(text);
  return (
    <button type="button" aria-label={what && `copy ${what}`} onClick={copy}>
      <span aria-live="polite">{result || children}</span>
    </button>
  );
}

function useCopy(text: string) {
  const [result, setResult] = useState("");
  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(""), 1500);
    return () => clearTimeout(timer);
  }, [result]);
  return { result, copy: async () => setResult((await putOnClipboard(text)) ? "copied" : "not allowed") };
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

/** Downloads a text as a file. */
export function download(text: string, name: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
