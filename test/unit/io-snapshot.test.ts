/** Snapshots: every name, type and shape as an independent reader sees them, exact round trips, errors that name the fault. */
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as hdf5 from "h5wasm/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { readSnapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";
import { fixtureParticles, fixtureScenario } from "../support/scenario-fixture.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-io-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true, force: true });
});

describe("a snapshot as h5py reads it", () => {
  it("has every group, dataset and attribute of the format, with its type and shape", async () => {
    const particles = fixtureParticles();
    const file = join(dir, "snapshot_000.hdf5");
    await writeSnapshot(file, particles, { scenario: fixtureScenario(), time: 0.5, version: "1.2.3" });
    const nodes = describeHdf5(file);

    expect(Object.keys(nodes).sort()).toEqual([
      "Config",
      "Header",
      "Parameters",
      "PartType1",
      "PartType1/Coordinates",
      "PartType1/Masses",
      "PartType1/ParticleIDs",
      "PartType1/Potential",
      "PartType1/Velocities",
      "PartType2",
      "PartType2/Coordinates",
      "PartType2/ParticleIDs",
      "PartType2/Potential",
      "PartType2/Velocities",
    ]);

    const seen = (dtype: string, shape: number[], value: unknown) => ({ dtype, shape, variable_length: false, value });
    expect(nodes.Header.attributes).toEqual({
      NumPart_ThisFile: seen("<u8", [6], [0, 8, 4, 0, 0, 0]),
      NumPart_Total: seen("<u8", [6], [0, 8, 4, 0, 0, 0]),
      MassTable: seen("<f8", [6], [0, 0, 0.025, 0, 0, 0]),
      Time: seen("<f8", [], 0.5),
      Redshift: seen("<f8", [], 0),
      BoxSize: seen("<f8", [], 0),
      NumFilesPerSnapshot: seen("<i4", [], 1),
      NumPart_Total_HighWord: seen("<u4", [6], [0, 0, 0, 0, 0, 0]),
      ...{ Omega0: seen("<f8", [], 0), OmegaLambda: seen("<f8", [], 0), HubbleParam: seen("<f8", [], 1) },
      ...Object.fromEntries(
        ["Sfr", "Cooling", "StellarAge", "Metals", "Feedback"].map((name) => [`Flag_${name}`, seen("<i4", [], 0)]),
      ),
      Flag_DoublePrecision: seen("<i4", [], 1),
    });
    expect(nodes.Config.attributes).toEqual({});

    const units = unitSystem("nbody").snapshot;
    const expected: Record<string, unknown> = {
      Omega0: 0,
      OmegaLambda: 0,
      OmegaBaryon: 0,
      HubbleParam: 1,
      Hubble: 0,
      BoxSize: 0,
      UnitLength_in_cm: units.UnitLength_in_cm,
      UnitMass_in_g: units.UnitMass_in_g,
      UnitVelocity_in_cm_per_s: units.UnitVelocity_in_cm_per_s,
      "box.size": 16,
      "mesh.cells": 64,
      "time.step": 0.01,
      "particles.0.cutoff": 7.5,
      "particles.0.anisotropyRadius": "Infinity",
      "particles.0.rigid": 0,
      "particles.1.toomreQ": 1.2,
      "components.number": 3,
      "components.2.first": 9,
      "components.2.count": 3,
    };
    const parameters = nodes.Parameters.attributes;
    expect(parameters.ComovingIntegrationOn).toEqual(seen("<i4", [], 0));
    for (const [name, value] of Object.entries(expected))
      expect(parameters[name], name).toEqual(seen("<f8", [], value));
    expect(parameters["particles.1.offset"]).toEqual(seen("<f8", [3], [0, 0, 0]));
    const texts = {
      title: "Disk in a halo, Hénon units",
      "box.boundary": "isolated",
      "units.system": "nbody",
      "particles.1.kind": "exponential-disk",
      "components.1.name": "thin disk",
      "components.1.species": "disk",
      "gravmesh.version": "1.2.3",
    };
    for (const [name, value] of Object.entries(texts)) {
      expect(parameters[name].value, name).toBe(value);
      expect(parameters[name].variable_length, name).toBe(false);
      expect(parameters[name].dtype, name).toBe(`|S${Buffer.byteLength(value)}`);
    }

    const dataset = (name: string, dtype: string, shape: number[], exponents: number[] | undefined, cgs = 1) => {
      const node = nodes[name];
      expect([node.dtype, node.shape, node.maxshape, node.compression], name).toEqual([dtype, shape, shape, null]);
      expect([node.chunks, node.fletcher32], name).toEqual([shape, true]);
      const digest = expect.objectContaining({ dtype: "|S64", value: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const names = ["a_scaling", "h_scaling", "length_scaling", "mass_scaling", "velocity_scaling"];
      const wanted = exponents && {
        ...Object.fromEntries(names.map((key, i) => [key, seen("<f8", [], exponents[i])])),
        to_cgs: seen("<f8", [], cgs),
      };
      expect(node.attributes, name).toEqual({ ...wanted, sha256: digest });
    };
    for (const [type, n] of [
      ["PartType1", 8],
      ["PartType2", 4],
    ] as const) {
      dataset(`${type}/Coordinates`, "<f8", [n, 3], [0, 0, 1, 0, 0], units.UnitLength_in_cm);
      dataset(`${type}/Velocities`, "<f4", [n, 3], [0, 0, 0, 0, 1], units.UnitVelocity_in_cm_per_s);
      dataset(`${type}/Potential`, "<f4", [n], [0, 0, 0, 0, 2], units.UnitVelocity_in_cm_per_s ** 2);
      dataset(`${type}/ParticleIDs`, "<u4", [n], undefined);
    }
    dataset("PartType1/Masses", "<f8", [8], [0, 0, 0, 1, 0], units.UnitMass_in_g);

    // Halo and companion share a type; the disk lies between them in id.
    expect(nodes["PartType1/ParticleIDs"].first).toEqual([0, 1, 2]);
    expect(nodes["PartType1/ParticleIDs"].last).toEqual([9, 10, 11]);
    expect(nodes["PartType1/Coordinates"].last).toEqual(Array.from(particles.positions.subarray(27, 36)));
    expect(nodes["PartType1/Masses"].last).toEqual([0.05, 0.1, 0.15]);
    expect(nodes["PartType2/Velocities"].first).toEqual(Array.from(particles.velocities.subarray(15, 24)));
    expect(nodes["PartType2/Potential"].last).toEqual(Array.from(particles.potential.subarray(6, 9)));
  });

  it("keeps periodic coordinates in [0, BoxSize) and writes kpc/h for a cosmological deck", async () => {
    const scenario = fixtureScenario();
    scenario.units.system = "cosmological";
    scenario.box = { size: 100, boundary: "periodic" };
    const particles = fixtureParticles(100);
    particles.positions.set([-0.25, 100, 130], 0);
    particles.positions[3] = -1e-30;
    const file = join(dir, "s.hdf5");
    await writeSnapshot(file, particles, { scenario, time: 2 });
    const nodes = describeHdf5(file);
    expect(nodes.Header.attributes.BoxSize.value).toBe(100_000);
    expect(nodes.Header.attributes.Time.value).toBe(2000);
    expect(nodes["PartType1/Coordinates"].first?.slice(0, 4)).toEqual([99_750, 0, 30_000, 0]);
    expect(nodes["PartType1/Coordinates"].attributes.to_cgs.value).toBeCloseTo(3.0857e21, -18);
  });

  it("compresses with gzip when asked, and spans slabs of several components", async () => {
    const scenario = fixtureScenario();
    scenario.output.compression = 4;
    const count = 150_001;
    const particles = {
      count,
      positions: Float64Array.from({ length: 3 * count }, (_, i) => (i % 1000) / 100),
      velocities: new Float32Array(3 * count).fill(0.5),
      masses: new Float64Array(count).fill(1 / count),
      components: [
        { name: "a", species: "stars" as const, first: 0, count: 70_000 },
        { name: "b", species: "halo" as const, first: 70_000, count: 10_000 },
        { name: "c", species: "stars" as const, first: 80_000, count: 70_001 },
      ],
    };
    const file = join(dir, "s.hdf5");
    await writeSnapshot(file, particles, { scenario, time: 0 });
    const nodes = describeHdf5(file);
    expect(nodes["PartType4/Coordinates"].compression).toBe("gzip");
    expect(nodes["PartType4/ParticleIDs"].shape).toEqual([140_001]);
    expect(nodes["PartType4/ParticleIDs"].last).toEqual([149_998, 149_999, 150_000]);
    expect(nodes["PartType4/ParticleIDs"].sum).toBe((count * (count - 1)) / 2 - (10_000 * (70_000 + 79_999)) / 2);
    expect(await readSnapshot(file)).toEqual({
      ...{ ...particles, boxSize: 16, time: 0 },
      ...{ comoving: false, cosmology: { h: 1 }, storedSize: 0, notes: [] },
    });
  });
});

describe("galaxies", () => {
  it("are numbers of each particle, with their names, and come back with the components", async () => {
    const particles = fixtureParticles();
    const [halo, disk, companion] = particles.components;
    const components = [{ ...halo, galaxy: "first" }, disk, { ...companion, galaxy: "the second" }];
    const file = join(dir, "s.hdf5");
    await writeSnapshot(file, { ...particles, components }, { scenario: fixtureScenario(), time: 0 });
    const { Parameters, "PartType1/GalaxyIDs": ids, "PartType2/GalaxyIDs": none } = describeHdf5(file);
    expect(ids).toMatchObject({ dtype: "<u2", shape: [8], first: [1, 1, 1], last: [2, 2, 2], sum: 5 + 3 * 2 });
    expect(none).toMatchObject({ shape: [4], sum: 0 });
    const value = (name: string) => (Parameters.attributes as Record<string, { value: unknown }>)[name]?.value;
    expect(value("galaxies.number")).toBe(2);
    expect([value("galaxies.1.name"), value("galaxies.2.name")]).toEqual(["first", "the second"]);
    expect([value("components.0.galaxy"), value("components.1.galaxy")]).toEqual(["first", undefined]);
    expect((await readSnapshot(file)).components).toEqual(components);
  });
});

describe("reading back", () => {
  it.each(["nbody", "galactic", "cosmological"] as const)("gives the same particles in %s units", async (system) => {
    const scenario = fixtureScenario();
    scenario.units.system = system;
    const { potential: _, ...particles } = fixtureParticles();
    particles.positions[0] = -40.123456789; // left the mesh
    const file = join(dir, "s.hdf5");
    await writeSnapshot(file, particles, { scenario, time: 0.1 });
    const found = await readSnapshot(file, { units: system });
    expect(found.components).toEqual(particles.components);
    expect(found.velocities).toEqual(particles.velocities);
    expect(found.masses).toEqual(particles.masses);
    expect(found.boxSize).toBe(16);
    expect(found.time).toBeCloseTo(0.1, 14);
    if (system === "cosmological") {
      for (let i = 0; i < 36; i++) expect(found.positions[i]).toBeCloseTo(particles.positions[i], 12);
    } else expect(found.positions).toEqual(particles.positions);
  });

  it("converts between physical systems and refuses to mix them with n-body units", async () => {
    const scenario = fixtureScenario();
    const file = join(dir, "s.hdf5");
    await writeSnapshot(file, fixtureParticles(), { scenario, time: 0 });
    await expect(readSnapshot(file, { units: "galactic" })).rejects.toThrow(
      /in nbody units.*cannot be read as galactic/,
    );
    scenario.units.system = "galactic";
    await writeSnapshot(file, fixtureParticles(), { scenario, time: 0 });
    const found = await readSnapshot(file, { units: "cosmological" });
    expect(found.boxSize).toBeCloseTo(0.016, 15);
    expect(found.positions[0] * 1000).toBeCloseTo(fixtureParticles().positions[0], 12);
  });
});

/** A file as another code might write it: two types, float32, u64 ids in no order, MassTable for one type. */
function foreignFile(file: string, change: (open: hdf5.File) => void = () => {}): void {
  const open = new hdf5.File(file, "w");
  const header = open.create_group("Header");
  header.create_attribute("NumPart_ThisFile", Int32Array.of(0, 3, 0, 0, 2, 0), [6], "<i");
  header.create_attribute("MassTable", Float64Array.of(0, 0.5, 0, 0, 0, 0), [6], "<d");
  header.create_attribute("Time", Float64Array.of(0.25), [], "<d");
  header.create_attribute("BoxSize", Float64Array.of(10), [], "<d");
  header.create_attribute("NumFilesPerSnapshot", Int32Array.of(1), [], "<i");
  const halo = open.create_group("PartType1");
  halo.create_dataset({ name: "Coordinates", data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), shape: [3, 3] });
  halo.create_dataset({ name: "Velocities", data: Float32Array.of(0, 0, 3, 0, 0, 1, 0, 0, 2), shape: [3, 3] });
  halo.create_dataset({ name: "ParticleIDs", data: BigUint64Array.of(30n, 10n, 20n), shape: [3] });
  const stars = open.create_group("PartType4");
  stars.create_dataset({ name: "Coordinates", data: Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), shape: [2, 3] });
  stars.create_dataset({ name: "Velocities", data: Float64Array.of(1, 1, 1, 2, 2, 2), shape: [2, 3] });
  stars.create_dataset({ name: "ParticleIDs", data: Uint32Array.of(5, 4), shape: [2] });
  stars.create_dataset({ name: "Masses", data: Float32Array.of(0.125, 0.25), shape: [2] });
  change(open);
  open.close();
}

