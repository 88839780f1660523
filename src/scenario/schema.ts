/**
 * The deck's schema: every key with its type, unit, meaning and default. The names are those of scenario.ts.
 * A deck is one table per section and one [[particles]] table per component; nothing else is accepted.
 */
import { z } from "zod";
import {
  anyNumber,
  choice,
  derived,
  filledText,
  flag,
  integer,
  keyInfo,
  nonNegative,
  numbers,
  optional,
  positive,
  positiveOrInfinite,
  type RawTable,
  required,
  text,
  vector,
} from "../deck/keys.ts";
import { cosmologyDefaults } from "./cosmology.ts";
import {
  boxSide,
  cellsUnlessDirect,
  cutoffFrom,
  endTime,
  fromPreset,
  henonMass,
  henonScale,
  matterInBox,
  nameOfKind,
  noneIfRigid,
  perSideCubed,
  seedByPosition,
  whenComoving,
} from "./defaults.ts";
import { directDefaults } from "./direct.ts";
import type { Scenario, Species } from "./scenario.ts";
import { isMeshSize, LARGEST_MESH, nearestMeshSizes, SMALLEST_MESH } from "./sizes.ts";

/** Ids and seeds are u32. */
export const LARGEST_U32 = 2 ** 32 - 1;

const meshSize = {
  schema: () => z.int().refine(isMeshSize),
  expected: `2^k or 3*2^k cells, from ${SMALLEST_MESH} to ${LARGEST_MESH}`,
  type: "2^k or 3·2^k, ≥ 16",
  integer: true,
  hint(value: unknown) {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    const nearest = nearestMeshSizes(value);
    return `${nearest.length > 1 ? "Nearest valid sizes" : "Nearest valid size"}: ${nearest.join(" and ")}`;
  },
};

/** Names appear in tables and in overrides (particles.NAME.key=value), so they are plain words. */
const componentName = {
  schema: () => z.string().regex(/^\p{L}[\p{L}\p{N} _-]*$/u),
  expected: "a name of letters, digits, spaces, - and _ that begins with a letter",
  type: "text",
};

const step = {
  schema: () => z.union([z.number().positive(), z.literal("adaptive")]),
  expected: 'a number above 0, or "adaptive"',
  type: 'number > 0, or `"adaptive"`',
  choices: ["adaptive"],
};

const massRatio = {
  schema: () => z.number().positive().max(1),
  expected: "a number above 0, at most 1",
  type: "number, 0 < ratio ≤ 1",
};

const eccentricity = {
  schema: () => z.number().nonnegative().lt(1),
  expected: "a number from 0 to below 1",
  type: "number, 0 ≤ e < 1",
};

const numberOrFlat = {
  schema: () => z.union([z.number().nonnegative(), z.literal("flat")]),
  expected: 'a number from 0 up, or "flat"',
  type: 'number ≥ 0, or `"flat"`',
  choices: ["flat"],
};

const lagrangianOrder = {
  schema: () => z.union([z.literal(1), z.literal(2)]),
  expected: "1 or 2",
  type: "1 or 2",
  integer: true,
};

const order = {
  schema: () => z.union([z.literal(2), z.literal(4)]),
  expected: "2 or 4",
  type: "2 or 4",
  integer: true,
};

const header = {
  title: required(filledText, { meaning: "what is simulated" }),
  reference: optional(text, "", { meaning: "paper and section that the run follows" }),
  expect: optional(text, "", { meaning: "what the reader should see happen" }),
  gravity: optional(choice("mesh", "direct"), "mesh", {
    meaning: "the particle mesh, or the sum over all pairs (table direct)",
  }),
};

const units = z.strictObject({
  system: optional(choice("nbody", "galactic", "cosmological"), "nbody", {
    meaning: "units of every number in the deck, and with them G",
  }),
});

const box = z.strictObject({
  size: required(positive, { unit: "length", meaning: "side of the cube that the mesh covers" }),
  boundary: optional(choice("isolated", "periodic"), "isolated", {
    meaning: "open space around the box, or copies of it on all sides",
  }),
});

