// What a page runs: it unpacks the bundle that lies in it, which opens the page.
const packed = Uint8Array.from(atob(document.getElementById("jitviz-bundle").textContent), (one) => one.charCodeAt(0));
const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
