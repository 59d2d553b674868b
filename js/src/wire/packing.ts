/**
 * Unpacks gzip, with the means of the browser.
 *
 * In: bytes, or base64.  Out: a `Response`, to be read as JSON, text or a blob.
 */

export function gunzip(bytes: BlobPart): Response {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
