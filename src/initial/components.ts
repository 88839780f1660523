/**
 * The [[particles]] tables: a model each that particles are drawn from, with its keys, its checks and its extent.
 */
import { z } from "zod";
import { type CosmologySettings, cosmologyDefaults, matterOf } from "../cosmology/settings.ts";
import {
  choice,
  type DerivedDefault,
  derived,
  either,
  entry,
  filledText,
  flag,
  integer,
  LARGEST_U32,
  nonNegative,
  optional,
  positive,
  positiveNumber,
  type RawTable,
  required,
  STAND_IN,
  vector,
} from "../deck/keys.ts";
import { type KindTables, nameKey } from "../deck/kinds.ts";
import { isMeshSize, nearestMeshSizes } from "../deck/mesh-sizes.ts";
import { mismatch, type Path, type Problem, shortest } from "../deck/problems.ts";
import type { UnitsSettings } from "../deck/units.ts";
import type { BoxSettings } from "../particles/box.ts";
import { SPECIES, type Species } from "../particles/state.ts";
import { Registry } from "../registry.ts";

/** Virial equilibrium with G = M = 1 and E = −1/4 (Hénon units): a = 3π/16. */
export const HENON_PLUMMER_SCALE = (3 * Math.PI) / 16;

/** The part of the half box that a default cut-off may fill: clear of the mesh's edges from about 70 cells up. */
const FILLED_HALF_BOX = 0.9;

function isNbody(deck: RawTable): boolean {
  return (entry(deck, "units", "system") ?? "nbody") === "nbody";
}

/** Largest |offset| along an axis. */
function reach(component: RawTable): number {
  const offset = component.offset ?? [0, 0, 0];
  if (!Array.isArray(offset) || !offset.every((x) => typeof x === "number")) return 0;
  return Math.max(...offset.map(Math.abs));
}

const seedByPosition: DerivedDefault = {
  text: "1, 2, … by position",
  value: ({ index }) => index + 1,
};

const noneIfRigid: DerivedDefault = {
  text: "required, 0 if rigid",
  value: ({ table }) => (table.rigid === true ? 0 : undefined),
};

const henonMass: DerivedDefault = {
  text: "required, 1 in nbody units",
  value: ({ deck }) => (isNbody(deck) ? 1 : undefined),
};

const henonScale: DerivedDefault = {
  text: "required, 3π/16 in nbody units",
  value: ({ deck }) => (isNbody(deck) ? HENON_PLUMMER_SCALE : undefined),
};

/** `multiple` times the length under `key`, or the largest sphere about the component that fits the box. */
function cutoffFrom(key: "scale" | "scaleLength", multiple: number): DerivedDefault {
  return {
    text: `${multiple} × ${key}, or what fits the box`,
    value({ deck, table }) {
      const scale = positiveNumber(table[key]);
      const size = positiveNumber(entry(deck, "box", "size"));
      if (scale === undefined || size === undefined) return STAND_IN;
      const room = size / 2 - (entry(deck, "box", "boundary") === "periodic" ? 0 : reach(table));
      return room > 0 ? Math.min(multiple * scale, FILLED_HALF_BOX * room) : STAND_IN;
    },
  };
}

const boxSide: DerivedDefault = {
  text: "box.size",
  value: ({ deck }) => positiveNumber(entry(deck, "box", "size")) ?? STAND_IN,
};

const perSideCubed: DerivedDefault = {
  text: "perSide³",
  value: ({ table }) => (positiveNumber(table.perSide) ?? 2) ** 3,
};

