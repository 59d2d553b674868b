// Bundles the front end into ../jitviz/display/static, byte for byte the same on every machine.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const STATIC = new URL("../jitviz/display/static/", import.meta.url);

// `import css from "./style.css?raw"` is the text of the file, as the test runner has it too.
const rawText = {
  name: "raw-text",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice(0, -"?raw".length)),
      namespace: "raw-text",
    }));
    onLoad({ filter: /.*/, namespace: "raw-text" }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

/** Bundles what begins at one file into one module, and tells how big it is. */
async function bundle(entry, name) {
  const { outputFiles } = await build({
    entryPoints: [new URL(entry, import.meta.url).pathname],
    absWorkingDir: new URL(".", import.meta.url).pathname,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [rawText],
    write: false,
  });
  const [{ contents }] = outputFiles;
  await writeFile(new URL(name, STATIC), contents);
  process.stdout.write(`${name} ${contents.length} bytes, ${gzipSync(contents).length} gzipped\n`);
}

await mkdir(STATIC, { recursive: true });
await bundle("src/bundles/jitviz.ts", "jitviz.js");
await bundle("src/bundles/opener.ts", "opener.js");
await bundle("src/bundles/assets.ts", "assets.js");
// What is loaded when it is first needed; see src/wire/chunk.ts.
await bundle("src/bundles/graphviz.ts", "graphviz.js");
await bundle("src/bundles/code.ts", "code.js");
await copyFile(new URL("src/bundles/loader.js", import.meta.url), new URL("loader.js", STATIC));
