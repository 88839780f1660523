/** orbits.hdf5 of runs on the CPU: what is in it, and what becomes of it when a run is killed, stopped, resumed, continued. */
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { followedIds } from "../../src/scenario/orbits.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { useFolder, useKilledRun } from "../support/decks.ts";
import { asKilled, contentsOfRun, dataSetOf, runOnCpu } from "../support/result-folder.ts";

const work = useFolder("orbits");

const dataOf = async (folder: string, name: string) => {
  const { value, shape } = await dataSetOf(join(folder, "orbits.hdf5"), name);
  return { values: Array.from(value), shape };
};

const DECK = `
title = "Tracers in a halo"
[box]
size = 8.0
[mesh]
cells = 16
[[particles]]
kind = "plummer"
name = "cluster"
count = 300
cutoff = 2.5
[[particles]]
kind = "uniform"
name = "tracers"
species = "disk"
count = 60
mass = 0.0
side = 3.0
velocityDispersion = 0.5
[time]
end = 0.5
step = 0.015625
[output]
snapshots = 2
diagnostics = 8
checkpointMinutes = 1e-9
[orbits]
sample = 12
components = ["tracers"]
every = 2
`;

const once = useKilledRun(work, DECK);
const { deck, killed, whole } = once;

describe("the particles that are followed", () => {
  const present = [
    { name: "a", species: "halo" as const, first: 0, count: 1000 },
    { name: "b", species: "disk" as const, first: 1000, count: 50 },
    { name: "c", species: "disk" as const, first: 1050, count: 10 },
  ];
  const settings = { ids: [], sample: 0, components: [], seed: 1, every: 1 };

  it("are those of the list that there are, or a sample without repetition, the same for the same seed", () => {
    expect([...followedIds({ ...settings, ids: [70, 3, 5000] }, present)]).toEqual([3, 70]);
    const sample = followedIds({ ...settings, sample: 40, components: ["disk"] }, present);
    expect(new Set(sample).size).toBe(40);
    expect([...sample].every((id, i) => id >= 1000 && id < 1060 && id > (sample[i - 1] ?? -1))).toBe(true);
    expect(followedIds({ ...settings, sample: 40, components: ["disk"] }, present)).toEqual(sample);
    expect(followedIds({ ...settings, sample: 40, components: ["disk"], seed: 2 }, present)).not.toEqual(sample);
    expect(followedIds({ ...settings, sample: 100, components: ["c"] }, present)).toHaveLength(10);
  });

  it("are as likely to be any of them", () => {
    const counts = new Array(20).fill(0);
    const one = [{ name: "a", species: "halo" as const, first: 0, count: 20 }];
    for (let seed = 1; seed <= 2000; seed++) {
      for (const id of followedIds({ ...settings, sample: 5, seed }, one)) counts[id]++;
    }
    // 500 ± 19 each
    expect(Math.max(...counts.map((count) => Math.abs(count - 500)))).toBeLessThan(80);
  });

  it("are named or counted, not both, once each, of components that there are", () => {
    const with_ =
      (...overrides: string[]) =>
      () =>
        parseScenario(DECK, { overrides });
    expect(with_("orbits.ids=[1, 2]")).toThrow(/orbits\.sample: expected 0 beside orbits\.ids, found 12/);
    expect(with_("orbits.sample=0", "orbits.ids=[1, 1]")).toThrow(/orbits\.ids: expected each id once, found 1/);
    expect(with_('orbits.components=["moons"]')).toThrow(
      /orbits\.components: expected names of components \(cluster, tracers\)/,
    );
  });
});

