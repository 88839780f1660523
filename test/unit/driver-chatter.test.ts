/** What a driver writes to stderr while adapters are looked for: caught, and nothing stays on the disk if that is killed. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "gravmesh-chatter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.runIf(process.platform === "linux")("is caught, in no file that has a name", () => {
  const script = join(folder, "script.mjs");
  buildSync({
    stdin: {
      contents: `
        import { readdirSync, writeSync } from "node:fs";
        import { driverChatter, withoutChatter } from "./src/run/driver-chatter.ts";
        const look = (text: string) => withoutChatter(() => {
          writeSync(2, text);
          return readdirSync(process.env.TMPDIR!);
        });
        const names = [...look("a driver's warning\\n"), ...look("another\\n")];
        writeSync(2, "ours\\n");
        console.log(JSON.stringify({ names, caught: driverChatter() }));`,
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      loader: "ts",
    },
    ...{ bundle: true, platform: "node", format: "esm", outfile: script },
  });
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  // Through a pipe of a shell's, as on a terminal: Node's own are sockets, which nothing can be opened anew of.
  const { stdout } = spawnSync(
    "bash",
    ["-c", '{ "$@" 2>&1 >&3 | sed "s/^/seen: /"; } 3>&1', "bash", process.execPath, script],
    {
      env: { ...process.env, TMPDIR: temporary, GRAVMESH_DEBUG: "" },
      encoding: "utf8",
    },
  );
  const lines = stdout.trim().split("\n");
  expect(lines.filter((line) => line.startsWith("seen: "))).toEqual(["seen: ours"]);
  const told = JSON.parse(lines.find((line) => line.startsWith("{"))!);
  expect(told).toEqual({ names: [], caught: "a driver's warning\nanother" });
  expect(readdirSync(temporary)).toEqual([]);
});
