/** What headers of particle files say, leave out and contradict: after public reports, on files that are written here. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as hdf5 from "h5wasm/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { convert } from "../../src/run/io/convert.node.ts";
import { frameOf } from "../../src/run/io/file-frame.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { fileLoaders } from "../../src/run/scenario-source.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { physicsNotes, scenarioNotes } from "../../src/scenario/remarks.ts";

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-headers-"));
  await hdf5.ready;
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string) => join(dir, name);

describe("a header says of its box", () => {
  const matter = { Omega0: 0.3, OmegaLambda: 0.7, HubbleParam: 0.7 };
  /** What it has, its time, what is said of it, whether it expands, its scale factor, and a note. */
  it.each([
    // Nothing is set.
    [{}, undefined, {}, undefined, undefined, undefined],
    [{ Redshift: 0, Omega0: 0 }, 0, {}, undefined, undefined, undefined],
    [{ Redshift: 0 }, 0, { comoving: true, start: 0.02 }, true, 0.02, /neither time nor redshift: a = 0.02 is taken/],
    // Time and redshift, with a background or without.
    [{ Redshift: 49, Omega0: 0 }, 0.02, {}, true, 0.02, undefined],
    [{ Redshift: 49, ...matter }, 0.02, {}, true, 0.02, undefined],
    [{ Redshift: 49.01, ...matter }, 0.02, {}, true, 0.02, undefined],
    [{ Redshift: 49, ...matter }, 0, {}, true, 0.02, undefined],
    [{ Redshift: -0.5, ...matter }, 2, {}, true, 2, undefined],
    // Redshift isn't set, or the time is an age.
    [{ Redshift: 0, ...matter }, 0.02, {}, undefined, 0.02, undefined],
    [{ ...matter }, 0.02, { comoving: true }, true, 0.02, undefined],
    [{ Redshift: 0, ...matter }, 0.02, { comoving: true, start: 0.02 }, true, 0.02, undefined],
    [{ Redshift: 3, ...matter }, 2.1, {}, undefined, 0.25, /Time = 2.1 and Redshift = 3/],
    [{ Redshift: 3, ...matter }, 2.1, { comoving: true, start: 0.25 }, true, 0.25, /a = 0.25 is taken/],
    [{ Redshift: 0, ...matter }, 13.8, { comoving: true }, true, 1, /a = 1 is taken/],
    [{ Redshift: 0, ...matter }, 0.96, { comoving: true, start: 1 }, true, 1, /a = 1 is taken/],
    // Today, to the last digit and not.
    [{ Redshift: 0, ...matter, BoxSize: 75000 }, 1, {}, undefined, 1, undefined],
    [{ Redshift: 2 ** -52, ...matter, BoxSize: 75000 }, 1 - 2 ** -53, {}, undefined, 1 - 2 ** -53, undefined],
    // GADGET-4, AREPO and SWIFT, whose Cosmology group is put as these.
    [{ ComovingIntegrationOn: 1 }, 0.25, {}, true, 0.25, undefined],
    [{ ComovingIntegrationOn: 1, Redshift: 0 }, 0.25, {}, true, 0.25, undefined],
    [{ ComovingIntegrationOn: 0, Redshift: 0, ...matter }, 0.25, {}, false, 0.25, undefined],
    [{ ComovingIntegrationOn: 1, Redshift: 20 }, 0.02, {}, true, 1 / 21, /contradict|Time = 0.02 and Redshift = 20/],
    [
      { ComovingIntegrationOn: 1, Redshift: 20 },
      0.02,
      { comoving: true, start: 0.02 },
      true,
      0.02,
      /a = 0.02 is taken/,
    ],
    // The user's word counts.
    [
      { ComovingIntegrationOn: 0 },
      0.02,
      { comoving: true },
      true,
      0.02,
      /doesn't expand \(ComovingIntegrationOn = 0\)/,
    ],
    [{ Redshift: 1 }, 0.5, { comoving: false }, false, 0.5, /a box that expands \(Time = 0.5 and Redshift = 1\)/],
  ] as const)(
    "%j at %s, of which is said %j",
    (attributes, time, said, ...[comoving, a, note]: [unknown, unknown, RegExp | undefined]) => {
      const { notes, ...frame } = frameOf(attributes, time, said);
      expect(frame).toEqual({ comoving, a });
      expect(notes).toEqual(note ? [expect.stringMatching(note)] : []);
    },
  );
});

