/** Snapshots of several files: what an independent reader finds in them, exact round trips, and sets that lack something. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as hdf5 from "h5wasm/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GravmeshError } from "../../src/foundation/base/errors.ts";
import { blocksOf, PARTICLE_FIELDS } from "../../src/physics/particles/blocks.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import type { AskRanks } from "../../src/physics/particles/rank-tasks.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { openSnapshot, readSnapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { writeSnapshotOfRanks } from "../../src/run/io/snapshot-of-ranks.node.ts";
import { idsOfFiles, partNames, partOfName } from "../../src/run/io/snapshot-rows.ts";
import { requireSharedFolder } from "../../src/run/shared-folder.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";
import { fixtureParticles, fixtureScenario } from "../support/scenario-fixture.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-set-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);

/** Writes the fixture's 12 particles, 8 of the halo's type and 4 of the disk, to files of 5 at most. */
async function writeSet(particlesPerFile = 5, time = 0.5) {
  const scenario = fixtureScenario();
  scenario.output.particlesPerFile = particlesPerFile;
  await writeSnapshot(at("snapshot_003.hdf5"), fixtureParticles(), { scenario, time });
}

describe("names of the parts", () => {
  it("have GADGET's numbers before the ending", () => {
    expect(partNames("out/snapshot_003.hdf5", 2)).toEqual(["out/snapshot_003.0.hdf5", "out/snapshot_003.1.hdf5"]);
    expect(partNames("v1.2/snap", 2)).toEqual(["v1.2/snap.0", "v1.2/snap.1"]);
    expect(partNames("snapshot_003.hdf5", 1)).toEqual(["snapshot_003.hdf5"]);
    expect(partOfName("a/snap_1.11.hdf5")).toEqual({ part: 11, whole: "a/snap_1.hdf5" });
    expect(partOfName("a.3/snap_1.hdf5")).toBeUndefined();
  });

  it("are as few as the most particles of a file allow, alike in size", () => {
    expect(idsOfFiles(12, 12)).toEqual([{ first: 0, count: 12 }]);
    expect(idsOfFiles(12, 5).map(({ count }) => count)).toEqual([4, 4, 4]);
    expect(idsOfFiles(10, 4).map(({ count }) => count)).toEqual([3, 3, 4]);
  });
});