const mesh = z.strictObject({
  cells: derived(meshSize, cellsUnlessDirect, { unit: "cells", meaning: "cells per side" }),
  assignment: optional(choice("ngp", "cic", "tsc"), "cic", {
    meaning: "mass assignment and interpolation: nearest cell, linear (8 cells), quadratic (27 cells)",
  }),
  deposit: optional(choice("auto", "sort", "atomic", "host"), "auto", {
    meaning: "how mass is summed into cells; all give the same bits, auto takes the fastest",
  }),
  poisson: optional(choice("fft", "multigrid"), "fft", {
    meaning: "Poisson solver: Fourier transform, or multigrid on the 7-point Laplacian (table multigrid)",
  }),
  green: optional(choice("exact", "discrete"), "exact", {
    meaning: "periodic Green's function: −1/k², or that of the 7-point Laplacian; unused in an isolated box",
  }),
  kernel: optional(choice("truncated", "cell-integrated"), "cell-integrated", {
    meaning:
      "open-space kernel: cell-integrated (−1/r, its mean over the cell at the origin: the smaller point-mass error with 4-point) or truncated (Vico et al. 2016: the smaller error of smooth densities); unused in a periodic box",
  }),
  gradient: optional(choice("2-point", "4-point", "spectral"), "4-point", {
    meaning: "differences that turn the potential into accelerations",
  }),
});

const multigrid = z.strictObject({
  preset: optional(choice("default", "aubert2009"), "default", {
    meaning:
      "settings that the keys below start from; aubert2009: 3 V-cycles on 5 levels, 5 + 5 sweeps (Aubert, Amini & David 2009)",
  }),
  order: derived(order, fromPreset("order"), {
    meaning: "of the discretisation: 2, the 7-point Laplacian, or 4, the compact 19-point one",
  }),
  cycle: derived(choice("v", "f"), fromPreset("cycle"), { meaning: "V-cycles or F-cycles" }),
  tolerance: derived(nonNegative, fromPreset("tolerance"), {
    meaning:
      "rms residual over the source's rms at which a solve ends; 0 runs exactly maxCycles and asks for no residual",
  }),
  maxCycles: derived(integer(1, 1000), fromPreset("maxCycles"), {
    meaning: "cycles per solve; with a tolerance, a solve that needs more is an error",
  }),
  presmooth: derived(integer(0, 100), fromPreset("presmooth"), { meaning: "sweeps before the coarser level" }),
  postsmooth: derived(integer(0, 100), fromPreset("postsmooth"), { meaning: "sweeps after the coarser level" }),
  levels: derived(integer(0, 32), fromPreset("levels"), { meaning: "levels, the finest included; 0 takes all" }),
});

const direct = z.strictObject({
  integrator: optional(choice("leapfrog", "hermite-4", "hermite-6"), directDefaults.integrator, {
    meaning: "kick-drift-kick leapfrog, or Hermite schemes of 4th or 6th order",
  }),
  steps: optional(choice("shared", "adaptive", "block"), directDefaults.steps, {
    meaning:
      "time.step for all; one step for all, chosen as the run goes; or one for every particle: time.step divided by powers of two",
  }),
  softening: optional(nonNegative, directDefaults.softening, {
    unit: "length",
    meaning: "Plummer softening: forces go as r/(r² + softening²)^(3/2)",
  }),
  precision: optional(choice("single", "double-single"), directDefaults.precision, {
    meaning: "of forces and orbits on the GPU; the CPU works in float64",
  }),
  nu: optional(positive, directDefaults.nu, {
    meaning: "accuracy of adaptive and block steps: Portegies Zwart+ 2007, eq. 9; leapfrog: √(2 nu softening/|a|)",
  }),
  eta: optional(positive, directDefaults.eta, {
    meaning: "accuracy of the steps of hermite-6 (Nitadori & Makino 2008)",
  }),
});

