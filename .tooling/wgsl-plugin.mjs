// Lets TypeScript import a WGSL file as { path, text }, in esbuild and in vitest alike.
// The path travels with the text so that compiler messages can point at the real file.
import { readFileSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function moduleFor(file) {
  const path = relative(root, file).split(sep).join("/");
  return `export default ${JSON.stringify({ path, text: readFileSync(file, "utf8") })};`;
}

export const esbuildWgsl = {
  name: "wgsl",
  setup(build) {
    build.onLoad({ filter: /\.wgsl$/ }, (args) => ({ contents: moduleFor(args.path), loader: "js" }));
  },
};

export const vitestWgsl = {
  name: "wgsl",
  enforce: "pre",
  load(id) {
    const file = id.split("?")[0];
    return file.endsWith(".wgsl") ? moduleFor(file) : undefined;
  },
};
