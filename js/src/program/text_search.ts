/**
 * Search in a text of any length: over the string, never over the document.
 *
 * In: a text and what to look for, both in lower case.  Out: where it is.
 * Must never: take more than a moment; it stops at a million results.
 */

import { countBefore } from "../collections.ts";

export const MOST_PLACES = 1_000_000;

/** Where the needle begins, in order; at most `MOST_PLACES`. */
export function findAll(text: string, needle: string): number[] {
  const places: number[] = [];
  if (!needle) return places;
  for (
    let at = text.indexOf(needle);
    at >= 0 && places.length < MOST_PLACES;
    at = text.indexOf(needle, at + needle.length)
  ) {
    places.push(at);
  }
  return places;
}

/** A text in lower case of the same length; the few alphabets that get longer keep their capitals. */
export function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The index of the next place from here, wrapping around the end; -1 if there is none. */
export function nextPlace(places: readonly number[], from: number, step: 1 | -1): number {
  if (places.length === 0) return -1;
  const behind = countBefore(places.length, (index) => (places[index] ?? 0) < from + (step > 0 ? 1 : 0));
  return (step > 0 ? behind : behind - 1 + places.length) % places.length;
}