describe("orbits of a run", () => {
  it("have a row at the start and after every so many steps, with the numbers that snapshots have", async () => {
    const { values: ids } = await dataOf(whole, "ParticleIDs");
    expect(ids).toHaveLength(12);
    expect(ids.every((id) => id >= 300 && id < 360)).toBe(true);
    expect((await dataOf(whole, "Step")).values).toEqual(Array.from({ length: 17 }, (_, i) => 2 * i));
    expect((await dataOf(whole, "Time")).values).toEqual(Array.from({ length: 17 }, (_, i) => i / 32));
    const [positions, velocities] = [await dataOf(whole, "Coordinates"), await dataOf(whole, "Velocities")];
    expect([positions.shape, velocities.shape]).toEqual([
      [17, 12, 3],
      [17, 12, 3],
    ]);
    for (const [index, row] of [
      [0, 0],
      [1, 8],
      [2, 16],
    ]) {
      const snapshot = await readSnapshot(join(whole, `snapshot_00${index}.hdf5`));
      const of = (all: ArrayLike<number>) => ids.flatMap((id) => [all[3 * id], all[3 * id + 1], all[3 * id + 2]]);
      expect(positions.values.slice(36 * row, 36 * (row + 1))).toEqual(of(snapshot.positions));
      expect(velocities.values.slice(36 * row, 36 * (row + 1))).toEqual(of(snapshot.velocities).map(Math.fround));
    }
    expect(readFileSync(join(whole, "report.html"), "utf8")).toMatch(
      /From above: 6 orbits, y against x.*In the meridional plane/s,
    );
  });

  it("are those of an undisturbed one after a kill, with neither gaps nor repetitions", async () => {
    expect(killed.length).toBeGreaterThan(4);
    for (const folder of [killed[1], killed[4]]) {
      expect((await dataOf(folder, "Time")).values.at(-1)).toBeNaN();
      expect(await runOnCpu({ resume: folder })).toBe(0);
      expect(await contentsOfRun(folder)).toEqual(once.contents);
    }
    const gone = join(work, "gone");
    cpSync(killed[3], gone, { recursive: true });
    rmSync(join(gone, "orbits.hdf5"));
    await expect(runOnCpu({ resume: gone })).rejects.toThrow(/orbits\.hdf5 is missing/);
  });

  it("of one that is stopped are what there is so far, and go on, beyond the end too", async () => {
    const folder = join(work, "stopped");
    const stopAt = ({ event, ...more }: RunEvent, stop: () => void) => {
      if (event === "progress" && "step" in more && more.step >= 9) stop();
    };
    expect(await runOnCpu({ scenario: deck, out: folder }, stopAt)).toBe(130);
    const so = await dataOf(folder, "Time");
    expect(so.values.every(Number.isFinite)).toBe(true);
    expect(so.values.length).toBeLessThan(17);
    expect(await runOnCpu({ resume: folder, overrides: ["time.end=0.75"] })).toBe(0);
    expect((await dataOf(folder, "Time")).values).toEqual(Array.from({ length: 25 }, (_, i) => i / 32));
    const begun = await dataOf(folder, "Coordinates");
    expect(begun.values.slice(0, 17 * 36)).toEqual((await dataOf(whole, "Coordinates")).values);
  });

  it("with adaptive steps have the times that were taken, also after a kill", async () => {
    const folder = join(work, "adaptive");
    const copies: string[] = [];
    const overrides = ["time.step=adaptive", "time.maxStep=0.01", "orbits.every=1"];
    const code = await runOnCpu({ scenario: deck, overrides, out: folder }, ({ event }) => {
      if (event === "checkpoint") copies.push(asKilled(folder, join(work, `adaptive-${copies.length}`)));
    });
    expect(code).toBe(0);
    const { values } = await dataOf(folder, "Time");
    expect(values.length).toBeGreaterThan(50);
    expect([values[0], values.at(-1)]).toEqual([0, 0.5]);
    expect(values.every((time, i) => i === 0 || time > values[i - 1])).toBe(true);
    expect(await runOnCpu({ resume: copies[3] })).toBe(0);
    expect(await contentsOfRun(copies[3])).toEqual(await contentsOfRun(folder));
  });
});
