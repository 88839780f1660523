/** Bad input through the built bin: one message that names the trouble, the right exit code, nothing overwritten. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { contentsOf, eventsOf, gravmesh, type Outcome, SMALL, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const NO_DRIVER = { VK_DRIVER_FILES: "/nonexistent", VK_ICD_FILENAMES: "/nonexistent" };

const DECK = `title = "Small box"
[box]
size = 1.0
boundary = "periodic"
[mesh]
cells = 16
[[particles]]
kind = "uniform"
count = 100
mass = 1.0
[time]
end = 0.1
step = 0.05
[output]
snapshots = 1
diagnostics = 1
`;

/** Runs a deck that must be refused; checks that no folder appeared. */
async function refused(deck: string, ...args: string[]): Promise<Outcome> {
  writeFileSync(join(work(), "deck.toml"), deck);
  const outcome = await gravmesh(work(), ["run", "deck.toml", "--backend", "cpu", "--out", "refused", ...args]);
  expect(existsSync(join(work(), "refused"))).toBe(false);
  expect(outcome.stdout).toBe("");
  return outcome;
}

describe("a deck", () => {
  it.each([
    [
      "unknown key",
      DECK.replace("cells =", "cell ="),
      2,
      /deck\.toml:6.*unknown key mesh\.cell: did you mean mesh\.cells\?/,
    ],
    ["missing key", DECK.replace("size = 1.0\n", ""), 2, /deck\.toml.*box\.size is missing: expected a number above 0/],
    ["wrong type", DECK.replace("cells = 16", 'cells = "16"'), 2, /deck\.toml:6.*mesh\.cells: expected .* found "16"/],
    [
      "zero count",
      DECK.replace("count = 100", "count = 0"),
      2,
      /deck\.toml:9.*particles\[0\]\.count: expected .*found 0/,
    ],
    ["negative count", DECK.replace("count = 100", "count = -5"), 2, /particles\[0\]\.count: expected .*found -5/],
    [
      "mesh that is neither 2^k nor 3·2^k",
      DECK.replace("cells = 16", "cells = 100"),
      2,
      /mesh\.cells: .*100.*96 and 128/,
    ],
    ["no TOML", DECK.replace("[box]", "[box"), 2, /deck\.toml:\d+:\d+: expected TOML/],
  ] as const)("with %s", async (_, deck, code, message) => {
    const outcome = await refused(deck);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.code).toBe(code);
  });

  it("with several faults tells them all at once", async () => {
    const { stderr } = await refused(DECK.replace("cells = 16", "cells = 100").replace("count = 100", "count = 0"));
    expect(stderr).toMatch(/mesh\.cells[\s\S]*particles\[0\]\.count/);
  });

  it("with particles outside the box", async () => {
    const isolated = DECK.replace("periodic", "isolated").replace(
      "mass = 1.0",
      "mass = 1.0\nside = 0.5\noffset = [0.4, 0, 0]",
    );
    const outcome = await refused(isolated);
    expect(outcome.stderr).toMatch(/particles\[0\]\.side: .*so that the particles are inside the box, found 0\.5/);
    expect(outcome.code).toBe(2);
  });

  it("that isn't there, or is misspelt", async () => {
    const misspelt = await gravmesh(work(), ["run", "plumer"]);
    expect(misspelt).toMatchObject({ code: 2, stderr: "error: No scenario named plumer. Did you mean plummer?\n" });
    const missing = await gravmesh(work(), ["run", "decks/nothing.toml"]);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/No scenario deck at decks\/nothing\.toml/),
    });
  });
});

describe("the command line", () => {
  it.each([
    [["run", "plummer", "mesh.cell=32"], /mesh\.cell.*did you mean mesh\.cells/],
    [["run", "plummer", "mesh.cells"], /expected key=value/],
    [["run", "plummer", "mesh.cells=33"], /mesh\.cells.*33/],
    [["run"], /Which scenario\?/],
    [["run", "plummer", "--backend", "cuda"], /Allowed choices are auto, webgpu, cpu/],
    [["run", "plummer", "--resume", "x"], /leave out SCENARIO/],
    [["run", "--resume", "nowhere"], /nowhere holds no run to resume/],
    [["walk"], /unknown command 'walk'/],
    [["run", "plummer", "--fource"], /unknown option '--fource'[\s\S]*--force/],
  ] as const)("%j", async (args, message) => {
    const outcome = await gravmesh(work(), [...args]);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.code).toBe(2);
    expect(existsSync(join(work(), "results"))).toBe(false);
  });

  it("tells JSON readers of failures too", async () => {
    const { code, stdout } = await gravmesh(work(), ["run", "plummer", "mesh.cells=33", "--json"]);
    expect(code).toBe(2);
    expect(eventsOf(stdout)).toEqual([
      { event: "error", kind: "scenario", message: expect.stringMatching(/mesh\.cells/), exitCode: 2 },
    ]);
  });
});

