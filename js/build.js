// Bundles the front end into ../jitviz/display/static, byte for byte the same on every machine.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const STATIC = new URL("../jitviz/display/static/", import.meta.url);

// `import css from "./style.css?raw"` is the text of the file, as the test runner has it too.
const rawText = {
  name: "raw-text",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.css\?raw$/ }, ({ path }) => ({
      path: new URL(`src/${path.slice(2, -4)}`, import.meta.url).pathname,
      namespace: "raw-text",
    }));
    onLoad({ filter: /.*/, namespace: "raw-text" }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: [new URL("src/main.ts", import.meta.url).pathname],
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
await mkdir(STATIC, { recursive: true });
const [bundle] = outputFiles;
await writeFile(new URL("jitviz.js", STATIC), bundle.contents);
await copyFile(new URL("src/loader.js", import.meta.url), new URL("loader.js", STATIC));
process.stdout.write(`jitviz.js ${bundle.contents.length} bytes, ${gzipSync(bundle.contents).length} gzipped\n`);