const cosmology = z.strictObject({
  matter: optional(positive, cosmologyDefaults.matter, { meaning: "density of matter today, baryons included (Ωm)" }),
  baryons: optional(nonNegative, cosmologyDefaults.baryons, { meaning: "density of baryons today (Ωb)" }),
  darkEnergy: optional(numberOrFlat, cosmologyDefaults.darkEnergy, {
    meaning: "density of dark energy today; flat: what makes space flat",
  }),
  w0: optional(anyNumber, cosmologyDefaults.w0, { meaning: "dark energy's pressure over density today" }),
  wa: optional(anyNumber, cosmologyDefaults.wa, { meaning: "its change: w = w0 + wa (1 − a)" }),
  h: optional(positive, cosmologyDefaults.h, { meaning: "Hubble constant in 100 km/s/Mpc" }),
  radiation: optional(flag, cosmologyDefaults.radiation, {
    meaning: "photons and massless neutrinos take part in the expansion",
  }),
  temperature: optional(positive, cosmologyDefaults.temperature, {
    unit: "K",
    meaning: "microwave background today",
  }),
  neutrinos: optional(nonNegative, cosmologyDefaults.neutrinos, { meaning: "massless species, effective number" }),
  spectralIndex: optional(anyNumber, cosmologyDefaults.spectralIndex, { meaning: "n_s of the primordial spectrum" }),
  sigma8: optional(positive, cosmologyDefaults.sigma8, { meaning: "normalises the spectrum, today, linear" }),
  amplitude: optional(nonNegative, cosmologyDefaults.amplitude, {
    meaning: "A_s at 0.05/Mpc normalises it instead, where above 0",
  }),
  transfer: optional(choice("eisenstein-hu", "no-wiggle", "file"), cosmologyDefaults.transfer, {
    meaning: "Eisenstein & Hu 1998, with or without baryon wiggles, or a table",
  }),
  file: optional(text, cosmologyDefaults.file, {
    meaning: 'with transfer = "file": spectrum or transfer function of CLASS or CAMB, relative to the deck',
  }),
});

const time = z.strictObject({
  clock: optional(choice("static", "comoving"), "static", {
    meaning: "static, or an expanding box (table cosmology) whose time is the scale factor a",
  }),
  start: optional(nonNegative, 0, { meaning: "comoving: scale factor at the start; static runs start at 0" }),
  end: required(positive, { unit: "time", meaning: "time at which the run ends; comoving: scale factor" }),
  spacing: optional(choice("a", "log-a"), "a", { meaning: "comoving: step in a, or in ln a" }),
  factors: optional(choice("growth-corrected", "standard"), "growth-corrected", {
    meaning: "comoving: kicks and drifts that follow linear growth (FastPM), or the clock alone",
  }),
  step: required(step, {
    unit: "time",
    meaning: "fixed step, or adaptive: one global step, chosen as the run goes; with gravity = direct the largest step",
  }),
  accuracy: optional(positive, 0.2, { meaning: "adaptive: step ≤ accuracy · sqrt(cell / largest acceleration)" }),
  courant: optional(positive, 0.5, { meaning: "adaptive: step ≤ courant · cell / largest speed" }),
  maxStep: derived(positiveOrInfinite, endTime, { unit: "time", meaning: "adaptive: never longer than this" }),
});

const output = z.strictObject({
  snapshots: optional(integer(0, 100_000), 10, {
    meaning: "snapshots after the initial one, evenly spaced; 0 writes only the last",
  }),
  diagnostics: optional(integer(1, 10_000_000), 100, {
    meaning: "rows of diagnostics.csv after the initial one, evenly spaced",
  }),
  checkpointMinutes: optional(nonNegative, 10, {
    unit: "minutes",
    meaning: "wall-clock time between checkpoints; 0 writes one only at an interruption and at the end",
  }),
  redshifts: optional(numbers, [], {
    meaning: "comoving: snapshots at these redshifts instead of evenly spaced ones",
  }),
  powerSpectra: derived(flag, whenComoving, { meaning: "periodic: power spectrum with every snapshot" }),
  haloes: derived(flag, whenComoving, { meaning: "periodic: friends-of-friends catalogue at the end" }),
  linkingLength: optional(positive, 0.2, { meaning: "of the haloes, in mean separations" }),
  leastMembers: optional(integer(2, LARGEST_U32), 20, { meaning: "of a halo" }),
  potential: optional(flag, false, { meaning: "write the Potential dataset in snapshots" }),
  compression: optional(integer(0, 9), 0, { meaning: "gzip level of snapshot datasets; 0 is off" }),
});

const SPECIES = ["gas", "halo", "disk", "bulge", "stars", "black-holes"] as const satisfies readonly Species[];

/** Keys that every component has. */
const common = (species: Species) => ({
  name: derived(componentName, nameOfKind, { meaning: "label in diagnostics and reports, and in overrides" }),
  species: optional(choice(...SPECIES), species, { meaning: "particle type in the snapshots" }),
  offset: optional(vector, [0, 0, 0], { unit: "length", meaning: "centre, from the centre of the box" }),
  velocity: optional(vector, [0, 0, 0], { unit: "velocity", meaning: "bulk velocity" }),
  seed: derived(integer(0, LARGEST_U32), seedByPosition, {
    meaning: "random seed; a seed gives the same particles anywhere",
  }),
});

