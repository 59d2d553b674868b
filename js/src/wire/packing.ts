/**
 * Unpacks gzip, with the means of the browser.
 *
 * In: bytes, or letters that encode them.  Out: a `Response`, to be read as JSON, text or a blob.
 */

export function gunzip(bytes: BlobPart): Response {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// As Python's b85encode has it, with a full stop for the one that begins an element.
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;.=>?@^_`{|}~";

/** The bytes of a part of the front end: five letters for each four of them, which is less than base64 needs. */
export function bytesOfProgram(letters: string): Uint8Array<ArrayBuffer> {
  const values = new Map([...LETTERS].map((letter, value) => [letter, value]));
  const groups = Math.ceil(letters.length / 5);
  const view = new DataView(new ArrayBuffer(4 * groups));
  const padded = letters.padEnd(5 * groups, "~");
  for (let group = 0; group < groups; group += 1) {
    let sum = 0;
    for (let at = 5 * group; at < 5 * group + 5; at += 1) sum = 85 * sum + (values.get(padded.charAt(at)) ?? 0);
    view.setUint32(4 * group, sum);
  }
  return new Uint8Array(view.buffer, 0, 4 * groups - (5 * groups - letters.length));
}