describe("files of other codes", () => {
  it("are read type by type in id order, whatever the precision", async () => {
    const file = join(dir, "other.hdf5");
    await hdf5.ready;
    foreignFile(file);
    const found = await readSnapshot(file);
    expect(found.count).toBe(5);
    expect(found.components).toEqual([
      { name: "halo", species: "halo", first: 0, count: 3 },
      { name: "stars", species: "stars", first: 3, count: 2 },
    ]);
    expect(Array.from(found.positions)).toEqual([4, 5, 6, 7, 8, 9, 1, 2, 3, 0.4, 0.5, 0.6, 0.1, 0.2, 0.3]);
    expect([2, 5, 8].map((i) => found.velocities[i])).toEqual([1, 2, 3]);
    expect(Array.from(found.masses)).toEqual([0.5, 0.5, 0.5, 0.25, 0.125]);
    expect([found.boxSize, found.time]).toEqual([10, 0.25]);
  });

  it("are converted from their own unit attributes, and comoving velocities to peculiar ones", async () => {
    const file = join(dir, "other.hdf5");
    await hdf5.ready;
    foreignFile(file, (open) => {
      const parameters = open.create_group("Parameters");
      parameters.create_attribute("UnitLength_in_cm", Float64Array.of(3.085678e24), [], "<d");
      parameters.create_attribute("UnitMass_in_g", Float64Array.of(1.989e43), [], "<d");
      parameters.create_attribute("UnitVelocity_in_cm_per_s", Float64Array.of(1e5), [], "<d");
      parameters.create_attribute("ComovingIntegrationOn", Int32Array.of(1), [], "<i");
    });
    const found = await readSnapshot(file, { units: "cosmological" });
    expect(found.positions[0]).toBeCloseTo(4, 4);
    expect(found.masses[0]).toBe(0.5);
    expect(found.velocities[2]).toBe(0.5);
    expect(found.time).toBe(0.25);
    expect((await readSnapshot(file, { units: "galactic" })).positions[0] / 4000).toBeCloseTo(1, 5);
  });

  const faults: [string, (open: hdf5.File) => void, RegExp][] = [
    [
      "several files",
      (o) => {
        (o.get("Header") as hdf5.Group).delete_attribute("NumFilesPerSnapshot");
        (o.get("Header") as hdf5.Group).create_attribute("NumFilesPerSnapshot", Int32Array.of(8), [], "<i");
      },
      /one of 8 files of a snapshot, but its name has no number from 0 to 7/,
    ],
    ["no Time", (o) => (o.get("Header") as hdf5.Group).delete_attribute("Time"), /Header\/Time is missing/],
    [
      "no counts",
      (o) => (o.get("Header") as hdf5.Group).delete_attribute("NumPart_ThisFile"),
      /Header\/NumPart_ThisFile is missing/,
    ],
    [
      "no masses",
      (o) => {
        (o.get("Header") as hdf5.Group).delete_attribute("MassTable");
      },
      /dataset PartType1\/Masses is missing.*MassTable is 0/,
    ],
  ];
  it.each(faults)("are refused: %s", async (_, change, message) => {
    const file = join(dir, "other.hdf5");
    await hdf5.ready;
    foreignFile(file, change);
    await expect(readSnapshot(file)).rejects.toMatchObject({ kind: "input", message: expect.stringMatching(message) });
    await expect(readSnapshot(file)).rejects.toThrow(file);
  });

  it("are refused when lengths disagree, a dataset or group is missing or a value is not finite", async () => {
    await hdf5.ready;
    const file = join(dir, "other.hdf5");
    const withGroup = (build: (open: hdf5.File) => void) => {
      const open = new hdf5.File(file, "w");
      const header = open.create_group("Header");
      header.create_attribute("NumPart_ThisFile", Int32Array.of(0, 2, 0, 0, 0, 0), [6], "<i");
      header.create_attribute("Time", Float64Array.of(0), [], "<d");
      build(open);
      open.close();
      return expect(readSnapshot(file)).rejects;
    };
    await withGroup(() => {}).toThrow(/group PartType1 is missing/);
    await withGroup((o) => o.create_group("PartType1")).toThrow(/PartType1\/Coordinates is missing/);
    const coordinates = (o: hdf5.File, data: Float32Array) =>
      o.create_group("PartType1").create_dataset({ name: "Coordinates", data, shape: [data.length / 3, 3] });
    await withGroup((o) => coordinates(o, new Float32Array(9))).toThrow(
      /PartType1\/Coordinates has shape \[3, 3\].*asks for \[2, 3\]/,
    );
    await withGroup((o) => coordinates(o, new Float32Array(6))).toThrow(/PartType1\/Velocities is missing/);
    await withGroup((o) => {
      const group = coordinates(o, Float32Array.of(0, 0, 0, 0, Number.NaN, 0)).parent;
      group.create_dataset({ name: "Velocities", data: new Float32Array(6), shape: [2, 3] });
      group.create_dataset({ name: "Masses", data: new Float32Array(2), shape: [2] });
    }).toThrow(/PartType1\/Coordinates row 1 holds NaN/);
  });

  it("are refused when they are missing, no HDF5, empty or truncated", async () => {
    const file = join(dir, "other.hdf5");
    const refused = (message: RegExp) =>
      expect(readSnapshot(file)).rejects.toMatchObject({ kind: "input", message: expect.stringMatching(message) });
    await refused(/no such file/);
    writeFileSync(file, "");
    await refused(/empty/);
    writeFileSync(file, "title = 'not a snapshot'");
    await refused(/not an HDF5 file/);
    await hdf5.ready;
    new hdf5.File(file, "w").close();
    await refused(/\/Header is missing/);
    foreignFile(file);
    const whole = readFileSync(file);
    for (const part of [0.05, 0.5, 0.99]) {
      writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
      await refused(/truncated: it has \d+ of \d+ bytes/);
    }
    await expect(readSnapshot(dir)).rejects.toThrow(/folder/);
  });
});