describe("a snapshot of several files", () => {
  it("whose files were exchanged is refused, with ids and without", async () => {
    const scenario = fixtureScenario();
    scenario.output.particlesPerFile = 5;
    for (const fields of [PARTICLE_FIELDS.slice(0, 4), ["positions", "velocities", "masses"] as const]) {
      await writeSnapshot(at("set.hdf5"), fixtureParticles(), { scenario, time: 0.5, fields });
      expect((await readSnapshot(at("set.hdf5"))).count).toBe(12);
      renameSync(at("set.0.hdf5"), at("other"));
      renameSync(at("set.2.hdf5"), at("set.0.hdf5"));
      renameSync(at("other"), at("set.2.hdf5"));
      await expect(readSnapshot(at("set.hdf5"))).rejects.toMatchObject({
        kind: "input",
        message: expect.stringMatching(
          /set\.0\.hdf5: it was written as part 2 of its snapshot, and its name says part 0/,
        ),
      });
    }
  });

  it("is what GADGET's readers expect: each file counts its own particles and those of all", async () => {
    await writeSet();
    expect(readdirSync(dir).sort()).toEqual([0, 1, 2].map((part) => `snapshot_003.${part}.hdf5`));
    const parts = [0, 1, 2].map((part) => describeHdf5(at(`snapshot_003.${part}.hdf5`)));
    const of = (name: string) => parts.map(({ Header }) => Header.attributes[name]);
    const numbers = [
      [0, 4, 0, 0, 0, 0],
      [0, 1, 3, 0, 0, 0],
      [0, 3, 1, 0, 0, 0],
    ];
    expect(of("NumPart_ThisFile").map(({ value }) => value)).toEqual(numbers);
    for (const { dtype, value } of of("NumPart_Total")) expect([dtype, value]).toEqual(["<u8", [0, 8, 4, 0, 0, 0]]);
    for (const { dtype, value } of of("NumPart_Total_HighWord"))
      expect([dtype, value]).toEqual(["<u4", Array(6).fill(0)]);
    for (const { dtype, value } of of("NumFilesPerSnapshot")) expect([dtype, value]).toEqual(["<i4", 3]);
    for (const { value } of of("MassTable")) expect(value).toEqual([0, 0, 0.025, 0, 0, 0]);
    expect(parts.map((part) => Object.keys(part).filter((name) => /^PartType\d$/.test(name)))).toEqual([
      ["PartType1"],
      ["PartType1", "PartType2"],
      ["PartType1", "PartType2"],
    ]);
    expect(parts.map((part) => part["PartType1/ParticleIDs"].first)).toEqual([[0, 1, 2], [4], [9, 10, 11]]);
    expect(parts.map((part) => part["PartType1/Masses"].shape)).toEqual([[4], [1], [3]]);
  });

  it("is read by any of its names, in blocks of any size, to the bits of one file", async () => {
    await writeSet(12);
    const whole = await readSnapshot(at("snapshot_003.hdf5"));
    rmSync(at("snapshot_003.hdf5"));
    await writeSet();
    for (const name of ["snapshot_003.hdf5", "snapshot_003.0.hdf5", "snapshot_003.2.hdf5"]) {
      expect(await readSnapshot(at(name))).toEqual(whole);
    }
    expect(Array.from(whole.positions)).toEqual(Array.from(fixtureParticles().positions));
    const source = await openSnapshot(at("snapshot_003.hdf5"), { block: 5 });
    const firsts: number[] = [];
    for await (const { first, count, positions, velocities } of source.blocks()) {
      firsts.push(first);
      expect(positions).toEqual(whole.positions.slice(3 * first, 3 * (first + count)));
      expect(velocities).toEqual(whole.velocities.slice(3 * first, 3 * (first + count)));
    }
    expect(firsts).toEqual([0, 5, 10]);
    expect(source.masses.toArray()).toEqual(whole.masses);
    for await (const { first } of source.blocks()) if (first === 5) break; // and once more, as far as wanted
  });

  it("spans chunks and blocks that don't fit each other", async () => {
    const count = 150_001;
    const particles: ParticleSet = {
      count,
      positions: Float64Array.from({ length: 3 * count }, (_, k) => k / 1e5),
      velocities: Float32Array.from({ length: 3 * count }, (_, k) => -k),
      masses: Float64Array.from({ length: count }, (_, i) => (i < 70_000 ? 2 : 1 + i)),
      components: [
        { name: "a", species: "stars", first: 0, count: 70_000 },
        { name: "b", species: "halo", first: 70_000, count: 5 },
        { name: "c", species: "stars", first: 70_005, count: 79_996 },
      ],
    };
    const scenario = fixtureScenario();
    scenario.output.particlesPerFile = 80_000;
    await writeSnapshot(at("s.hdf5"), particles, { scenario, time: 0 });
    expect(describeHdf5(at("s.0.hdf5"))["PartType4/Coordinates"].chunks).toEqual([37_498, 3]);
    const { boxSize, storedSize, notes, time, comoving, cosmology, ...found } = await readSnapshot(at("s.hdf5"));
    expect(found).toEqual(particles);
  });

  it.each([
    [
      "a missing part",
      () => rmSync(at("snapshot_003.1.hdf5")),
      /snapshot_003\.0\.hdf5: this is one of 3 files .*snapshot_003\.1\.hdf5 is missing/,
    ],
    [
      "a short part",
      () => writeFileSync(at("snapshot_003.2.hdf5"), readFileSync(at("snapshot_003.2.hdf5")).subarray(0, 9000)),
      /snapshot_003\.2\.hdf5: the file is truncated: it has 9000 of \d+ bytes/,
    ],
    [
      "a part twice",
      () => copyFileSync(at("snapshot_003.1.hdf5"), at("snapshot_003.2.hdf5")),
      /snapshot_003\.2\.hdf5: it was written as part 1 of its snapshot, and its name says part 2/,
    ],
    [
      "names without numbers",
      () => renameSync(at("snapshot_003.0.hdf5"), at("snapshot_003.hdf5")),
      /snapshot_003\.hdf5: this is one of 3 files of a snapshot, but its name has no number from 0 to 2/,
    ],
  ])("with %s is refused", async (_, change, message) => {
    await writeSet();
    change();
    await expect(readSnapshot(at("snapshot_003.hdf5"))).rejects.toMatchObject({
      kind: "input",
      message: expect.stringMatching(message),
    });
  });

  it("with a part of another time is refused", async () => {
    await writeSet(5, 0.75);
    renameSync(at("snapshot_003.1.hdf5"), at("other.hdf5"));
    await writeSet();
    renameSync(at("other.hdf5"), at("snapshot_003.1.hdf5"));
    await expect(readSnapshot(at("snapshot_003.0.hdf5"))).rejects.toThrow(
      /snapshot_003\.1\.hdf5: Header\/Time is 0\.75, in .*snapshot_003\.0\.hdf5 0\.5\. They are of different snapshots/,
    );
  });

  it("of another code, in 32 bits and in no order, is read too", async () => {
    await hdf5.ready;
    const write = (part: number, ids: bigint[]) => {
      const open = new hdf5.File(at(`snap_007.${part}.hdf5`), "w");
      const header = open.create_group("Header");
      header.create_attribute("NumPart_ThisFile", Int32Array.of(0, ids.length, 0, 0, 0, 0), [6], "<i");
      header.create_attribute("NumPart_Total", Uint32Array.of(0, 5, 0, 0, 0, 0), [6], "<I");
      header.create_attribute("NumPart_Total_HighWord", Uint32Array.of(0, 0, 0, 0, 0, 0), [6], "<I");
      header.create_attribute("MassTable", Float64Array.of(0, 0.5, 0, 0, 0, 0), [6], "<d");
      header.create_attribute("Time", Float64Array.of(0.25), [], "<d");
      header.create_attribute("NumFilesPerSnapshot", Int32Array.of(3), [], "<i");
      if (ids.length > 0) {
        const group = open.create_group("PartType1");
        const data = Float32Array.from({ length: 3 * ids.length }, (_, k) => Number(ids[Math.floor(k / 3)]));
        const shape = [ids.length, 3];
        for (const name of ["Coordinates", "Velocities"]) group.create_dataset({ name, data, shape });
        group.create_dataset({ name: "ParticleIDs", data: BigUint64Array.from(ids), shape: [ids.length] });
      }
      open.close();
    };
    write(0, [50n, 10n]);
    write(1, []);
    write(2, [20n, 40n, 30n]);
    const found = await readSnapshot(at("snap_007.hdf5"));
    expect(Array.from(found.positions.filter((_, k) => k % 3 === 0))).toEqual([10, 20, 30, 40, 50]);
    expect(Array.from(found.velocities.filter((_, k) => k % 3 === 2))).toEqual([10, 20, 30, 40, 50]);
    expect(found.components).toEqual([{ name: "halo", species: "halo", first: 0, count: 5 }]);
  });
});