describe("memory", () => {
  it.each(["cpu", "webgpu"])(
    "that the %s backend doesn't have is asked for before anything is allocated",
    async (backend) => {
      const huge = ["mesh.cells=8192", "time.end=0.1"];
      const { code, stderr } = await gravmesh(work(), [
        "run",
        "plummer",
        ...huge,
        "--backend",
        backend,
        "--out",
        "huge",
      ]);
      expect(stderr).toMatch(/Not enough memory: the run needs .*TiB.*mesh\.cells=\d+.*would fit/);
      expect(code).toBe(1);
      expect(existsSync(join(work(), "huge"))).toBe(false);
    },
  );
});

describe("a snapshot as initial condition", () => {
  const deckFor = (file: string) =>
    `${DECK.replace(/\[\[particles\]\][\s\S]*\[time\]/, `[[particles]]\nkind = "snapshot"\nfile = "${file}"\n[time]`)}`;
  const count = 500;
  const particles = (broken?: number) => {
    const positions = Float64Array.from({ length: 3 * count }, (_, i) => ((i * 0.6180339887) % 1) * 0.999);
    if (broken !== undefined) positions[3 * 77 + 1] = broken;
    return {
      count,
      positions,
      velocities: new Float32Array(3 * count),
      masses: new Float64Array(count).fill(1 / count),
      components: [{ name: "stars", species: "stars" as const, first: 0, count }],
    };
  };

  beforeAll(async () => {
    const deck = {
      title: "x",
      box: { size: 1, boundary: "periodic" as const },
      mesh: { cells: 16 },
      time: { end: 1, step: 1 },
    };
    const scenario = completeScenario({ ...deck, particles: [{ kind: "uniform", count, mass: 1 }] });
    await writeSnapshot(join(work(), "good.hdf5"), particles(), { scenario, time: 0 });
    await writeSnapshot(join(work(), "nan.hdf5"), particles(Number.NaN), { scenario, time: 0 });
    copyFileSync(join(work(), "good.hdf5"), join(work(), "truncated.hdf5"));
    truncateSync(join(work(), "truncated.hdf5"), 6000);
    writeFileSync(join(work(), "text.hdf5"), "not a snapshot at all");
  });

  it("is read when it is good", async () => {
    writeFileSync(join(work(), "deck.toml"), deckFor("good.hdf5"));
    const outcome = await gravmesh(work(), ["run", "deck.toml", "--backend", "cpu", "--out", "good", "--quiet"]);
    expect(outcome).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  it("with particles outside the box", async () => {
    const smallBox = deckFor("good.hdf5").replace("size = 1.0", "size = 0.5");
    const outcome = await refused(smallBox);
    expect(outcome.stderr).toMatch(
      /component "snapshot": expected all 500 particles inside the box.*found \d+ outside/,
    );
    expect(outcome.code).toBe(1);
  });

  it("centred on the origin, most of it outside the mesh, before an earlier run makes room", async () => {
    const lines = Array.from({ length: 100 }, (_, i) => `${Math.cos(i)} ${Math.sin(i)} 0.1 0 0 0 0.01`);
    writeFileSync(join(work(), "origin.txt"), ["x y z vx vy vz mass", ...lines].join("\n"));
    const deck = deckFor("origin.txt").replace("size = 1.0", "size = 8.0").replace("periodic", "isolated");
    writeFileSync(join(work(), "deck.toml"), deck);
    mkdirSync(join(work(), "earlier"));
    writeFileSync(join(work(), "earlier", "summary.json"), "{}");
    const run = (...more: string[]) =>
      gravmesh(work(), ["run", "deck.toml", "--backend", "cpu", "--out", "earlier", "--force", ...more]);
    const outcome = await run();
    expect(outcome.stderr).toMatch(
      /found 7\d % of it outside.*set centre = true, or offset = \[4.*\], in \[\[particles\]\]/,
    );
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(readdirSync(join(work(), "earlier"))).toEqual(["summary.json"]);
    expect(await run("particles.snapshot.centre=true", "--quiet")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    ["missing", "nowhere.hdf5", /nowhere\.hdf5.*no such file/],
    ["unreadable", "text.hdf5", /text\.hdf5.*HDF5/],
    ["truncated", "truncated.hdf5", /truncated\.hdf5.*(truncated|damaged)/],
    ["with NaN", "nan.hdf5", /(NaN|not finite|finite number)/],
  ])("%s", async (_, file, message) => {
    const outcome = await refused(deckFor(file));
    expect(outcome.stderr).toMatch(message);
    expect(outcome.code).toBe(1);
  });
});

describe("a result folder", () => {
  it("that holds a run is left alone without --force, and replaced with it", async () => {
    const args = ["run", "plummer", ...SMALL, "--backend", "cpu", "--quiet"];
    expect((await gravmesh(work(), args)).code).toBe(0);
    const folder = join(work(), "results/plummer");
    writeFileSync(join(folder, "notes.txt"), "mine");
    const before = contentsOf(folder);
    const again = await gravmesh(work(), args);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/already holds a run.*--out.*--resume.*--force/);
    expect(contentsOf(folder)).toEqual(before);

    // With --force a run that can't start still leaves the old one alone.
    const refusedForce = await gravmesh(work(), [...args, "--force", "particles.0.offset=[4.9,0,0]"]);
    expect(refusedForce.code).toBe(2);
    expect(contentsOf(folder)).toEqual(before);

    const forced = await gravmesh(work(), [...args, "--force", "output.snapshots=1"]);
    expect(forced.code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("snapshot"))).toHaveLength(2);
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  it("that is a file is refused", async () => {
    writeFileSync(join(work(), "taken"), "a file");
    const outcome = await gravmesh(work(), ["run", "plummer", ...SMALL, "--backend", "cpu", "--out", "taken"]);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(/taken is a file/) });
    expect(readFileSync(join(work(), "taken"), "utf8")).toBe("a file");
  });

  it("on a full disk keeps what was complete, and says so", async () => {
    const args = ["run", "plummer", ...SMALL, "particles.0.count=20000", "--backend", "cpu", "--out", "disk/run"];
    const disk = join(work(), "disk");
    mkdirSync(disk);
    // 20000 particles make a snapshot of 0.8 MB: the first fits, the second doesn't. Without the right to mount,
    // the size of a file is limited instead, so that no snapshot fits.
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1400k", "tmpfs", disk]).status === 0;
    try {
      const outcome = await gravmesh(work(), args, mounted ? {} : { through: 'ulimit -f 200; exec "$@"' });
      expect(outcome.stderr).toMatch(
        mounted ? /No space left for .*snapshot_001\.hdf5/ : /Cannot write .*snapshot_000\.hdf5/,
      );
      expect(outcome.code).toBe(1);
      const names = readdirSync(join(disk, "run")).sort();
      expect(names.filter((name) => name.startsWith("snapshot"))).toEqual(mounted ? ["snapshot_000.hdf5"] : []);
      expect(names.filter((name) => name.startsWith("."))).toEqual([]);
    } finally {
      if (mounted) spawnSync("umount", [disk]);
    }
  });
});

describe("without an adapter", () => {
  it("auto goes on in float64 on the CPU and says so in one line", async () => {
    const args = ["run", "plummer", ...SMALL, "--out", "fallback"];
    const outcome = await gravmesh(work(), args, { env: NO_DRIVER });
    expect(outcome.code).toBe(0);
    expect(outcome.stderr.trim().split("\n")).toHaveLength(1);
    expect(outcome.stderr).toMatch(/^warning: No WebGPU adapter was found: running in float64 on the CPU/);
    expect(outcome.stdout).toMatch(/on CPU, float64/);
  });

  it("webgpu is an error that says what to do, and writes nothing", async () => {
    const args = ["run", "plummer", ...SMALL, "--backend", "webgpu", "--out", "none"];
    const outcome = await gravmesh(work(), args, { env: NO_DRIVER });
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no WebGPU adapter.*gravmesh doctor.*--backend cpu/),
    });
    expect(existsSync(join(work(), "none"))).toBe(false);
  });

  it("doctor names what to install", async () => {
    const outcome = await gravmesh(work(), ["doctor"], { env: NO_DRIVER });
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/adapter +none[\s\S]*(install|update)/);
    const json = JSON.parse((await gravmesh(work(), ["doctor", "--json"], { env: NO_DRIVER })).stdout);
    expect(json).toMatchObject({ passed: false, adapter: null, advice: expect.any(String), node: process.version });
  });
});
