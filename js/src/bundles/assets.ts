/**
 * The module that the assets widget sends: the bundle packed as letters, less than half its size, and code to unpack it.
 *
 * Python writes LETTERS in front of this (jitviz/display/assets.py).
 */

import { bytesOfProgram, gunzip } from "../wire/packing.ts";

declare const LETTERS: string;

const text = await gunzip(bytesOfProgram(LETTERS)).text();
const bundle = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
export default bundle.default;