describe("a full disk", () => {
  it("is found before writing, with the bytes that are needed", async () => {
    const file = join(dir, "snapshot_001.hdf5");
    writeFileSync(file, "older file");
    vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail: 2, bsize: 4096 } as unknown as fs.StatsFs & fs.BigIntStatsFs);
    syncBuiltinESMExports();
    await expect(
      writeSnapshot(file, fixtureParticles(), { scenario: fixtureScenario(), time: 0 }),
    ).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(
        /No space left for .*snapshot_001\.hdf5.*needs \d.*the disk has 8\.0 KiB free.*--out/,
      ),
    });
    expect(readFileSync(file, "utf8")).toBe("older file");
    expect(readdirSync(dir)).toEqual(["snapshot_001.hdf5"]);
  });

  it("that fills up in the middle of a write leaves the older file and no temporary one", async () => {
    const file = join(dir, "snapshot_001.hdf5");
    writeFileSync(file, "older file");
    const count = 100_000;
    const particles = {
      count,
      positions: new Float64Array(3 * count),
      velocities: new Float32Array(3 * count),
      masses: new Float64Array(count).fill(1),
      components: [{ name: "a", species: "stars" as const, first: 0, count }],
    };
    const write = fs.writeSync;
    let written = 0;
    vi.spyOn(fs, "writeSync").mockImplementation(((...args: Parameters<typeof fs.writeSync>) => {
      const bytes = Number(args[3]);
      written += bytes;
      // Small writes pass: HDF5 puts its error message together in a temporary file of its own.
      if (written > 1_500_000 && bytes > 50_000) {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
          code: "ENOSPC",
          errno: -28,
          syscall: "write",
        });
      }
      return write(...args);
    }) as typeof fs.writeSync);
    await expect(writeSnapshot(file, particles, { scenario: fixtureScenario(), time: 0 })).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/No space left for .*snapshot_001\.hdf5.*needs 3\.9 MiB \(\d+ bytes\)/),
    });
    expect(written).toBeGreaterThan(1_500_000);
    vi.restoreAllMocks();
    expect(readFileSync(file, "utf8")).toBe("older file");
    expect(readdirSync(dir)).toEqual(["snapshot_001.hdf5"]);
    await writeSnapshot(file, particles, { scenario: fixtureScenario(), time: 0 });
    expect((await readSnapshot(file)).count).toBe(count);
  });

  it("is told apart from a missing folder", async () => {
    const file = join(dir, "nowhere", "snapshot_000.hdf5");
    await expect(
      writeSnapshot(file, fixtureParticles(), { scenario: fixtureScenario(), time: 0 }),
    ).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/Cannot write .*nowhere.*no such file or folder/),
    });
  });
});
