/**
 * Dawn's warnings don't come to a terminal, a pipe or a file; nothing else is lost there, and nothing stays
 * on the disk if the process is killed meanwhile.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: string;
const WARNING = "Warning: maxDynamicUniformBuffersPerPipelineLayout artificially reduced\\n    at a line of its own\\n";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gravmesh-chatter-"));
  const module = fileURLToPath(new URL("../../src/run/driver-chatter.ts", import.meta.url));
  const contents = `import { writeSync } from "node:fs";
    import { driverChatter, withoutChatter } from ${JSON.stringify(module)};
    process.stderr.write("before\\n");
    const found = withoutChatter(() => { writeSync(2, process.argv[2]); return 5; });
    process.stderr.write("after\\n");
    process.stdout.write(JSON.stringify({ found, chatter: driverChatter() }));`;
  const outfile = join(folder, "program.mjs");
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
  await build({ stdin: { contents, resolveDir: folder }, bundle: true, platform: "node", format: "esm", outfile });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a script's log holds when the program runs between two lines of the script's own. */
function logOf(redirection: string, text = WARNING) {
  const script = `{ echo first >&2; node program.mjs $'${text}'; echo last >&2; } ${redirection}`;
  const { stdout } = spawnSync("bash", ["-c", script], { cwd: folder });
  return { log: readFileSync(join(folder, "log"), "utf8"), said: JSON.parse(stdout.toString()) as unknown };
}

describe.skipIf(process.platform !== "linux")("a driver's warnings", () => {
  const chatter = WARNING.replaceAll("\\n", "\n").trim();

  it.each([
    ["a file that is appended to", "2>>log"],
    ["a pipe", "2> >(cat >log); sleep 0.2"],
    ["a file with a position", "2>log"],
  ])("are caught where stderr is %s", (_, redirection) => {
    rmSync(join(folder, "log"), { force: true });
    expect(logOf(redirection)).toEqual({ log: "first\nbefore\nafter\nlast\n", said: { found: 5, chatter } });
  });
});

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
