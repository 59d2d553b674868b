/**
 * Numbers, times and sizes as people read them: the same texts as jitviz/views/words.py makes.
 *
 * In: plain values.  Out: short strings.
 * Must never: word a number differently from Python; both are held to one file of examples.
 */

import type { HitsSeen } from "../schema.ts";

const PLURALS: Record<string, string> = { leaf: "leaves", is: "are" };

export function count(number: number, noun: string): string {
  return `${grouped(number)} ${number === 1 ? noun : plural(noun)}`;
}

export function plural(noun: string): string {
  return PLURALS[noun] ?? `${noun}s`;
}

export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}

/** A number of calls or hits for a table: "≥ 3" where more may have happened unseen. */
export function atLeast(number: number, seen: HitsSeen): string {
  if (seen === "none") return "not seen";
  if (seen === "all") return grouped(number);
  return number ? `≥ ${grouped(number)}` : "none seen";
}

export function seconds(value: number | null): string {
  if (value === null) return "time unknown";
  if (value >= 599.5) return `${Math.floor(+fixed(value, 0) / 60)} min ${+fixed(value, 0) % 60} s`;
  for (const [unit, size] of [
    ["s", 1],
    ["ms", 1e-3],
    ["µs", 1e-6],
  ] as const) {
    if (value >= 0.9995 * size) {
      const number = value / size;
      return `${fixed(number, number < 9.95 ? 1 : 0)} ${unit}`;
    }
  }
  return value <= 0 ? "0 s" : "<1 µs";
}

export function size(nbytes: number): string {
  return scaled(nbytes, ["B", "kB", "MB", "GB", "TB"]);
}

export function scaled(number: number, units: readonly string[]): string {
  let scaled = number;
  let at = 0;
  while (scaled >= 999.5 && at < units.length - 1) {
    scaled /= 1000;
    at += 1;
  }
  const digits = scaled >= 9.95 || Number.isInteger(scaled) ? 0 : 1;
  return `${fixed(scaled, digits)} ${units[at]}`;
}

// A format is slow to make, and a panel has hundreds of numbers.
const FORMATS = [0, 1].map((digits) => {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false } as const;
  return new Intl.NumberFormat("en-US", { ...options, roundingMode: "halfEven" });
});

/** Rounds as Python's format does: a number in the middle goes to the even digit. */
function fixed(number: number, digits: 0 | 1): string {
  return FORMATS[digits]?.format(number) ?? "";
}

/** The text with no line break between a number and its unit, or within "In [3]". */
export function keepUnits(text: string): string {
  return text.replace(/(?<=\d) (?=(?:min|[mµ]?s|[kMGT]?B|%)(?!\w))|(?<=\bIn) (?=\[\d)/g, "\u00a0");
}

/** The sums of a subtree: "132 traced, 1.2 MB · 14 static". */
export function parts(traced: number, isStatic: number, nbytes: number): string {
  const pieces = [];
  if (traced || !isStatic) pieces.push(`${grouped(traced)} traced${nbytes ? `, ${size(nbytes)}` : ""}`);
  if (isStatic) pieces.push(`${grouped(isStatic)} static`);
  return pieces.join(" · ");
}