interface Header {
  time: number;
  z: number;
  box: number;
  cosmology: readonly number[];
  table: number;
}
const N = 4;
const SIDE = 50;
/** A lattice at a = 0.02, Ωm = 0.3 [Mpc/h, 1e10 Msun/h]. */
const MASS = (0.3 * 27.7536627 * SIDE ** 3) / N ** 3;
const START: Header = { time: 0.02, z: 49, box: SIDE * 1e3, cosmology: [0.3, 0.7, 0.7], table: MASS };
const GALAXY: Header = { time: 0, z: 0, box: 0, cosmology: [0, 0, 0], table: 0.01 };
const lattice = (factor: number, origin = 0) =>
  Float32Array.from({ length: 3 * N ** 3 }, (_, k) => {
    const i = Math.floor(k / 3);
    const cell = [i % N, Math.floor(i / N) % N, Math.floor(i / N ** 2)][k % 3];
    return factor * (((cell + 0.5) * SIDE) / N - origin);
  });

interface Body extends Partial<Header> {
  positions?: Float32Array;
  masses?: Float32Array;
}

/** GADGET's binary formats: N³ particles of PartType1. */
function gadget(name: string, { positions = lattice(1e3), masses, ...changes }: Body = {}): string {
  const { time, z, box, cosmology, table } = { ...START, ...changes };
  const count = positions.length / 3;
  const header = new DataView(new ArrayBuffer(256));
  for (const place of [4, 100]) header.setInt32(place, count, true);
  header.setInt32(124, 1, true);
  for (const [place, value] of [
    [32, table],
    [72, time],
    [80, z],
    [128, box],
  ])
    header.setFloat64(place, value, true);
  for (const [k, value] of cosmology.entries()) header.setFloat64(136 + 8 * k, value, true);
  const blocks: [string, ArrayBufferView][] = [
    ["HEAD", header],
    ["POS ", positions],
  ];
  blocks.push(
    ["VEL ", new Float32Array(3 * count).fill(2)],
    ["ID  ", Uint32Array.from({ length: count }, (_, i) => i)],
  );
  if (masses) blocks.push(["MASS", masses]);
  const record = (data: ArrayBufferView) => {
    const mark = Buffer.from(Int32Array.of(data.byteLength).buffer);
    return [mark, Buffer.from(data.buffer, data.byteOffset, data.byteLength), mark];
  };
  const named = (label: string) =>
    name.endsWith("2") ? record(Buffer.concat([Buffer.from(label), Buffer.alloc(4)])) : [];
  writeFileSync(at(name), Buffer.concat(blocks.flatMap(([label, data]) => [...named(label), ...record(data)])));
  return at(name);
}

type Groups = Record<string, Record<string, number>>;

