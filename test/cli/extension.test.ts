/** --extension: a column and an output from outside the source tree, through the built bin, in a folder without gravmesh. */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eventsOf, gravmesh, root, SMALL, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const textIn = (...path: string[]) => readFileSync(join(work(), ...path), "utf8");
const linesIn = (...path: string[]) =>
  textIn(...path)
    .trim()
    .split("\n");
const BOTH = ["--extension", "bulk-speed.mjs", "--extension", "extent.mjs"];
const run = (out: string, ...more: string[]) => [
  ...["run", "plummer", ...SMALL, "--backend", "cpu", "--out", out, "--json", ...more],
];

beforeAll(() => {
  for (const name of ["bulk-speed.mjs", "extent.mjs"])
    copyFileSync(join(root, "docs/examples", name), join(work(), name));
});

describe("a column from outside", () => {
  it("is in diagnostics.csv, in the events and in the report", async () => {
    const { code, stdout, stderr } = await gravmesh(work(), run("column", ...BOTH));
    expect([code, stderr]).toEqual([0, ""]);
    const [head, ...rows] = linesIn("column/diagnostics.csv").map((line) => line.split(","));
    expect(head.at(-1)).toBe("bulk_speed");
    expect(rows).toHaveLength(5);
    const at = (name: string) => head.indexOf(name);
    for (const row of rows) {
      const momentum = ["x", "y", "z"].map((axis) => Number(row[at(`momentum_${axis}`)]));
      expect(Number(row[at("bulk_speed")])).toBeCloseTo(Math.hypot(...momentum), 9);
    }
    const event = eventsOf(stdout).findLast((one) => one.event === "diagnostics")!;
    expect(event.bulkSpeed).toBeCloseTo(Number(rows.at(-1)!.at(-1)), 9);
    expect(textIn("column/report.html")).toContain("<b>Bulk speed</b>");
  });

  it("leaves the others as they are", async () => {
    expect((await gravmesh(work(), run("plain"))).code).toBe(0);
    const without = linesIn("column/diagnostics.csv").map((line) => line.split(",").slice(0, -1).join(","));
    expect(without).toEqual(linesIn("plain/diagnostics.csv"));
  });
});

describe("an output from outside", () => {
  it("writes a line a snapshot, and --force knows its file", async () => {
    const [head, ...lines] = linesIn("column/extent.txt");
    expect(head).toBe("# time  largest distance");
    expect(lines.map((line) => Number(line.split("  ")[0]))).toEqual([0, 0.1, 0.2]);
    for (const line of lines) expect(Number(line.split("  ")[1])).toBeLessThan(5 * Math.sqrt(3));
    writeFileSync(join(work(), "column/extent.txt"), "old");
    const args = ["--force", "--extension", "extent.mjs"];
    expect((await gravmesh(work(), run("column", ...args))).code).toBe(0);
    expect(linesIn("column/extent.txt")).toEqual([head, ...lines]);
  });

  it("goes on where the checkpoint is when the run is resumed, with the modules it was made with", async () => {
    const long = ["time.end=0.3", "time.step=0.01", "output.snapshots=6", "output.checkpointMinutes=1e-4"];
    const whole = await gravmesh(work(), run("whole", ...long, ...BOTH));
    expect(whole.code, whole.stderr).toBe(0);
    const running = start(work(), run("killed", ...long, ...BOTH));
    await running.until('"event":"snapshot","index":1');
    running.child.kill("SIGKILL");
    await running.done;

    renameSync(join(work(), "extent.mjs"), join(work(), "elsewhere.mjs"));
    const lost = await gravmesh(work(), ["run", "--resume", "killed"]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toMatch(
      /--extension .*extent\.mjs: .*found no such file.*killed was made with it.*--extension/,
    );
    const given = ["--extension", "bulk-speed.mjs", "--extension", "elsewhere.mjs"];
    const resumed = await gravmesh(work(), ["run", "--resume", "killed", "--json", ...given]);
    expect(resumed.code, resumed.stderr).toBe(0);
    for (const name of ["extent.txt", "diagnostics.csv"]) {
      expect(linesIn("killed", name)).toEqual(linesIn("whole", name));
    }
    renameSync(join(work(), "elsewhere.mjs"), join(work(), "extent.mjs"));
  });
});

describe("an extension", () => {
  const failing = async (name: string, text: string | undefined) => {
    if (text !== undefined) writeFileSync(join(work(), name), text);
    const outcome = await gravmesh(work(), ["run", "plummer", ...SMALL, "--out", "refused", "--extension", name]);
    expect(outcome.code).toBe(2);
    expect(existsSync(join(work(), "refused"))).toBe(false);
    return outcome.stderr;
  };

  it.each([
    ["missing.mjs", undefined, /--extension missing\.mjs: expected a JavaScript module .*, found no such file\./],
    ["throwing.mjs", 'throw new Error("no luck");', /--extension throwing\.mjs: .*it throws: .*no luck/],
    ["broken.mjs", "const =", /--extension broken\.mjs: .*it throws: .*SyntaxError/],
    [
      "taken.mjs",
      'import { registerOutput } from "gravmesh";\nfor (const i of [1, 2]) registerOutput({ name: "twice" });',
      /--extension taken\.mjs: .*output "twice" is there already/,
    ],
    [
      "head.mjs",
      'import { registerColumn } from "gravmesh";\nregisterColumn({ name: "mine", heads: "r50" });',
      /--extension head\.mjs: .*"r50" is in diagnostics\.csv already/,
    ],
  ])("%s is refused before anything is made", async (name, text, message) => {
    expect(await failing(name, text)).toMatch(message);
  });

  it.each([["compare", "--vary", "mesh.cells=16,24"], ["validate"]])("is loaded by %s, too", async (...command) => {
    writeFileSync(join(work(), "loud.mjs"), 'throw new Error("loaded");');
    const [name, ...options] = command;
    const args = [name, "plummer", ...options, "--extension", "loud.mjs", "--out", "nowhere"];
    expect((await gravmesh(work(), args)).stderr).toMatch(/loud\.mjs: .*loaded/);
  });
});