const matterInBox: DerivedDefault = {
  text: "cosmology.omegaM times the critical density times the box",
  value({ deck }) {
    const size = positiveNumber(entry(deck, "box", "size")) ?? STAND_IN;
    return matterOf(positiveNumber(entry(deck, "cosmology", "omegaM")) ?? cosmologyDefaults.omegaM, size);
  },
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

/** Keys that every component has. */
const common = (species: Species) => ({
  name: nameKey,
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
  plummer: z
    .strictObject({
      kind: z.literal("plummer"),
      ...common("stars"),
      count: countUnlessRigid,
      mass: derived(positive, henonMass, { unit: "mass", meaning: "total mass" }),
      scale: derived(positive, henonScale, { unit: "length", meaning: "Plummer radius a" }),
      cutoff: cutoffRadius("scale", 10, "no particle lies beyond this radius at the start; unused if rigid"),
      rigid,
    })
    .describe("Plummer sphere in equilibrium, ρ = 3M/(4πa³) (1 + r²/a²)^(−5/2) (Aarseth, Hénon & Wielen 1974)"),
  hernquist: z
    .strictObject({
      kind: z.literal("hernquist"),
      ...common("halo"),
      count: countUnlessRigid,
      mass,
      scale,
      cutoff: cutoffRadius("scale", 10, "no particle lies beyond this radius at the start; unused if rigid"),
      rigid,
    })
    .describe("Hernquist sphere in equilibrium, ρ = M a/(2π r (r + a)³) (Hernquist 1990)"),
  "exponential-disk": z
    .strictObject({
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
    })
    .describe("Disk, Σ ∝ exp(−R/Rd), ρ ∝ sech²(z/z0), as warm as Toomre's Q says, rotating in the total field"),
  uniform: z
    .strictObject({
      kind: z.literal("uniform"),
      ...common("stars"),
      count,
      mass,
      velocityDispersion: optional(nonNegative, 0, {
        unit: "velocity",
        meaning: "dispersion along one axis, Gaussian",
      }),
      side: derived(positive, boxSide, { unit: "length", meaning: "side of the cube that is filled" }),
    })
    .describe("Random positions in a cube, Gaussian velocities (Aubert, Amini & David 2009, §3.1)"),
  lattice: z
    .strictObject({
      kind: z.literal("lattice"),
      ...common("halo"),
      perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
      count: derived(integer(8, LARGEST_U32), perSideCubed, { meaning: "number of particles" }),
      mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
      order: optional(either(1, 2), 2, { meaning: "1: Zel'dovich displacements; 2: second order (2LPT)" }),
      fixedAmplitudes: optional(flag, false, {
        meaning: "modes with the amplitude that they have on average (Angulo & Pontzen 2016)",
      }),
      opposite: optional(flag, false, { meaning: "phases turned by π: the pair of the same seed without" }),
    })
    .describe("Lattice displaced by a Gaussian random field with the power spectrum of the table cosmology"),
  "plane-wave": z
    .strictObject({
      kind: z.literal("plane-wave"),
      ...common("halo"),
      perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
      count: derived(integer(8, LARGEST_U32), perSideCubed, { meaning: "number of particles" }),
      mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
      waves: optional(integer(1, 1000), 1, { meaning: "waves across the box, along x" }),
      crossing: optional(positive, 1, { meaning: "scale factor at which shells cross" }),
    })
    .describe("Lattice displaced along x by a single wave (Zel'dovich 1970)"),
  kepler: z
    .strictObject({
      kind: z.literal("kepler"),
      ...common("stars"),
      count: optional(integer(2, 2), 2, { meaning: "two bodies" }),
      mass: derived(positive, henonMass, { unit: "mass", meaning: "total mass" }),
      massRatio: optional(massRatio, 1, { meaning: "mass of the second body over that of the first" }),
      semiMajorAxis: required(positive, { unit: "length", meaning: "semi-major axis of the relative orbit" }),
      eccentricity: optional(eccentricity, 0, { meaning: "the bodies start at apocentre" }),
    })
    .describe("Two bodies on a Kepler orbit in the xy-plane, at apocentre at the start"),
  snapshot: z
    .strictObject({
      kind: z.literal("snapshot"),
      ...common("stars"),
      file: required(filledText, {
        meaning: "GADGET HDF5 file, relative to the deck; its masses and particle types are used",
      }),
    })
    .describe("Particles read from a GADGET HDF5 snapshot"),
};

type Schemas = typeof componentSchemas;
export type ParticleComponent = { [K in keyof Schemas]: z.output<Schemas[K]> }[keyof Schemas];
type OfKind<K extends ParticleComponent["kind"]> = Extract<ParticleComponent, { kind: K }>;
export type PlummerComponent = OfKind<"plummer">;
export type HernquistComponent = OfKind<"hernquist">;
export type ExponentialDiskComponent = OfKind<"exponential-disk">;
export type UniformComponent = OfKind<"uniform">;
export type LatticeComponent = OfKind<"lattice">;
export type PlaneWaveComponent = OfKind<"plane-wave">;
export type KeplerComponent = OfKind<"kepler">;
export type SnapshotComponent = OfKind<"snapshot">;

export const particleTables: KindTables = {
  name: "particles",
  noun: "component",
  meaning: "the model that the particles are drawn from",
  least: 1,
  kinds: new Registry(
    "initial model",
    Object.entries(componentSchemas).map(([name, schema]) => ({ name, schema })),
  ),
};

/** What initial conditions need of a scenario. */
export interface InitialSettings {
  units: UnitsSettings;
  box: BoxSettings;
  cosmology: CosmologySettings;
  time: { clock: "static" | "comoving"; start: number };
  particles: ParticleComponent[];
}

/** Components that are drawn from a model, as opposed to read from a file. */
export type SampledParticleComponent = Exclude<ParticleComponent, { kind: "snapshot" }>;

/** True for a fixed external field without particles. */
export function isRigid(component: ParticleComponent): boolean {
  return (component.kind === "plummer" || component.kind === "hernquist") && component.rigid;
}

/** Components whose particles are drawn from a model: neither rigid nor read from a file. */
export function sampledComponents(scenario: Pick<InitialSettings, "particles">): SampledParticleComponent[] {
  return scenario.particles.filter(
    (component): component is SampledParticleComponent => component.kind !== "snapshot" && !isRigid(component),
  );
}

/** Particles drawn from models; those of snapshots are known only when the file is read. */
export function sampledCount(scenario: Pick<InitialSettings, "particles">): number {
  return sampledComponents(scenario).reduce((sum, component) => sum + component.count, 0);
}

/** Distance from the box centre, along the worst axis, that the component's particles fill [length]. */
export function extent(component: SampledParticleComponent): number {
  const offset = Math.max(...component.offset.map(Math.abs));
  switch (component.kind) {
    case "uniform":
      return offset + component.side / 2;
    case "kepler":
      return offset + apocentre(component);
    case "lattice":
    case "plane-wave":
      return Number.POSITIVE_INFINITY; // all of the box
    default:
      return offset + component.cutoff;
  }
}

/** Farthest that a body of the pair gets from their centre of mass [length]: the lighter one, at apocentre. */
function apocentre({ semiMajorAxis, eccentricity, massRatio }: KeplerComponent): number {
  return (semiMajorAxis * (1 + eccentricity)) / (1 + massRatio);
}

/** Checks of an unchecked table that come before the schema's verdict, so that they are listed with the others. */
export function rawComponentProblems({ rigid, count }: RawTable, index: number): Problem[] {
  const path = ["particles", index, "count"];
  if (rigid !== true && count === 0) return [mismatch(path, `a whole number from 1 to ${LARGEST_U32}`, count)];
  if (rigid === true && typeof count === "number" && count > 0) {
    const hint = "Leave count out, set it to 0, or set rigid = false";
    return [mismatch(path, "no count with rigid = true, which has no particles", count, hint)];
  }
  return [];
}

/** What is wrong with a component in its box. */
export function componentProblems(
  component: ParticleComponent,
  index: number,
  { box, time }: Pick<InitialSettings, "box" | "time">,
): Problem[] {
  const at = (key: string) => ["particles", index, key];
  const problems: Problem[] = [];
  if (component.kind === "lattice" || component.kind === "plane-wave") {
    if (time.clock === "static") {
      const expected = 'time.clock = "comoving" for the kinds lattice and plane-wave';
      problems.push(mismatch(at("kind"), expected, component.kind, "Set it in the table time"));
    } else problems.push(...latticeProblems(component, at));
  }
  if (isRigid(component) && box.boundary === "periodic") {
    const expected = 'rigid = false in a box with boundary = "periodic"';
    problems.push(mismatch(at("rigid"), expected, true, 'Use particles instead, or boundary = "isolated"'));
  }
  if (component.kind === "snapshot") return problems;
  const half = box.size / 2;
  if (Math.max(...component.offset.map(Math.abs)) >= half) {
    const expected = `a centre inside the box, less than box.size/2 = ${shortest(half)} from its centre on each axis`;
    problems.push(mismatch(at("offset"), expected, component.offset));
  } else if (!isRigid(component)) problems.push(...extentProblems(component, index, box));
  return problems;
}

function latticeProblems(component: LatticeComponent | PlaneWaveComponent, at: (key: string) => Path): Problem[] {
  const { kind, count, perSide } = component;
  const problems: Problem[] = [];
  if (kind === "lattice" && !isMeshSize(perSide)) {
    const hint = `Nearest: ${nearestMeshSizes(perSide).join(" and ")}`;
    const expected = "2^k or 3*2^k, from 16 up: what the transform divides";
    problems.push(mismatch(at("perSide"), expected, perSide, hint));
  }
  if (count !== perSide ** 3) {
    problems.push(mismatch(at("count"), `perSide³ = ${perSide ** 3}`, count, "Leave count out"));
  }
  return problems;
}

function extentProblems(component: SampledParticleComponent, index: number, box: BoxSettings): Problem[] {
  const half = box.size / 2;
  const offset = box.boundary === "periodic" ? 0 : Math.max(...component.offset.map(Math.abs));
  const aside = offset > 0 ? ` − |offset|` : "";
  const isCube = component.kind === "uniform";
  const room = isCube ? 2 * (half - offset) : half - offset;
  if (component.kind === "lattice" || component.kind === "plane-wave") return [];
  const isPair = component.kind === "kepler";
  const size = isCube ? component.side : isPair ? apocentre(component) : component.cutoff;
  if (size <= room) return [];
  const key = isCube ? "side" : isPair ? "semiMajorAxis" : "cutoff";
  const limit = isCube && offset === 0 ? "box.size" : isCube ? `2 (box.size/2${aside})` : `box.size/2${aside}`;
  const expected = `at most ${limit} = ${shortest(room)}, so that the particles are inside the box`;
  return [mismatch(["particles", index, key], expected, size, `Lower ${key} or raise box.size`)];
}

/** The smallest length of the model, by its key [length]. */
export function smallestScale(component: SampledParticleComponent): [key: string, length: number] {
  switch (component.kind) {
    case "uniform":
      return ["side", component.side];
    case "lattice":
    case "plane-wave":
      return ["perSide", Number.POSITIVE_INFINITY];
    case "kepler":
      return ["semiMajorAxis", component.semiMajorAxis];
    case "exponential-disk":
      return component.scaleHeight < component.scaleLength
        ? ["scaleHeight", component.scaleHeight]
        : ["scaleLength", component.scaleLength];
    default:
      return ["scale", component.scale];
  }
}
