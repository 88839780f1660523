/** Builds dist/ before tests of what is built, when a source is newer: `npm test` has done so already, a single file may not have. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const bin = join(root, "dist/bin/gravmesh.js");

function newest(folder: string): number {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) =>
      entry.isFile() ? statSync(join(entry.parentPath, entry.name)).mtimeMs : 0,
    ),
  );
}

export function setup(): void {
  const built = existsSync(bin) ? statSync(bin).mtimeMs : 0;
  if (Math.max(newest(join(root, "src")), newest(join(root, "wgsl"))) < built) return;
  const { status, stderr } = spawnSync(process.execPath, [join(root, ".tooling/build.mjs")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed:\n${stderr}`);
}
