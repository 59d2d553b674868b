/**
 * The module that the assets widget sends: the bundle packed in base64, half its size, and code to unpack it.
 *
 * Python writes LETTERS in front of this (jitviz/display/assets.py).
 */

import { bytesOf, gunzip } from "../wire/packing.ts";

declare const LETTERS: string;

const text = await gunzip(bytesOf(LETTERS)).text();
const bundle = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
export default bundle.default;