const count = required(integer(1, LARGEST_U32), { meaning: "number of particles" });
/** 0 only for a rigid component: checks.ts. */
const countUnlessRigid = derived(
  { ...integer(1, LARGEST_U32), schema: () => z.int().min(0).max(LARGEST_U32) },
  noneIfRigid,
  {
    meaning: "number of particles",
  },
);
const mass = required(positive, { unit: "mass", meaning: "total mass" });
const scale = required(positive, { unit: "length", meaning: "scale radius a" });
const rigid = optional(flag, false, { meaning: "a fixed external field instead of particles; isolated box only" });
const cutoffRadius = (key: "scale" | "scaleLength", multiple: number, meaning: string) =>
  derived(positive, cutoffFrom(key, multiple), { unit: "length", meaning });

export const componentSchemas = {
  plummer: z.strictObject({
    kind: z.literal("plummer"),
    ...common("stars"),
    count: countUnlessRigid,
    mass: derived(positive, henonMass, { unit: "mass", meaning: "total mass" }),
    scale: derived(positive, henonScale, { unit: "length", meaning: "Plummer radius a" }),
    cutoff: cutoffRadius("scale", 10, "no particle lies beyond this radius at the start; unused if rigid"),
    rigid,
  }),
  hernquist: z.strictObject({
    kind: z.literal("hernquist"),
    ...common("halo"),
    count: countUnlessRigid,
    mass,
    scale,
    cutoff: cutoffRadius("scale", 10, "no particle lies beyond this radius at the start; unused if rigid"),
    rigid,
  }),
  "exponential-disk": z.strictObject({
    kind: z.literal("exponential-disk"),
    ...common("disk"),
    count,
    mass,
    scaleLength: required(positive, { unit: "length", meaning: "radial scale length Rd" }),
    scaleHeight: required(positive, { unit: "length", meaning: "vertical scale height z0" }),
    toomreQ: optional(positive, 1.2, {
      meaning: "Toomre's Q at 2.5 Rd; below 1 rings form, from 1 to 2 arms and bars",
    }),
    cutoff: cutoffRadius("scaleLength", 6, "cylindrical radius where the disk ends"),
  }),
  uniform: z.strictObject({
    kind: z.literal("uniform"),
    ...common("stars"),
    count,
    mass,
    velocityDispersion: optional(nonNegative, 0, { unit: "velocity", meaning: "dispersion along one axis, Gaussian" }),
    side: derived(positive, boxSide, { unit: "length", meaning: "side of the cube that is filled" }),
  }),
  lattice: z.strictObject({
    kind: z.literal("lattice"),
    ...common("halo"),
    perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
    count: derived(integer(8, LARGEST_U32), perSideCubed, { meaning: "number of particles" }),
    mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
    order: optional(lagrangianOrder, 2, { meaning: "1: Zel'dovich displacements; 2: second order (2LPT)" }),
    fixedAmplitudes: optional(flag, false, {
      meaning: "modes with the amplitude that they have on average (Angulo & Pontzen 2016)",
    }),
    opposite: optional(flag, false, { meaning: "phases turned by π: the pair of the same seed without" }),
  }),
  "plane-wave": z.strictObject({
    kind: z.literal("plane-wave"),
    ...common("halo"),
    perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
    count: derived(integer(8, LARGEST_U32), perSideCubed, { meaning: "number of particles" }),
    mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
    waves: optional(integer(1, 1000), 1, { meaning: "waves across the box, along x" }),
    crossing: optional(positive, 1, { meaning: "scale factor at which shells cross" }),
  }),
  kepler: z.strictObject({
    kind: z.literal("kepler"),
    ...common("stars"),
    count: optional(integer(2, 2), 2, { meaning: "two bodies" }),
    mass: derived(positive, henonMass, { unit: "mass", meaning: "total mass" }),
    massRatio: optional(massRatio, 1, { meaning: "mass of the second body over that of the first" }),
    semiMajorAxis: required(positive, { unit: "length", meaning: "semi-major axis of the relative orbit" }),
    eccentricity: optional(eccentricity, 0, { meaning: "the bodies start at apocentre" }),
  }),
  snapshot: z.strictObject({
    kind: z.literal("snapshot"),
    ...common("stars"),
    file: required(filledText, {
      meaning: "GADGET HDF5 file, relative to the deck; its masses and particle types are used",
    }),
  }),
};

export type ComponentKind = keyof typeof componentSchemas;

