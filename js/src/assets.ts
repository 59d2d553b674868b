/**
 * What the assets widget sends: the bundle as letters, which is less than half of it, and what unpacks them.
 *
 * Python writes LETTERS in front of this (jitviz/display/assets.py).
 */

import { bytesOfProgram, gunzip } from "./gzip.ts";

declare const LETTERS: string;

const text = await gunzip(bytesOfProgram(LETTERS)).text();
const bundle = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
export default bundle.default;