/** GADGET's HDF5 likewise, with attributes of further groups. */
function gadgetHdf5(
  name: string,
  { positions = lattice(1e3), masses, ...changes }: Body = {},
  groups: Groups = {},
): string {
  const { time, z, box, cosmology, table } = { ...START, ...changes };
  const [Omega0, OmegaLambda, HubbleParam] = cosmology;
  const count = positions.length / 3;
  const file = new hdf5.File(at(name), "w");
  const number = (group: string, attributes: Record<string, number>) => {
    const open = (file.get(group) ?? file.create_group(group)) as hdf5.Group;
    for (const [key, value] of Object.entries(attributes)) open.create_attribute(key, Float64Array.of(value), [], "<d");
    return open;
  };
  const header = number("Header", { Time: time, Redshift: z, BoxSize: box, Omega0, OmegaLambda, HubbleParam });
  header.create_attribute("NumPart_ThisFile", Int32Array.of(0, count, 0, 0, 0, 0), [6], "<i");
  header.create_attribute("MassTable", Float64Array.of(0, table, 0, 0, 0, 0), [6], "<d");
  for (const [group, attributes] of Object.entries(groups)) number(group, attributes);
  const halo = file.create_group("PartType1");
  halo.create_dataset({ name: "Coordinates", data: positions, shape: [count, 3] });
  halo.create_dataset({ name: "Velocities", data: new Float32Array(3 * count).fill(2), shape: [count, 3] });
  halo.create_dataset({ name: "ParticleIDs", data: Uint32Array.from({ length: count }, (_, i) => i), shape: [count] });
  if (masses) halo.create_dataset({ name: "Masses", data: masses, shape: [count] });
  file.close();
  return at(name);
}

const COMOVING = `title = "t"
units.system = "cosmological"
box = { size = ${SIDE}, boundary = "periodic" }
mesh.cells = 16
cosmology = { omegaM = 0.3, h = 0.7 }
time = { clock = "comoving", start = 0.02, end = 0.04, step = 0.01 }
[[particles]]
kind = "snapshot"
`;
const ISOLATED = `title = "t"
units.system = "galactic"
box.size = 100
mesh.cells = 16
time = { end = 0.001, step = 0.0005 }
[[particles]]
kind = "snapshot"
`;

/** What a deck that names the file starts from, with its notes; or what it was refused for. */
async function started(deck: string, file: string, keys = "") {
  const scenario = parseScenario(`${deck}file = "${file}"\n${keys}`);
  const notes: string[] = [];
  const onNote = (note: string) => notes.push(note);
  const { G } = unitSystem(scenario.units.system);
  const made = await initialConditions(scenario, { G, ...fileLoaders(scenario), onNote }).catch(
    ({ message }) => message,
  );
  return typeof made === "string" ? made : { ...made.particles, notes };
}
const runs = expect.objectContaining({ count: N ** 3, notes: [] });
const told = (note: RegExp) => expect.objectContaining({ count: N ** 3, notes: [expect.stringMatching(note)] });
const refused = (message: RegExp) => expect.stringMatching(message);

