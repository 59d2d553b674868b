/**
 * What differs between two texts, and long texts cut in their middle.
 *
 * In: texts.  Out: pieces of them.
 * Must never: cut a character, a word or a number in two where it differs.
 */

const WORD = /[\p{L}\p{M}\p{N}_.]/u;
const MOST_CHARS = 32;

/** Both texts as what they begin with alike, what is their own, and what they end with alike. */
export function splitChange(before: string, after: string): [string[], string[]] {
  const [a, b] = [Array.from(before), Array.from(after)];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const isWord = (at: number) => WORD.test(a[at] ?? "") || WORD.test(b[at] ?? "");
  if (isWord(head) || isWord(head - 1)) while (head > 0 && WORD.test(a[head - 1] ?? "")) head -= 1;
  if (a.length > tail || b.length > tail) while (tail > 0 && WORD.test(a.at(-tail) ?? "")) tail -= 1;
  const split = (text: string[]) => [
    text.slice(0, head).join(""),
    text.slice(head, text.length - tail).join(""),
    text.slice(text.length - tail).join(""),
  ];
  return [split(a), split(b)];
}

/** "transformer_enco…kernel" */
export function cutMiddle(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MOST_CHARS) return text;
  return `${characters.slice(0, MOST_CHARS / 2).join("")}…${characters.slice(1 - MOST_CHARS / 2).join("")}`;
}