describe("the fields of a snapshot", () => {
  const write = (fields: readonly (typeof PARTICLE_FIELDS)[number][]) => {
    const particles = { ...fixtureParticles(), accelerations: Float32Array.from({ length: 36 }, (_, k) => k / 8) };
    return writeSnapshot(at("s.hdf5"), particles, { scenario: fixtureScenario(), time: 0, fields });
  };

  it("are those that were asked for, accelerations with GADGET's name and units", async () => {
    await write(PARTICLE_FIELDS);
    const nodes = describeHdf5(at("s.hdf5"));
    const acceleration = nodes["PartType2/Acceleration"];
    expect([acceleration.dtype, acceleration.shape]).toEqual(["<f4", [4, 3]]);
    expect(acceleration.first).toEqual(Array.from({ length: 9 }, (_, k) => (15 + k) / 8));
    const { length_scaling, velocity_scaling, to_cgs } = acceleration.attributes;
    expect([length_scaling.value, velocity_scaling.value]).toEqual([-1, 2]);
    const { UnitVelocity_in_cm_per_s: v, UnitLength_in_cm: l } = nodes.Parameters.attributes;
    expect(to_cgs.value).toBeCloseTo((v.value as number) ** 2 / (l.value as number), 20);
    await write(["positions"]);
    expect(Object.keys(describeHdf5(at("s.hdf5"))).filter((name) => name.startsWith("PartType2/"))).toEqual([
      "PartType2/Coordinates",
    ]);
  });

  it("that a run can't start without are named when it is to start from them", async () => {
    await write(["positions", "ids", "masses"]);
    await expect(readSnapshot(at("s.hdf5"))).rejects.toThrow(/s\.hdf5: dataset PartType1\/Velocities is missing/);
    await write(["positions", "velocities", "ids"]);
    await expect(readSnapshot(at("s.hdf5"))).rejects.toThrow(/s\.hdf5: dataset PartType1\/Masses is missing/);
  });

  it("may lack the ids: rows are in their order", async () => {
    await write(["positions", "velocities", "masses"]);
    const { positions, components } = await readSnapshot(at("s.hdf5"));
    expect([positions, components]).toEqual([fixtureParticles().positions, fixtureParticles().components]);
  });
});