describe("what a header doesn't set", () => {
  const unset = { box: 0, cosmology: [0, 0, 0] };

  it("is the deck's, in all formats", async () => {
    for (const file of [gadget("01.g1", unset), gadget("01.g2", unset), gadgetHdf5("01.hdf5", unset)]) {
      expect(await started(COMOVING, file), file).toEqual(runs);
      expect(await started(COMOVING, file, 'velocities = "gadget"'), file).toEqual(runs);
    }
  });

  it("may be a part of the background; a matter that differs is none of these", async () => {
    expect(await started(COMOVING, gadget("h.g1", { cosmology: [0, 0, 0.7] }))).toEqual(runs);
    const flat = /dark energy is 0 in the file, cosmology\.darkEnergy 0\.7, which counts/;
    expect(await started(COMOVING, gadget("m.g1", { cosmology: [0.3, 0, 0] }))).toEqual(told(flat));
    const other = gadget("o.g1", { cosmology: [0.25, 0.75, 0.7] });
    expect(await started(COMOVING, other)).toEqual(refused(/Ωm is 0\.25 in the file.*header = "deck" beside file/));
    expect(await started(COMOVING, other, 'header = "deck"')).toEqual(told(/Ωm is 0\.25 in the file.*which counts/));
  });

  it("of whether the box expands is what the deck says of velocities, or asked for", async () => {
    const asked = /nothing in the file says what its velocities are.*velocities = "gadget"(?!.*Parameters)/;
    const files = [gadget("07.g1", { z: 0 }), gadget("07.g2", { z: 0 }), gadgetHdf5("07.hdf5", { z: 0 })];
    files.push(gadget("07-none.g1", { z: 0, ...unset }));
    for (const file of files) {
      expect(await started(COMOVING, file), file).toEqual(refused(asked));
      const found = await started(COMOVING, file, 'velocities = "gadget"');
      expect(found, file).toEqual(runs);
      // p = a² dx/dt of u = √a dx/dt.
      expect((found as { velocities: Float64Array }).velocities[0]).toBeCloseTo(2 * 0.02 ** 1.5, 9);
    }
    const age = gadget("age.g1", { time: 0.05 });
    expect(await started(COMOVING, age)).toEqual(refused(asked));
    expect(await started(COMOVING, age, 'velocities = "gadget"')).toEqual(
      told(/Time = 0\.05 and Redshift = 49.*a = 0\.02/),
    );
    const still = gadgetHdf5("still.hdf5", {}, { Parameters: { ComovingIntegrationOn: 0 } });
    expect(await started(COMOVING, still)).toEqual(
      refused(/static run \(ComovingIntegrationOn = 0\).*velocities beside file/),
    );
    expect(await started(COMOVING, still, 'velocities = "gadget"')).toEqual(told(/ComovingIntegrationOn = 0/));
  });

  it("stays unsaid in what convert writes", async () => {
    const [from, to] = [gadget("unsaid.g1", { z: 0 }), at("unsaid.hdf5")];
    const { assumed } = await convert({ from, to, force: true, double: false, as: {} }, () => {});
    expect(assumed).toEqual([expect.stringMatching(/^a box that may expand or not; --velocities/)]);
    expect((await readSnapshot(to)).comoving).toBeUndefined();
  });

  it.each([
    ["without redshift", { z: 0 }, { Time: 0.02 }],
    ["with an age", { time: 0.6 }, { Time: 1 / 50 }],
  ])("--velocities of convert says, too: %s", async (_, changes, { Time }) => {
    const [from, to] = [gadget("c.g1", changes), at("c.hdf5")];
    await convert({ from, to, force: true, double: false, as: { velocities: "gadget" } }, () => {});
    const found = new hdf5.File(to, "r");
    const said = (group: string, name: string) => Number((found.get(group) as hdf5.Group).attrs[name].value);
    expect(said("Parameters", "ComovingIntegrationOn")).toBe(1);
    expect(said("Header", "Time")).toBeCloseTo(Time, 12);
    expect(said("Header", "Redshift")).toBeCloseTo(1 / Time - 1, 9);
    expect(said("Header", "Omega0")).toBe(0.3);
    found.close();
    expect((await readSnapshot(to)).comoving).toBe(true);
  });
});

describe("a snapshot of an expanding box today, in a galaxy's deck", () => {
  const now = { time: 1, box: 750, cosmology: [0.31, 0.69, 0.68], table: 0.01, positions: lattice(1) };
  const perH = (over: string) => `units = { length = "kpc${over}", mass = "1e10 Msun${over}", velocity = "km/s" }`;

  it("is asked for units whatever the last digits of its time are", async () => {
    const files = [
      gadget("09.g1", { ...now, z: 0 }),
      gadgetHdf5("09.hdf5", { ...now, z: 0 }),
      gadgetHdf5("09-rounded.hdf5", { ...now, time: 1 - 2 ** -53, z: 2 ** -52 }),
      gadgetHdf5("09-near.hdf5", { ...now, time: 1 / 1.0002, z: 2e-4 }),
      gadgetHdf5("09-said.hdf5", { ...now, z: 0 }, { Parameters: { ComovingIntegrationOn: 1 } }),
    ];
    for (const file of files) {
      expect(await started(ISOLATED, file), file).toEqual(
        refused(/over h: HubbleParam = 0\.68, .*length = "kpc\/h".*length = "kpc"/),
      );
      const { positions } = (await started(ISOLATED, file, perH("/h"))) as { positions: Float64Array };
      const plain = (await started(ISOLATED, file, perH(""))) as { positions: Float64Array };
      // The side that the file has is moved to the middle of the deck's.
      expect((positions[3] - positions[0]) / (plain.positions[3] - plain.positions[0]), file).toBeCloseTo(1 / 0.68, 4);
    }
  });

  it("needs none where there is no h, and is refused at another time", async () => {
    const galaxy = { ...GALAXY, positions: lattice(1) };
    expect(await started(ISOLATED, gadget("g.g1", galaxy))).toEqual(runs);
    expect(await started(ISOLATED, gadget("g1.g1", { ...galaxy, time: 1, cosmology: [0.3, 0.7, 1] }))).toEqual(runs);
    const old = gadgetHdf5("half.hdf5", { ...now, time: 0.5, z: 1 });
    expect(await started(ISOLATED, old)).toEqual(refused(/expanding box \(a = 0\.5\).*units beside file count more/));
    const said = expect.objectContaining({
      notes: [expect.stringMatching(/Redshift = 1\): it is taken for not expanding/)],
    });
    expect(await started(ISOLATED, old, perH(""))).toEqual(said);
  });
});

