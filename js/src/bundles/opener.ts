/** The script of a page: it unpacks the bundle in the page, which opens the panel (see page.ts). */

import { bytesOf, gunzip } from "../wire/packing.ts";

const packed = bytesOf(document.getElementById("jitviz-bundle")?.textContent ?? "");
await import(URL.createObjectURL(new Blob([await gunzip(packed).text()], { type: "text/javascript" })));