/** Ranks with these shares of the fixture's particles, one after the other. */
const ranksOf =
  (shares: readonly { first: number; count: number }[]): AskRanks =>
  async (task, about) => {
    const { components, masses, ...all } = fixtureParticles();
    const outcomes = [];
    for (const [rank, share] of shares.entries()) {
      const blocks = (async function* () {
        for (const block of blocksOf({ ...all, masses }, { block: 2 }))
          if (block.first >= share.first && block.first < share.first + share.count) yield block;
      })();
      const own = { rank, components, masses: ParticleMasses.of(masses, components), blocks };
      const host = `host-${rank}`;
      try {
        outcomes.push({ rank, host, found: await task.run(JSON.parse(JSON.stringify(about)), own) });
      } catch (error) {
        const { kind, message } = error as GravmeshError;
        outcomes.push({ rank, host, fault: { kind, message } });
      }
    }
    return outcomes;
  };

describe("a snapshot that ranks write together", () => {
  const shares = [
    { first: 0, count: 6 },
    { first: 6, count: 6 },
  ];
  const write = async (ask: AskRanks, particlesPerFile: number) => {
    const { components, masses, count } = fixtureParticles();
    const scenario = fixtureScenario();
    scenario.output.particlesPerFile = particlesPerFile;
    const content = { count, components, masses: ParticleMasses.of(masses, components), bits: 32 as const };
    const fields = ["positions", "velocities", "ids", "masses"] as const;
    return writeSnapshotOfRanks(ask, shares, at("snapshot_003.hdf5"), {
      content,
      info: { scenario, time: 0.5, fields },
    });
  };

  it("has a file a rank, or more where one would hold too many, and the bits of one file", async () => {
    await writeSet(12);
    const whole = await readSnapshot(at("snapshot_003.hdf5"));
    rmSync(at("snapshot_003.hdf5"));
    for (const [most, files] of [
      [12, 2],
      [4, 4],
    ]) {
      const names = await write(ranksOf(shares), most);
      expect(names).toEqual(partNames(at("snapshot_003.hdf5"), files));
      expect(readdirSync(dir)).toHaveLength(files);
      expect(await readSnapshot(at("snapshot_003.hdf5"))).toEqual(whole);
      for (const name of names) rmSync(name);
    }
  });

  it("leaves the older files and nothing else where one rank fails, and says which", async () => {
    await write(ranksOf(shares), 12);
    const inTheWay = at("snapshot_003.1.hdf5");
    rmSync(inTheWay);
    const before = readdirSync(dir).map((name) => readFileSync(at(name)));
    mkdirSync(inTheWay);
    await expect(write(ranksOf(shares), 12)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/^rank 1 on host-1: .*snapshot_003\.1\.hdf5 is a folder, not a regular file/),
    });
    rmdirSync(inTheWay);
    expect(readdirSync(dir).map((name) => readFileSync(at(name)))).toEqual(before);
  });

  it("is written to a folder that all ranks see", async () => {
    await expect(requireSharedFolder(ranksOf(shares), dir)).resolves.toBeUndefined();
    expect(readdirSync(dir)).toEqual([]);
    const elsewhere: AskRanks = (task, about) => {
      const { folder, ...rest } = about as { folder: string };
      return ranksOf(shares)(task, { ...rest, folder: join(folder, "of-another-machine") } as typeof about);
    };
    await expect(requireSharedFolder(elsewhere, dir)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/rank 0 on host-0: there is no folder .*filePerRank=false/),
    });
  });
});