/** One line on each kind, for the documentation. */
export const componentMeanings: Record<ComponentKind, string> = {
  plummer: "Plummer sphere in equilibrium, ρ = 3M/(4πa³) (1 + r²/a²)^(−5/2) (Aarseth, Hénon & Wielen 1974)",
  hernquist: "Hernquist sphere in equilibrium, ρ = M a/(2π r (r + a)³) (Hernquist 1990)",
  "exponential-disk": "Disk, Σ ∝ exp(−R/Rd), ρ ∝ sech²(z/z0), as warm as Toomre's Q says, rotating in the total field",
  uniform: "Random positions in a cube, Gaussian velocities (Aubert, Amini & David 2009, §3.1)",
  lattice: "Lattice displaced by a Gaussian random field with the power spectrum of the table cosmology",
  "plane-wave": "Lattice displaced along x by a single wave (Zel'dovich 1970)",
  kepler: "Two bodies on a Kepler orbit in the xy-plane, at apocentre at the start",
  snapshot: "Particles read from a GADGET HDF5 snapshot",
};

const component = z.discriminatedUnion("kind", [
  componentSchemas.plummer,
  componentSchemas.hernquist,
  componentSchemas["exponential-disk"],
  componentSchemas.uniform,
  componentSchemas.lattice,
  componentSchemas["plane-wave"],
  componentSchemas.kepler,
  componentSchemas.snapshot,
]);

/** The tables of a deck apart from [[particles]], in deck order. */
export const sectionSchemas = { units, box, mesh, multigrid, direct, cosmology, time, output };
export type Section = keyof typeof sectionSchemas;

/** One line on each table, for the documentation and the deck as run. */
export const sectionMeanings: Record<Section, string> = {
  units: "What the numbers mean",
  box: "The region that the mesh covers",
  mesh: "The particle-mesh force",
  multigrid: 'The multigrid solver; used with mesh.poisson = "multigrid"',
  direct: 'Direct summation; used with gravity = "direct"',
  cosmology: 'The expanding background and its linear theory; used with time.clock = "comoving"',
  time: "How long and in what steps",
  output: "What is written",
};

export const headerSchema = z.strictObject(header);

/** Takes a raw deck with derived defaults filled in; yields a Scenario. */
export const scenarioSchema = z.strictObject({
  ...header,
  units: units.prefault({}),
  box: box.prefault({} as z.input<typeof box>),
  mesh: mesh.prefault({} as z.input<typeof mesh>),
  multigrid: multigrid.prefault({} as z.input<typeof multigrid>),
  direct: direct.prefault({}),
  cosmology: cosmology.prefault({}),
  particles: z.array(component).min(1),
  time: time.prefault({} as z.input<typeof time>),
  output: output.prefault({} as z.input<typeof output>),
});

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Assignable<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Compile-time proof that schema and type agree in both directions. */
export const schemaMatchesType: Assignable<z.output<typeof scenarioSchema>, Scenario> &
  Same<keyof z.output<typeof scenarioSchema>, keyof Scenario> = true;

/** The keys of a table of the deck with their schemas, in deck order. */
export type Shape = Record<string, z.ZodType>;

export function componentShape(kind: unknown): Shape | undefined {
  return typeof kind === "string" && Object.hasOwn(componentSchemas, kind)
    ? componentSchemas[kind as ComponentKind].shape
    : undefined;
}

export const componentKinds = Object.keys(componentSchemas) as ComponentKind[];

/** Fills the defaults that depend on other keys into `deck`, in place. */
export function fillDerivedDefaults(deck: RawTable): void {
  const fill = (table: unknown, shape: Shape | undefined, index: number) => {
    if (!shape || typeof table !== "object" || table === null || Array.isArray(table)) return;
    const entries = table as RawTable;
    for (const [key, schema] of Object.entries(shape)) {
      const rule = keyInfo(schema)?.derived;
      if (!rule || Object.hasOwn(entries, key)) continue;
      const value = rule.value({ deck, component: entries, index });
      if (value !== undefined) entries[key] = value;
    }
  };
  for (const [section, { shape }] of Object.entries({ mesh, multigrid, time, output })) {
    if (!Object.hasOwn(deck, section)) deck[section] = {};
    fill(deck[section], shape, 0);
  }
  if (!Array.isArray(deck.particles)) return;
  deck.particles.forEach((entry: RawTable, index) => {
    fill(entry, componentShape(entry?.kind), index);
  });
}