describe("contradictions", () => {
  const two = (masses: number) => ({ ...GALAXY, positions: lattice(1), masses: new Float32Array(N ** 3).fill(masses) });

  it("of MassTable and the particles' masses are refused with both, in all formats", async () => {
    for (const [ending, write] of [
      ["g1", gadget],
      ["g2", gadget],
      ["hdf5", gadgetHdf5],
    ] as const) {
      expect(await started(ISOLATED, write(`same.${ending}`, two(0.01))), ending).toEqual(runs);
      const wrong = write(`two.${ending}`, two(0.02));
      expect(await started(ISOLATED, wrong), ending).toEqual(
        refused(/two masses: MassTable\[1\].* is 0\.01, and .*0\.0(2|19999\d*) in row 0/),
      );
      const to = at(`two-${ending}.csv`);
      await expect(convert({ from: wrong, to, force: true, double: false, as: {} }, () => {})).rejects.toThrow(
        /two masses/,
      );
    }
    const last = two(0.01);
    last.masses[N ** 3 - 1] = 0.03;
    expect(await started(ISOLATED, gadgetHdf5("last.hdf5", last))).toEqual(refused(/0\.0299\d* in row 63/));
    // In format 1 numbers that differ after the ids are potentials.
    const potentials = { ...two(1), masses: Float32Array.from({ length: N ** 3 }, (_, i) => i + 1) };
    expect(await started(ISOLATED, gadget("potential.g1", potentials))).toEqual(runs);
  });

  it("of Header and Parameters are refused, unless the deck says it", async () => {
    const galaxy = { ...GALAXY, positions: lattice(1) };
    const units = { UnitLength_in_cm: 3.085678e21, UnitMass_in_g: 1.989e43, UnitVelocity_in_cm_per_s: 1e5 };
    const file = gadgetHdf5("units.hdf5", galaxy, {
      Header: units,
      Parameters: { ...units, UnitLength_in_cm: 3.085678e24 },
    });
    expect(await started(ISOLATED, file)).toEqual(
      refused(/Header\/UnitLength_in_cm is 3\.085678e\+21, Parameters\/.* 3\.085678e\+24.*units/),
    );
    expect(await started(ISOLATED, file, 'units = "deck"')).toEqual(
      told(/UnitLength_in_cm = 3\.085678e\+24.*1000, 1, 1 times/),
    );
    const same = gadgetHdf5("same-units.hdf5", galaxy, {
      Header: units,
      Parameters: { ...units, UnitLength_in_cm: 3.0857e21 },
    });
    expect(await started(ISOLATED, same)).toEqual(runs);
    const matter = gadgetHdf5("matter.hdf5", {}, { Parameters: { Omega0: 0.25, ComovingIntegrationOn: 1 } });
    expect(await started(COMOVING, matter)).toEqual(refused(/Header\/Omega0 is 0\.3, Parameters\/Omega0 0\.25/));
  });

  it("of time and redshift are told", async () => {
    const file = gadgetHdf5("times.hdf5", { z: 20 }, { Parameters: { ComovingIntegrationOn: 1 } });
    expect(await started(COMOVING, file)).toEqual(told(/Time = 0\.02 and Redshift = 20.*: a = 0\.02 is taken/));
  });

  it("of BoxSize and positions are refused", async () => {
    const file = gadget("small.g1", { positions: lattice(1) });
    expect(await started(COMOVING, file)).toEqual(
      refused(/found all 64 within 0\.0375 of the box of 50\. .*another unit than BoxSize/),
    );
  });
});

