import { describe, expect, it } from "vitest";
import { directDefaults } from "../../src/engine/direct/settings.ts";
import { multigridPresets } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { meshHalfWidth } from "../../src/engine/mesh/settings.ts";
import { fixedSteps } from "../../src/engine/time/settings.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { meshSizes } from "../../src/foundation/deck/mesh-sizes.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import { sampledCount } from "../../src/physics/initial/components.ts";
import { completeScenario, parseScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";

const DECK = `title = "Test"
[box]
size = 16
[mesh]
cells = 64
[[particles]]
kind = "plummer"
count = 1_000
[time]
end = 1
step = 0.01
`;
/** Lines of DECK, as messages name them. */
const LINE = { box: 2, size: 3, mesh: 4, cells: 5, particles: 6, kind: 7, count: 8, time: 9, end: 10, step: 11 };

const TOP =
  "title, reference, expect, changed, gravity, units, box, mesh, multigrid, mond, direct, p3m, cosmology, time, output, maps, subsample, bars, haloes, orbits, spectra, fields, lightcone, level, galaxy, particles, potential";

/** The deck with each `from` replaced by `to`. */
const changed = (...pairs: [from: string, to: string][]) =>
  pairs.reduce((deck, [from, to]) => {
    expect(deck).toContain(from);
    return deck.replace(from, to);
  }, DECK);

function message(text: string, overrides: string[] = []): string {
  try {
    parseScenario(text, { file: "a.toml", overrides });
  } catch (error) {
    expect(error).toBeInstanceOf(GravmeshError);
    expect((error as GravmeshError).kind).toBe("scenario");
    return (error as Error).message;
  }
  throw new Error("the deck was accepted");
}

describe("a valid deck", () => {
  it("comes out complete", () => {
    expect(parseScenario(DECK)).toEqual({
      title: "Test",
      reference: "",
      expect: "",
      changed: [],
      gravity: "mesh",
      units: { system: "nbody" },
      box: { size: 16, boundary: "isolated" },
      mesh: {
        cells: 64,
        assignment: "cic",
        deposit: "auto",
        poisson: "fft",
        green: "exact",
        kernel: "split",
        gradient: "4-point",
        softenedModels: false,
      },
      multigrid: { preset: "default", ...multigridPresets.default },
      mond: { formulation: "none", interpolation: "simple", a0: 1, externalField: [0, 0, 0] },
      direct: { ...directDefaults },
      p3m: {
        ...{ softening: 0, maxPhysicalSoftening: Number.POSITIVE_INFINITY, softeningKernel: "plummer" },
        ...{ reach: 5, substeps: 1 },
      },
      cosmology: { ...cosmologyDefaults },
      particles: [
        {
          kind: "plummer",
          name: "plummer",
          species: "stars",
          offset: [0, 0, 0],
          velocity: [0, 0, 0],
          seed: 1,
          count: 1000,
          mass: 1,
          scale: (3 * Math.PI) / 16,
          cutoff: (10 * 3 * Math.PI) / 16,
          anisotropyRadius: Number.POSITIVE_INFINITY,
          centre: true,
          rigid: false,
        },
      ],
      level: [],
      galaxy: [],
      potential: [],
      time: {
        ...{ continued: [], clock: "static", start: 0, spacing: "a", factors: "growth-corrected" },
        ...{ end: 1, step: 0.01, accuracy: 0.2, courant: 0.5, maxStep: 1, maxEnergyError: 1 },
      },
      output: {
        ...{
          snapshots: 10,
          diagnostics: 100,
          frames: 0,
          filePerRank: true,
          checkpointMinutes: 10,
          potential: false,
          phantom: false,
          compression: 0,
        },
        ...{ redshifts: [], powerSpectra: false, haloes: false, linkingLength: 0.2, leastMembers: 20 },
        ...{ every: 0, diagnosticsEvery: 0, diagnosticsTimes: [] },
        ...{ fields: ["positions", "velocities", "ids", "masses"], particlesPerFile: 2 ** 27, times: [] },
      },
      maps: {
        count: 0,
        times: [],
        axes: ["z"],
        by: "all",
        width: 400,
        height: 400,
        span: 16,
        centre: [0, 0, 0],
        components: [],
        phantom: false,
      },
      subsample: { every: 0, count: 100, times: [], fields: ["positions", "velocities", "ids", "masses"] },
      bars: {
        ...{
          count: 0,
          every: 0,
          times: [],
          components: [],
          radius: 4,
          rings: 40,
          spacing: "linear",
          height: 4,
          within: 2,
        },
        ...{ normal: [0, 0, 1], window: 9, multipoles: false, velocityMaps: [], pixels: 100 },
      },
      haloes: { definitions: [], members: 20, count: 0, every: 0, times: [] },
      orbits: { ids: [], sample: 0, components: [], every: 1, seed: 1 },
      spectra: {
        ...{ cells: 64, multipoles: "none", cross: false, triangles: 0, triangleWidth: 2 },
        ...{ correlation: 0, separations: [] },
      },
      fields: { of: [], cells: 64, count: 1, times: [], formats: ["hdf5"] },
      lightcone: {
        ...{ redshift: 0, opening: "sky", direction: [0, 0, 1], halfAngle: 5, observer: [0, 0, 0] },
        ...{ shells: 10, redshifts: [], particles: true, nside: 0, sources: [] },
      },
    });
  });

  it("has two meshes in isolated boxes of enough cells with differences, one padded mesh in others", () => {
    const kernel = (overrides: string[]) => parseScenario(DECK, { overrides }).mesh.kernel;
    for (const none of [[], ["mesh.cells=48"], ["mesh.gradient=2-point"]]) expect(kernel(none)).toBe("split");
    for (const one of ["mesh.cells=32", "mesh.gradient=spectral", "box.boundary=periodic", "mesh.poisson=multigrid"]) {
      expect(kernel([one])).toBe("cell-integrated");
    }
    expect(kernel(["mesh.kernel=truncated"])).toBe("truncated");
    expect(() => kernel(["mesh.kernel=split", "mesh.gradient=spectral"])).toThrow(
      /mesh.kernel: expected cell-integrated or truncated with the spectral gradient.*found "split"/,
    );
  });

  it("takes counts as 1_000_000 and as 1e6", () => {
    for (const count of ["1_000_000", "1e6", "1000000.0"]) {
      expect(parseScenario(changed(["1_000", count])).particles[0]).toMatchObject({ count: 1e6 });
    }
  });

  it("gives components of one kind their own names and seeds", () => {
    const two = `${DECK}[[particles]]\nkind = "plummer"\ncount = 5\n[[particles]]\nkind = "uniform"\ncount = 5\nmass = 1\nside = 2\n`;
    const { particles } = parseScenario(two);
    expect(particles.map(({ name, seed }) => [name, seed])).toEqual([
      ["plummer", 1],
      ["plummer-2", 2],
      ["uniform", 3],
    ]);
  });

  it("keeps derived names clear of given ones", () => {
    const deck = `${DECK}[[particles]]\nkind = "uniform"\nname = "plummer"\ncount = 5\nmass = 1\nside = 2\n`;
    expect(parseScenario(deck).particles.map(({ name }) => name)).toEqual(["plummer-2", "plummer"]);
  });

  it("lets the default cut-off fit the box", () => {
    const deck = changed(["size = 16", "size = 4"], ["count = 1_000", "count = 1_000\noffset = [0.5, -1, 0]"]);
    expect(parseScenario(deck).particles[0]).toMatchObject({ cutoff: 0.9 });
  });

  it("gives a rigid component no particles", () => {
    const deck = `${DECK}[[particles]]\nkind = "hernquist"\nrigid = true\nmass = 10\nscale = 3\n`;
    const scenario = parseScenario(deck);
    expect(scenario.particles[1]).toMatchObject({ rigid: true, count: 0, species: "halo" });
    expect(sampledCount(scenario)).toBe(1000);
  });

  it("allows spectral gradients in an isolated box, an endless maxStep and a snapshot alone", () => {
    expect(parseScenario(DECK, { overrides: ["mesh.gradient=spectral", "time.maxStep=inf"] }).time.maxStep).toBe(
      Number.POSITIVE_INFINITY,
    );
    const deck = changed(['"plummer"', '"snapshot"'], ["count = 1_000", 'file = "start.hdf5"']);
    expect(parseScenario(deck).particles[0]).toMatchObject({ kind: "snapshot", file: "start.hdf5" });
  });

  it("can be an object", () => {
    const deck = {
      title: "Test",
      box: { size: 16 },
      mesh: { cells: 64 },
      particles: [{ kind: "plummer", count: 1000 }],
      time: { end: 1, step: 0.01 },
    } as const;
    expect(completeScenario(deck)).toEqual(parseScenario(DECK));
    expect(deck.particles[0]).toEqual({ kind: "plummer", count: 1000 });
    expect(() => completeScenario({ ...deck, mesh: { cells: 65 } }, { file: "my run" })).toThrow(
      "my run: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found 65. Nearest valid sizes: 64 and 96",
    );
  });
});

describe("a bad deck is one message with file, line, key, expected, found and a way out", () => {
  it.each([
    [100, "96 and 128"],
    [1, "16"],
    [0, "16"],
    [-64, "16"],
    [17, "16 and 24"],
    [1e9, "16384"],
    [64.5, "64 and 96"],
  ])("mesh.cells = %d", (cells, nearest) => {
    const word = nearest.includes("and") ? "sizes" : "size";
    expect(message(changed(["cells = 64", `cells = ${cells}`]))).toBe(
      `a.toml:${LINE.cells}:1: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found ${cells}. Nearest valid ${word}: ${nearest}`,
    );
  });

  it.each(meshSizes)("mesh.cells = %d is fine", (cells) => {
    expect(parseScenario(changed(["cells = 64", `cells = ${cells}`])).mesh.cells).toBe(cells);
  });

  it.each(["0", "-1", "1.5", "nan", "inf", "4294967296"])("count = %s", (count) => {
    expect(message(changed(["1_000", count]))).toBe(
      `a.toml:${LINE.count}:1: particles[0].count: expected a whole number from 1 to 4294967295, found ${count}`,
    );
  });

  it.each([
    ["cels = 64", "unknown key mesh.cels: did you mean mesh.cells?"],
    ["Cells = 64", "unknown key mesh.Cells: did you mean mesh.cells?"],
  ])("a misspelt key %s is told once, not also as missing", (line, expected) => {
    expect(message(changed(["cells = 64", line]))).toBe(`a.toml:${LINE.cells}:1: ${expected}`);
  });

  it("unknown keys elsewhere", () => {
    expect(message(changed(["[mesh]", "[meshes]"]))).toBe("a.toml:4:1: unknown table meshes: did you mean mesh?");
    expect(message(`${DECK}cells = 3\n`)).toBe("a.toml:12:1: unknown key time.cells: did you mean mesh.cells?");
    expect(message(`size = 1\n${DECK}`)).toBe("a.toml:1:1: unknown key size: did you mean box.size?");
    expect(message(`${DECK}[zzz]\na = 1\n`)).toBe(
      "a.toml:12:1: unknown table zzz. Known in the deck: title, reference, expect, changed, gravity, units, box, mesh, multigrid, mond, direct, p3m, cosmology, time, output, maps, subsample, bars, haloes, orbits, spectra, fields, lightcone, level, galaxy, particles, potential",
    );
    expect(message(changed(["size = 16", "size = 16\nxyzzy = 1"]))).toBe(
      "a.toml:4:1: unknown key box.xyzzy. Known in box: size, boundary",
    );
    expect(message(changed(["count = 1_000", "count = 1_000\nscaleHeight = 1"]))).toBe(
      "a.toml:9:1: unknown key particles[0].scaleHeight. Known in particles[0]: " +
        "kind, name, galaxy, species, offset, velocity, seed, count, mass, scale, cutoff, anisotropyRadius, centre, rigid",
    );
  });

  it("missing keys name their table's line", () => {
    expect(message(changed(["cells = 64\n", ""]))).toBe(
      "a.toml:4: mesh.cells is missing: expected 2^k or 3*2^k cells, from 16 to 16384 (cells per side). Add it to [mesh]: cells = …",
    );
    expect(message(changed(["count = 1_000\n", ""]))).toBe(
      "a.toml:6: particles[0].count is missing: expected a whole number from 1 to 4294967295 (number of particles). " +
        'Add it to this [[particles]] table of kind "plummer": count = …',
    );
    expect(message(changed(["[box]\nsize = 16\n", ""]))).toBe(
      "a.toml: box.size is missing: expected a number above 0 (side of the cube that the mesh covers). Add it to [box]: size = …",
    );
    expect(message(changed(['title = "Test"\n', ""]))).toBe(
      "a.toml: title is missing: expected a text in quotes, not empty (what is simulated). Add it above the first table: title = …",
    );
    expect(message(changed(["size = 16", 'size = 16\n[units]\nsystem = "galactic"']))).toMatch(
      /^a\.toml: 2 problems\n {2}a\.toml:8: particles\[0\]\.mass is missing: .*\n {2}a\.toml:8: particles\[0\]\.scale is missing: /,
    );
  });

  it("wrong types and words", () => {
    expect(message(changed(["cells = 64", 'cells = "64"']))).toBe(
      'a.toml:5:1: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found "64". Write it without quotes: 64',
    );
    expect(message(DECK, ["maps.components=[thin disk,halo]"])).toMatch(
      'maps.components: expected a list of names in quotes, found "[thin disk,halo]". ' +
        'Put its words into quotes: ["thin disk", "halo"]',
    );
    expect(message(changed(["cells = 64", 'cells = 64\nassignment = "TSC"']))).toBe(
      'a.toml:6:1: mesh.assignment: expected one of "ngp", "cic", "tsc", found "TSC". Did you mean "tsc"?',
    );
    expect(message(changed(["cells = 64", 'cells = 64\npoisson = "tree"']))).toBe(
      'a.toml:6:1: mesh.poisson: expected one of "fft", "multigrid", found "tree"',
    );
    expect(message(changed(["step = 0.01", 'step = "adaptve"']))).toBe(
      'a.toml:11:1: time.step: expected a number above 0, or "adaptive", found "adaptve". Did you mean "adaptive"?',
    );
    expect(message(changed(["count = 1_000", "count = 1_000\nrigid = 1"]))).toBe(
      "a.toml:9:1: particles[0].rigid: expected true or false, found 1",
    );
    expect(message(changed(["count = 1_000", 'count = 1_000\noffset = [1, "a", 3]']))).toBe(
      'a.toml:9:1: particles[0].offset: expected three numbers [x, y, z], found [1, "a", 3]',
    );
    expect(message(changed(["count = 1_000", "count = 1_000\nseed = -1"]))).toBe(
      "a.toml:9:1: particles[0].seed: expected a whole number from 0 to 4294967295, found -1",
    );
    expect(message(changed(['title = "Test"', "title = 1979-05-27T07:32:00Z"]))).toBe(
      "a.toml:1:1: title: expected a text in quotes, not empty, found the date 1979-05-27T07:32:00.000Z",
    );
    expect(message(changed(["count = 1_000", 'count = 1_000\nname = "7"']))).toBe(
      'a.toml:9:1: particles[0].name: expected a name of letters, digits, spaces, - and _ that begins with a letter, found "7"',
    );
  });

  it("components without a known kind, or none at all", () => {
    const kinds =
      '"plummer", "hernquist", "nfw", "king", "isochrone", "dehnen", "einasto", "exponential-disk", "kuzmin-disk", "mestel-disk", "uniform", "uniform-sphere", "lattice", "plane-wave", "kepler", "snapshot"';
    expect(message(changed(['"plummer"', '"plumer"']))).toBe(
      `a.toml:7:1: particles[0].kind: expected one of ${kinds}, found "plumer". Did you mean "plummer"?`,
    );
    expect(message(changed(['kind = "plummer"\n', ""]))).toBe(
      `a.toml:6: particles[0].kind is missing: expected one of ${kinds} (the model that the particles are drawn from). ` +
        "Add it to this [[particles]] table: kind = …",
    );
    const write =
      'Write one [[particles]] table, in double brackets, for each component, with kind = "plummer" or another';
    expect(message(changed(["[[particles]]", "[particles]"]))).toBe(
      `a.toml:6:1: particles: expected at least one component, found a table. ${write}`,
    );
    expect(message(changed(['[[particles]]\nkind = "plummer"\ncount = 1_000\n', ""]))).toBe(
      `a.toml: particles: expected at least one component, found nothing. ${write}`,
    );
  });

  it("sections that aren't tables", () => {
    expect(message(`mesh = 3\n${changed(["[mesh]\ncells = 64\n", ""])}`)).toBe(
      "a.toml:1:1: mesh: expected a table, found 3. Write [mesh] on a line of its own, then its keys",
    );
    expect(message(changed(["[mesh]", "[[mesh]]"]))).toContain("a.toml:4:1: mesh: expected a table, found [a table]");
  });

  it("several problems are listed in the order of the file", () => {
    expect(
      message(changed(["cells = 64", "cells = 65"], ["1_000", "0"], ["step = 0.01", "step = 0\nmaxstep = 1"])),
    ).toBe(
      `a.toml: 4 problems
  a.toml:5:1: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found 65. Nearest valid sizes: 64 and 96
  a.toml:8:1: particles[0].count: expected a whole number from 1 to 4294967295, found 0
  a.toml:11:1: time.step: expected a number above 0, or "adaptive", found 0
  a.toml:12:1: unknown key time.maxstep: did you mean time.maxStep?`,
    );
    expect(message("").split("\n")[0]).toBe("a.toml: 6 problems");
  });
});

describe("TOML syntax errors say where and what to try", () => {
  it.each([
    [
      "kind = plummer",
      'a.toml:1:8: expected TOML, found `kind = plummer`: invalid value. Texts need quotes: key = "text"',
    ],
    ["a = 1\na = 2", "a.toml:2:1: expected TOML, found `a = 2`: trying to redefine"],
    ["[mesh\ncells = 3", "a.toml:1:6: expected TOML, found `[mesh`: "],
    ["a = 1 b = 2", "a.toml:1:7: expected TOML, found `a = 1 b = 2`: each key-value declaration"],
    [
      "a = [1, 2",
      "a.toml:1:10: expected TOML, found `a = [1, 2`: expected comma or end of structure. Brackets and braces have to be closed",
    ],
    [
      "count = 99999999999999999999",
      "integer value cannot be represented losslessly. So large a number is written with an exponent, 1e20",
    ],
    ["__proto__ = 1", "document contains an unsafe property"],
  ])("%j", (text, expected) => {
    expect(message(text)).toContain(expected);
    expect(message(text)).not.toContain("\n");
  });
});

describe("checks between keys", () => {
  const add = (lines: string) => `${DECK}${lines}`;
  const uniform = '[[particles]]\nkind = "uniform"\ncount = 10\nmass = 1\n';

  it.each<[string, string, string]>([
    [
      "step beyond the end",
      changed(["step = 0.01", "step = 2"]),
      "a.toml:11:1: time.step: expected at most time.end = 1, found 2",
    ],
    [
      "endless steps",
      changed(["step = 0.01", "step = 1e-15"]),
      "a.toml:11:1: time.step: expected fewer than 2^31 steps up to time.end = 1, found 1e-15",
    ],
    [
      "cut-off outside the box",
      changed(["count = 1_000", "count = 1_000\ncutoff = 8.5"]),
      "a.toml:9:1: particles[0].cutoff: expected at most box.size/2 = 8, so that the particles are inside the box, found 8.5. Lower cutoff or raise box.size",
    ],
    [
      "cut-off outside the box by its offset",
      changed(["count = 1_000", "count = 1_000\noffset = [0, -3, 1]\ncutoff = 6"]),
      "a.toml:10:1: particles[0].cutoff: expected at most box.size/2 − |offset| = 5, so that the particles are inside the box, found 6. Lower cutoff or raise box.size",
    ],
    [
      "cube larger than the box",
      add(`${uniform}side = 17`),
      "a.toml:16:1: particles[1].side: expected at most box.size = 16, so that the particles are inside the box, found 17. Lower side or raise box.size",
    ],
    [
      "centre outside the box",
      changed(["count = 1_000", "count = 1_000\noffset = [9, 0, 0]"]),
      "a.toml:9:1: particles[0].offset: expected a centre inside the box, less than box.size/2 = 8 from its centre on each axis, found [9, 0, 0]",
    ],
    [
      "an offset that wraps more than once",
      changed(
        ["size = 16", 'size = 16\nboundary = "periodic"'],
        ["count = 1_000", "count = 1_000\noffset = [16.5, 0, 0]"],
      ),
      "a.toml:10:1: particles[0].offset: expected at most box.size = 16 along each axis, since a periodic box wraps, found [16.5, 0, 0]",
    ],
    [
      "two components of one name",
      `${changed(["count = 1_000", 'count = 1_000\nname = "a"'])}${uniform}name = "a"`,
      'a.toml:17:1: particles[1].name: expected a name other than that of particles[0], found "a". Every component needs its own name',
    ],
    [
      "only rigid components",
      changed(["count = 1_000", "rigid = true"]),
      "a.toml:6:1: particles: expected at least one component with particles, found only rigid ones. Add a component with particles, or set rigid = false",
    ],
    [
      "a rigid component with particles",
      add('[[particles]]\nkind = "plummer"\nrigid = true\ncount = 5'),
      "a.toml:15:1: particles[1].count: expected no count with rigid = true, which has no particles, found 5. Leave count out, set it to 0, or set rigid = false",
    ],
    [
      "a rigid component in a periodic box",
      `${changed(["size = 16", 'size = 16\nboundary = "periodic"'])}[[particles]]\nkind = "plummer"\nrigid = true`,
      'a.toml:15:1: particles[1].rigid: expected rigid = false in a box with boundary = "periodic", found true. Use particles instead, or boundary = "isolated"',
    ],
    [
      "more particles than ids",
      add('[[particles]]\nkind = "plummer"\ncount = 4294967295'),
      "a.toml:6:1: particles: expected at most 4294967295 particles in all (ids are 32-bit), found 4294968295",
    ],
  ])("%s", (_, deck, expected) => {
    expect(message(deck)).toBe(expected);
  });

  it("let a component cross the edge of a periodic box", () => {
    const deck = changed(
      ["size = 16", 'size = 16\nboundary = "periodic"'],
      ["1_000", "10\noffset = [7, 0, 0]\ncutoff = 8"],
    );
    expect(parseScenario(deck).particles[0]).toMatchObject({ cutoff: 8 });
  });
});

const KEY_VALUE = 'expected key=value, such as mesh.cells=128, particles[0].count=1000 or particles."my disk".mass=2';

describe("overrides", () => {
  const over = (...overrides: string[]) => parseScenario(DECK, { overrides });

  it("set any key, in sections that the deck has and hasn't", () => {
    expect(over("mesh.cells=256", "time.end=10", "output.snapshots=3", "title=Another run")).toMatchObject({
      title: "Another run",
      mesh: { cells: 256 },
      time: { end: 10 },
      output: { snapshots: 3 },
    });
    expect(over("time.step = adaptive").time.step).toBe("adaptive");
    expect(over("title=2024").title).toBe("2024");
    expect(over('title="a=b"').title).toBe("a=b");
    expect(over("mesh.cells=32", "mesh.cells=48").mesh.cells).toBe(48);
  });

  it("find components by index, name and kind", () => {
    for (const reference of ["particles.0", "particles[0]", "particles.plummer"]) {
      expect(over(`${reference}.count=1e4`).particles[0]).toMatchObject({ count: 10_000 });
    }
    const named = changed(["count = 1_000", 'count = 1_000\nname = "halo"']);
    for (const name of ["halo", "plummer"]) {
      expect(parseScenario(named, { overrides: [`particles.${name}.count=7`] }).particles[0]).toMatchObject({
        count: 7,
      });
    }
    expect(over("particles[0].offset=[1, 2, 3]", "particles[0].offset[1]=5").particles[0].offset).toEqual([1, 5, 3]);
  });

  it("find components by a name in quotes, as TOML has them", () => {
    const named = `${DECK}[[particles]]\nkind = "plummer"\ncount = 5\nname = "my disk"\n`;
    for (const name of ['"my disk"', "'my disk'", "my disk", ' "my disk" ', '["my disk"]', '"my\\u0020disk"']) {
      const { particles } = parseScenario(named, { overrides: [`particles.${name}.count=7`] });
      expect(particles).toMatchObject([{ count: 1000 }, { count: 7 }]);
    }
    expect(over("\"mesh\".'cells' = 32").mesh.cells).toBe(32);
  });

  it.each([
    ["mesh.cels=256", "unknown key mesh.cels: did you mean mesh.cells?"],
    ["cells=256", "unknown key cells: did you mean mesh.cells?"],
    ["meshcells=256", "unknown key meshcells: did you mean mesh.cells?"],
    ["msh.cells=256", "unknown key msh.cells: did you mean mesh.cells?"],
    ["tiem.end=1", "unknown key tiem.end: did you mean time.end?"],
    ["particles.0.cuont=1", "unknown key particles[0].cuont: did you mean particles[0].count?"],
    ["qqq=1", `unknown key qqq. Known in the deck: ${TOP}`],
    ["__proto__.x=1", `unknown key __proto__.x. Known in the deck: ${TOP}`],
    ["particles.plumer.count=1", 'no component "plumer": did you mean particles.plummer?'],
    ["particles.dark.count=1", 'no component "dark": the deck\'s components are plummer'],
    ["particles.3.count=1", "no component 3: the deck's components are 0 to 0"],
    ["mesh.cells", `${KEY_VALUE}, found no equals sign`],
    ["=3", `${KEY_VALUE}, found the key ""`],
    ["mesh..cells=3", `${KEY_VALUE}, found the key "mesh..cells"`],
    ["particles[].count=3", `${KEY_VALUE}, found the key "particles[].count"`],
    ['particles."my.count=3', `${KEY_VALUE}, found the key "particles.\\"my.count"`],
    [`${"a.".repeat(1e5)}a=3`, `${KEY_VALUE}, found the key "${"a.".repeat(30)}…"`],
    ["mesh.cells.x=3", "mesh.cells holds no keys: it is 64"],
  ])("%s is refused", (override, expected) => {
    const shown = override.length > 200 ? `${override.slice(0, 200)}…` : override;
    expect(message(DECK, [override])).toBe(`override ${shown}: ${expected}`);
  });

  it("are named when their value is wrong, whatever the file says", () => {
    expect(message(DECK, ["mesh.cells=100"])).toBe(
      "override mesh.cells=100: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found 100. Nearest valid sizes: 96 and 128",
    );
    expect(message(DECK, ["time.step=.1s"])).toBe(
      'override time.step=.1s: time.step: expected a number above 0, or "adaptive", found ".1s"',
    );
    expect(message(DECK, ["time.end=0.001"])).toBe(
      "a.toml:11:1: time.step: expected at most time.end = 0.001, found 0.01",
    );
    expect(message(changed(["step = 0.01", "step = -1"]), ["mesh.cells=5", "mesh.x=1"])).toBe(
      `a.toml: 3 problems
  a.toml:11:1: time.step: expected a number above 0, or "adaptive", found -1
  override mesh.cells=5: mesh.cells: expected 2^k or 3*2^k cells, from 16 to 16384, found 5. Nearest valid size: 16
  override mesh.x=1: unknown key mesh.x. Known in mesh: cells, assignment, deposit, poisson, green, kernel, gradient, softenedModels`,
    );
  });

  it("name both components when a kind is ambiguous", () => {
    const deck = `${changed(["count = 1_000", 'count = 1_000\nname = "a"'])}[[particles]]\nkind = "plummer"\nname = "b"\ncount = 5\n`;
    expect(message(deck, ["particles.plummer.count=3"])).toBe(
      'override particles.plummer.count=3: 2 components are called "plummer": use an index, particles[0] or particles[1]',
    );
  });
});

describe("what follows from a scenario", () => {
  it("the number of steps, safe from rounding", () => {
    const steps = (end: number, step: number) =>
      fixedSteps(parseScenario(DECK, { overrides: [`time.end=${end}`, `time.step=${step}`] }));
    expect(steps(1.1, 0.1)).toBe(11);
    expect(steps(1, 0.3)).toBe(4);
    expect(steps(0.7, 0.1)).toBe(7);
    expect(steps(1, 1)).toBe(1);
    expect(fixedSteps(parseScenario(DECK, { overrides: ["time.step=adaptive"] }))).toBeUndefined();
  });

  it("where the mesh force ends, and remarks on what lies below a cell", () => {
    const scenario = parseScenario(DECK, { overrides: ["mesh.cells=16", "particles.0.cutoff=6"] });
    expect(meshHalfWidth(scenario)).toBe(8 - 3.5);
    expect(scenarioWarnings(scenario)).toEqual([
      expect.stringMatching(
        /^plummer: cells are too large for it: .* r50 \(0\.7\d+, 0\.7\d cells of 1\) grows by more than 50 %/,
      ),
    ]);
    expect(scenarioWarnings(parseScenario(DECK, { overrides: ["mesh.cells=96"] }))).toEqual([]);
    expect(meshHalfWidth(parseScenario(DECK, { overrides: ["box.boundary=periodic"] }))).toBe(8);
  });
});

describe("the multigrid table", () => {
  it("takes what it leaves out from its preset", () => {
    const deck = (text: string) => parseScenario(`${DECK}[multigrid]\n${text}\n`).multigrid;
    expect(deck('preset = "aubert2009"')).toEqual({ preset: "aubert2009", ...multigridPresets.aubert2009 });
    expect(deck('preset = "aubert2009"\norder = 4')).toMatchObject({ order: 4, presmooth: 5, levels: 5 });
    expect(deck("tolerance = 1e-3\nmaxCycles = 20")).toMatchObject({ tolerance: 1e-3, maxCycles: 20, presmooth: 2 });
  });

  it.each(["{}", "[]", "1", "inf", '"constructor"'])("says which presets there are, for %s", (preset) => {
    expect(() => parseScenario(`${DECK}[multigrid]\npreset = ${preset}\n`)).toThrow(
      /multigrid\.preset: expected .*"default".*"aubert2009".*found/s,
    );
  });

  it("is checked where it is used", () => {
    const used = { file: "a.toml", overrides: ["mesh.poisson=multigrid"] };
    const text = (lines: string) => `${DECK}[multigrid]\n${lines}\n`;
    expect(() => parseScenario(text("levels = 9"), used)).toThrow(/multigrid\.levels: expected 0 \(all\), or 2 to \d/);
    expect(() => parseScenario(text("tolerance = 1e-9"), used)).toThrow(
      /multigrid\.tolerance: expected 0, or at least/,
    );
    expect(() => parseScenario(DECK, { overrides: [...used.overrides, "mesh.gradient=spectral"] })).toThrow(
      /mesh\.gradient: expected 2-point or 4-point with poisson = "multigrid", found "spectral"/,
    );
    expect(parseScenario(text("levels = 9")).multigrid.levels).toBe(9);
  });
});

describe("direct summation in a deck", () => {
  const DIRECT = `gravity = "direct"\n${DECK}`;

  it("needs no mesh", () => {
    const deck = DIRECT.replace(/\[mesh\]\n(?:.*=.*\n)*/, "");
    expect(deck).not.toContain("cells");
    expect(parseScenario(deck)).toMatchObject({ gravity: "direct", mesh: { cells: 64 } });
    expect(() => parseScenario(deck.replace('"direct"', '"mesh"'))).toThrow(/mesh.cells/);
  });

  it.each([
    ["box.boundary=periodic", 'box.boundary: expected "isolated" with gravity = "direct", found "periodic"'],
    ["mesh.softenedModels=true", 'mesh.softenedModels: expected false with gravity = "direct", found true'],
    ["time.step=adaptive", 'time.step: expected a number with gravity = "direct", found "adaptive"'],
    [
      "direct.integrator=leapfrog",
      'direct.softening: expected a number above 0 with integrator = "leapfrog" and steps = "block", found 0',
    ],
    ["direct.nu=0", "direct.nu: expected a number above 0, found 0"],
  ])("%s is refused", (override, expected) => {
    expect(() => parseScenario(DIRECT, { overrides: [override] })).toThrow(expected);
  });

  it("is told what it costs", () => {
    expect(scenarioNotes(parseScenario(DIRECT))).toEqual([]);
    const many = parseScenario(DIRECT, { overrides: ["particles.plummer.count=1000000"] });
    expect(scenarioNotes(many)).toEqual([
      expect.stringContaining("1e+14 interactions: about 28 hours at 1e9 a second"),
    ]);
  });

  it("takes a Kepler pair that stays inside the box", () => {
    const pair = '[[particles]]\nkind = "kepler"\nsemiMajorAxis = 4\neccentricity = 0.5\nmassRatio = 0.5\n';
    const { particles } = parseScenario(DIRECT + pair);
    expect(particles[1]).toMatchObject({ kind: "kepler", count: 2, mass: 1, species: "stars" });
    expect(() => parseScenario(DIRECT + pair.replace("= 4", "= 40"))).toThrow(
      "particles[1].semiMajorAxis: expected at most box.size/2 = 8",
    );
    expect(() => parseScenario(`${DIRECT}${pair}count = 3\n`)).toThrow(/count/);
  });
});

describe("the search for haloes", () => {
  const box = DECK.replace("size = 16", 'size = 16\nboundary = "periodic"').replace(
    "count = 1_000",
    "count = 1_000\ncutoff = 5",
  );
  const linked = (...overrides: string[]) => message(box, ["output.haloes=true", ...overrides]);

  it.each(["1e18", "1.3", "1e-6"])("is refused a linking length of %s before the run", (length) => {
    expect(linked(`output.linkingLength=${length}`)).toMatch(
      /output\.linkingLength: expected from 0\.00000953674 to 1\.25 mean separations of 1000 particles/,
    );
  });

  it("takes what it can do, and any where there is no search", () => {
    const parse =
      (...overrides: string[]) =>
      () =>
        parseScenario(box, { overrides });
    expect(parse("output.haloes=true", "output.linkingLength=1.25")).not.toThrow();
    expect(parse("output.linkingLength=1e18")).not.toThrow();
    expect(parse("box.boundary=isolated", "output.haloes=true", "output.linkingLength=1e18")).not.toThrow();
  });
});

describe("a deck without end", () => {
  const component = '[[particles]]\nkind = "plummer"\ncount = 5\n';

  it("of 10000 components is refused in one line, one of 1000 is named", () => {
    expect(message(DECK + component.repeat(9999))).toMatch(
      /^a\.toml:\d+:1: particles: expected at most 1000 components, found 10000\. Bodies of their own/,
    );
    const { particles } = parseScenario(DECK + component.repeat(999));
    expect(particles.map(({ name }) => name).slice(-2)).toEqual(["plummer-999", "plummer-1000"]);
  });

  it("with a key of 100000 parts, or as many keys, is refused in a few lines", () => {
    expect(message(`${"a.".repeat(1e5)}b = 1\n${DECK}`)).toMatch(/^a\.toml:1:1: unknown table a\. Known in the deck/);
    expect(message(`[${"a.".repeat(1e5)}b]\n${DECK}`)).toMatch(/a\.toml:1:1: unknown table a\. Known in the deck/);
    const keys = Array.from({ length: 1e5 }, (_, i) => `k${i} = 1\n`).join("");
    const found = message(keys + DECK);
    expect(found).toContain("the deck: 100000 unknown keys in all");
    expect(found.split("\n").length).toBeLessThan(25);
  });

  it("of a million comments, or with a text of a million lines and quotes, has lines in its messages all the same", () => {
    const wrong = DECK.replace("cells = 64", "cells = 65");
    expect(message("#\n".repeat(1e6) + wrong)).toMatch(/^a\.toml:1000\d\d\d:1: mesh\.cells: expected/);
    const text = `expect = """${'a\n"\\\\'.repeat(5e5)}"""\n`;
    expect(message(text + wrong)).toMatch(/^a\.toml(:\d+:1)?: mesh\.cells: expected/);
  });

  it("shows the beginning of a long value, key or line", () => {
    const long = "x".repeat(1e6);
    const list = message(DECK.replace("cells = 64", `cells = [${"1, ".repeat(1e6)}]`));
    const key = message(`${long} = 1\n${DECK}`);
    const text = message(DECK.replace("cells = 64", `cells = "${long}"`));
    for (const found of [list, key, text]) expect(found.length).toBeLessThan(1000);
    expect(message(`${DECK}\n${long}`).length).toBeLessThan(1000);
  });
});

describe("an expanding box in a deck", () => {
  const DECK = `title = "Web"
[units]
system = "cosmological"
[box]
size = 100
boundary = "periodic"
[mesh]
cells = 64
[[particles]]
kind = "lattice"
perSide = 32
[time]
clock = "comoving"
start = 0.02
end = 1
step = 0.02
`;

  it("holds its matter, counts its lattice and steps in the scale factor", () => {
    const scenario = parseScenario(DECK);
    const [lattice] = scenario.particles;
    // 0.3 times the critical density, 27.75 in 1e10 Msun/h and Mpc/h.
    expect(lattice).toMatchObject({ count: 32 ** 3, mass: expect.closeTo(0.3 * 27.7536627e6, -2) });
    expect(fixedSteps(scenario)).toBe(49);
    expect(scenario.output).toMatchObject({ powerSpectra: true, haloes: true });
    const inLog = parseScenario(DECK, { overrides: ["time.spacing=log-a", "time.step=0.1"] });
    expect(fixedSteps(inLog)).toBe(40);
  });

  it.each([
    ["time.start=0", "time.start: expected a scale factor above 0 and below time.end = 1"],
    ["box.boundary=isolated", 'box.boundary: expected "periodic" with time.clock = "comoving"'],
    ["units.system=nbody", 'units.system: expected "cosmological" with time.clock = "comoving"'],
    ["gravity=direct", 'gravity: expected "mesh" or "p3m" with time.clock = "comoving"'],
    ["cosmology.omegaB=0.4", "cosmology.omegaB: expected at most omegaM = 0.3"],
    ["cosmology.transfer=file", "cosmology.file: expected a file's name"],
    ["output.redshifts=[60, 1]", "output.redshifts: expected redshifts from 0 to 49, found 60"],
    ["particles.lattice.perSide=33", "particles[0].perSide: expected 2^k or 3*2^k"],
    ["particles.lattice.count=7", "particles[0].count: expected a whole number from 8"],
    ["particles.lattice.count=9", "particles[0].count: expected perSide³ = 32768"],
    ["time.clock=static", "time.start: expected 0 with a static clock"],
  ])("%s is refused", (override, expected) => {
    expect(() => parseScenario(DECK, { overrides: [override] })).toThrow(expected);
  });
});
