// Lets TypeScript import a WGSL file as { path, text, needs }, in esbuild and in vitest alike.
// The path travels with the text so that compiler messages can point at the real file; `needs` are the files that its
// lines `//#import "…"` name, imported in their turn (src/foundation/gpu/compose.ts puts them in order).
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const IMPORT = /^\/\/#import +"(.+)"$/;

/** The module's JavaScript. Throws for an import of a file that doesn't exist. */
export function moduleFor(file, text = readFileSync(file, "utf8")) {
  const path = relative(root, file).split(sep).join("/");
  const imports = [];
  text.split("\n").forEach((line, index) => {
    if (!line.startsWith("//#import")) return;
    const target = line.match(IMPORT)?.[1];
    if (!target) throw new Error(`${path}:${index + 1}: expected //#import "file.wgsl", found ${line}`);
    if (!existsSync(resolve(dirname(file), target))) {
      throw new Error(
        `${path}:${index + 1}: imports "${target}", which doesn't exist (paths are relative to the file)`,
      );
    }
    imports.push(target.startsWith(".") ? target : `./${target}`);
  });
  return [
    ...imports.map((target, i) => `import need${i} from ${JSON.stringify(target)};`),
    `const needs = [${imports.map((_, i) => `need${i}`).join(", ")}];`,
    `export default { ...${JSON.stringify({ path, text })}, needs };`,
  ].join("\n");
}

export const esbuildWgsl = {
  name: "wgsl",
  setup(build) {
    build.onLoad({ filter: /\.wgsl$/ }, (args) => ({
      contents: moduleFor(args.path),
      loader: "js",
      resolveDir: dirname(args.path),
    }));
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