describe("advice", () => {
  it("names units before box.size", async () => {
    const files: [string, string][] = [
      [gadgetHdf5("06.hdf5", { box: SIDE, positions: lattice(1) }), "Mpc/h"],
      [gadget("06.g1", { box: SIDE, positions: lattice(1) }), "Mpc/h"],
      [gadget("06-pc.g2", { box: 1e6 * SIDE, positions: lattice(1e6) }), "pc/h"],
    ];
    for (const [file, length] of files) {
      const units = `units = { length = "${length}", mass = "1e10 Msun/h", velocity = "km/s" }`;
      const message = await started(COMOVING, file);
      expect(message, file).toContain(`say ${units} beside file`);
      expect(message, file).not.toContain("box.size=");
      expect(await started(COMOVING, file, units), file).toEqual(runs);
    }
    const other = await started(COMOVING, gadget("06-other.g1", { box: 70_000 }));
    expect(other).toEqual(refused(/If the file has other units.*box\.size=70/));
    const plain = gadgetHdf5("06-plain.hdf5", { box: SIDE / 0.7, positions: lattice(1 / 0.7) });
    expect(await started(COMOVING, plain)).toContain('say units = { length = "Mpc", mass = "1e10 Msun", velocity');
  });

  it("is an offset of half the box alone where positions are about 0", async () => {
    const shifted = lattice(1e3, SIDE / 2);
    shifted[0] -= 900;
    const files = [
      gadget("11.g1", { positions: lattice(1e3, SIDE / 2) }),
      gadgetHdf5("11.hdf5", { positions: shifted }),
    ];
    files.push(gadgetHdf5("11.g2.hdf5", { positions: lattice(1e3, SIDE / 2), box: 0 }));
    for (const file of files) {
      expect(await started(COMOVING, file), file).toEqual(
        refused(/at \(.*\)\. Try offset = \[25, 25, 25\], which centres them\.$/),
      );
      expect(await started(COMOVING, file, "offset = [25, 25, 25]"), file).toEqual(runs);
    }
  });
});

describe("at the start", () => {
  const plummer = 'title = "t"\nbox.size = 16\nmesh.cells = 16\n[[particles]]\nkind = "plummer"\ncount = 8\n';
  const timed = (output: string) => parseScenario(`${plummer}[time]\nend = 1\nstep = 0.1\n[output]\n${output}`);

  it("is said that gas feels gravity alone", () => {
    expect(physicsNotes([{ species: "halo" }, { species: "gas" }])).toEqual([expect.stringMatching(/gravity alone/)]);
    expect(physicsNotes([{ species: "halo" }])).toEqual([]);
  });

  it("redshifts of a static deck are refused, and times on one step told", () => {
    expect(() => timed("redshifts = [1]")).toThrow(/no redshifts with time\.clock = "static"/);
    expect(scenarioNotes(timed("times = [0.2, 0.31, 0.33]"))).toEqual([
      expect.stringMatching(/^snapshot: the times 0\.31 and 0\.33 are nearest to one step/),
    ]);
    expect(scenarioNotes(timed("times = [0, 0.2, 0.4, 1]"))).toEqual([]);
    expect(scenarioNotes(timed("diagnosticsTimes = [0.01]"))).toEqual([
      expect.stringMatching(/^diagnostics: the times 0 and/),
    ]);
  });
});
