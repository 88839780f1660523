/** The page's own files, of which dist/site has a list: what isn't on it can't be asked for, by whatever path. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { GravmeshError } from "../base/errors.ts";

/** The same from src/live and from the built chunks in dist. */
const SITE = fileURLToPath(new URL("../../dist/site", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".toml": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

export interface SiteFile {
  type: string;
  read(): Uint8Array;
}

/** By path as an address has it: "/", "/page.js", "/parts/….js". Throws "io" where the page wasn't built. */
export function siteFiles(folder = SITE): ReadonlyMap<string, SiteFile> {
  if (!existsSync(join(folder, "index.html"))) {
    throw new GravmeshError(
      "io",
      `The page isn't there: expected ${join(folder, "index.html")}. Run \`npm run build\`.`,
    );
  }
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const files = new Map(
    entries.map((entry): [string, SiteFile] => {
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(folder, file).split(sep).join("/")}`;
      return [path, { type: TYPES[extname(file)] ?? "application/octet-stream", read: () => readFileSync(file) }];
    }),
  );
  files.set("/", files.get("/index.html")!);
  return files;
}
