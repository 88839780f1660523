/**
 * What a run writes of its particles: snapshots of several files, at listed times, with chosen fields; subsamples. Resumed,
 * refused where a part is missing, and started from. On the CPU, in this process.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { everyOf } from "../../src/physics/particles/source.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { type RunRequest, run } from "../../src/run/runner.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scheduleOf } from "../../src/scenario/timetables.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";

const work = mkdtempSync(join(tmpdir(), "gravmesh-run-snapshots-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const DECK = `
title = "Two dozen bodies"
gravity = "direct"
[box]
size = 16.0
boundary = "isolated"
[[particles]]
kind = "plummer"
name = "bulge"
count = 13
scale = 0.6
[[particles]]
kind = "plummer"
name = "halo"
species = "halo"
count = 11
mass = 2
scale = 0.9
[time]
end = 0.25
step = 0.015625
[direct]
softening = 0.01
[output]
times = [0.03, 0.2]
diagnostics = 4
checkpointMinutes = 1e-9
particlesPerFile = 10
fields = ["positions", "velocities", "ids", "masses", "accelerations"]
[subsample]
every = 5
count = 8
fields = ["positions", "ids"]
`;

async function go(request: Partial<RunRequest>, stopAt?: string) {
  const stop = new AbortController();
  const activities: string[] = [];
  const watch = (event: Parameters<Parameters<typeof run>[1]>[0]) => {
    if (event.event === "activity") activities.push(event.what);
    if (event.event === "activity" && event.what === stopAt) stop.abort();
  };
  const code = await run({ overrides: [], backend: "cpu", ...request }, watch, stop.signal);
  return { code, activities };
}

const deck = join(work, "deck.toml");
const whole = join(work, "whole");
const names = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".hdf5"));

beforeAll(async () => {
  writeFileSync(deck, DECK);
  expect((await go({ scenario: deck, out: whole })).code).toBe(0);
});

describe("a run whose snapshots are several files", () => {
  it("writes them at the steps nearest to the times of its deck, and subsamples at their own", async () => {
    const snapshots = [0, 1, 2, 3].flatMap((i) => [0, 1, 2].map((part) => `snapshot_00${i}.${part}.hdf5`));
    const subsamples = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => `subsample_00${i}.hdf5`);
    expect(names(whole).sort()).toEqual([...snapshots, ...subsamples].sort());
    const summary = JSON.parse(readFileSync(join(whole, "summary.json"), "utf8"));
    expect(summary.snapshots).toEqual([
      { file: "snapshot_000.0.hdf5", time: 0 },
      { file: "snapshot_001.0.hdf5", time: 0.03125 },
      { file: "snapshot_002.0.hdf5", time: 0.203125 },
      { file: "snapshot_003.0.hdf5", time: 0.25 },
    ]);
    const { "PartType1/Acceleration": acceleration } = describeHdf5(join(whole, "snapshot_003.2.hdf5"));
    expect(acceleration.shape).toEqual([8, 3]);
  });

  it("has the same particles in every subsample: those whose id `every` divides", async () => {
    const last = await readSnapshot(join(whole, "snapshot_003.hdf5"));
    const nodes = describeHdf5(join(whole, "subsample_008.hdf5"));
    expect(nodes["PartType4/ParticleIDs"].first).toEqual([0, 5, 10]);
    expect(nodes["PartType1/ParticleIDs"].first).toEqual([15, 20]);
    expect(nodes["PartType1/Coordinates"].first).toEqual(
      [15, 20].flatMap((id) => [...last.positions.slice(3 * id, 3 * id + 3)]),
    );
    expect(nodes.Parameters.attributes["gravmesh.every"].value).toBe(5);
    expect(Object.keys(nodes)).not.toContain("PartType1/Velocities");
    const found = await readSnapshot(join(whole, "subsample_004.hdf5"), { need: "positions" });
    expect(found.components).toEqual([
      { name: "bulge", species: "stars", first: 0, count: 3 },
      { name: "halo", species: "halo", first: 3, count: 2 },
    ]);
  });

  it("goes on to the same files, and not without a part that it has written", async () => {
    const folder = join(work, "stopped");
    expect((await go({ scenario: deck, out: folder }, "subsample 5")).code).not.toBe(0);
    expect(existsSync(join(folder, "snapshot_003.0.hdf5"))).toBe(false);
    const part = join(folder, "snapshot_001.1.hdf5");
    renameSync(part, join(work, "away"));
    await expect(go({ resume: folder })).rejects.toThrow(/can't go on: snapshot_001\.1\.hdf5 is missing/);
    renameSync(join(work, "away"), part);
    const kept = readFileSync(part);
    writeFileSync(part, kept.subarray(0, 5000));
    await expect(go({ resume: folder })).rejects.toThrow(/snapshot_001\.1\.hdf5: the file is truncated/);
    writeFileSync(part, kept);
    expect((await go({ resume: folder })).code).toBe(0);
    expect(names(folder)).toEqual(names(whole));
    for (const name of ["snapshot_002.hdf5", "snapshot_003.hdf5"]) {
      expect(await readSnapshot(join(folder, name))).toEqual(await readSnapshot(join(whole, name)));
    }
    const positionsOf = (of: string) => readSnapshot(join(of, "subsample_007.hdf5"), { need: "positions" });
    expect(await positionsOf(folder)).toEqual(await positionsOf(whole));
  });

  it("is what another run starts from, by any name; a subsample is not", async () => {
    const onward = (file: string) => `
title = "Onward"
gravity = "direct"
[box]
size = 16.0
boundary = "isolated"
[[particles]]
kind = "snapshot"
file = "${file}"
[time]
end = 0.015625
step = 0.015625
[direct]
softening = 0.01
[output]
snapshots = 0
`;
    const start = async (file: string) => {
      const name = join(work, "onward.toml");
      const out = join(work, "onward");
      rmSync(out, { recursive: true, force: true });
      writeFileSync(name, onward(join(whole, file)));
      await go({ scenario: name, out });
      return readSnapshot(join(out, "snapshot_000.hdf5"));
    };
    const { positions, velocities, masses } = await readSnapshot(join(whole, "snapshot_003.hdf5"));
    for (const file of ["snapshot_003.hdf5", "snapshot_003.1.hdf5"]) {
      const found = await start(file);
      expect([found.positions, found.velocities, found.masses]).toEqual([positions, velocities, masses]);
    }
    const folder = join(work, "with-velocities");
    cpSync(whole, folder, { recursive: true });
    await expect(start("subsample_008.hdf5")).rejects.toThrow(
      /subsample_008\.hdf5: dataset PartType\d\/Velocities is missing/,
    );
  });
});

describe("a subsample", () => {
  it("has of each component those that it divides", () => {
    const masses = new ParticleMasses([
      { first: 0, count: 4, mass: 2 },
      { first: 4, count: 5, mass: Float64Array.of(4, 5, 6, 7, 8) },
      { first: 9, count: 2, mass: 1 },
    ]);
    const components = masses.runs.map(({ first, count }) => ({
      name: `${first}`,
      species: "stars" as const,
      first,
      count,
    }));
    const { count, components: found, masses: kept } = everyOf({ components, masses }, 3);
    expect(count).toBe(4);
    expect(found.map((one) => [one.first, one.count])).toEqual([
      [0, 2],
      [2, 1],
      [3, 1],
    ]);
    expect([...kept.toArray()]).toEqual([2, 2, 6, 1]);
  });
});

describe("times of a deck's list", () => {
  const scheduleFor = (output: string, step = "0.1") =>
    scheduleOf(
      parseScenario(
        `title = "t"\n[box]\nsize = 8\n[mesh]\ncells = 16\n[[particles]]\nkind = "plummer"\ncount = 10\n[time]\nend = 1\nstep = ${step}\n[output]\n${output}`,
      ),
    );

  it("are kept to the bit by adaptive steps, with evenly spaced rows beside them", () => {
    const { outputs } = scheduleFor("times = [0.3, 0.77]\ndiagnostics = 2", '"adaptive"');
    expect(outputs.map(({ time, snapshot, diagnostics }) => [time, snapshot, diagnostics])).toEqual([
      [0, true, true],
      [0.3, true, false],
      [0.5, false, true],
      [0.77, true, false],
      [1, true, true],
    ]);
  });

  it.each([
    [
      "every = 5",
      '"adaptive"',
      'output.every: expected 0 with time.step = "adaptive", found 5. output.snapshots spreads',
    ],
    ["diagnosticsEvery = 5", '"adaptive"', 'output.diagnosticsEvery: expected 0 with time.step = "adaptive", found 5'],
    [
      "every = 5\ntimes = [0.5]",
      "0.1",
      "output.every: expected 0 with output.times, found 5. Leave one of the two out",
    ],
    [
      "diagnosticsEvery = 5\ndiagnosticsTimes = [0.5]",
      "0.1",
      "output.diagnosticsEvery: expected 0 with output.diagnosticsTimes, found 5",
    ],
    ["diagnosticsTimes = [1.5]", "0.1", "output.diagnosticsTimes: expected times from 0 to time.end = 1, found 1.5"],
    ["snapshots = 1\n[maps]\ntimes = [0.5, 3]", "0.1", "maps.times: expected times from 0 to time.end = 1, found 3"],
    ["snapshots = 1\n[subsample]\nevery = 5\ntimes = [2]", "0.1", "subsample.times: expected times from 0 to"],
    ["snapshots = 1\n[subsample]\ntimes = [0.5]", "0.1", "subsample.every: expected 2 or more with subsample.times"],
  ])("and steps that are counted are refused where they make no sense: %j, step %s", (output, step, expected) => {
    expect(() => scheduleFor(output, step)).toThrow(expected);
  });

  it("beyond the end, in an expanding box, and fields that make no sense are refused", () => {
    expect(() => scheduleFor("times = [2]")).toThrow(/output\.times: expected times up to time\.end = 1, found 2/);
    expect(() => scheduleFor('fields = ["velocities"]')).toThrow(/output\.fields: expected a list with "positions"/);
    expect(() => scheduleFor('fields = ["positions", "positions"]')).toThrow(/each field once/);
    expect(() => scheduleFor("snapshots = 1\n[subsample]\nevery = 1")).toThrow(
      /subsample\.every: expected 2 or more, or 0/,
    );
  });
});
