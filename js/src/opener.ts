/** What a page runs: it unpacks the bundle that lies in it, which opens the page (see page.ts). */

import { bytesOfProgram, gunzip } from "./gzip.ts";

const packed = bytesOfProgram(document.getElementById("jitviz-bundle")?.textContent ?? "");
await import(URL.createObjectURL(new Blob([await gunzip(packed).text()], { type: "text/javascript" })));
