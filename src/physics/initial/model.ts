/**
 * An initial model is a record of all that the program has to know of a kind of [[particles]] table. Those that ship are
 * listed in models.ts, and a program adds its own with registerModel(); nothing else names a kind.
 *
 * A model draws one particle at a time, relative to its own centre, and never knows how many there are: that makes particle
 * i independent of the count. A model whose particles depend on each other (a lattice, a file) places them all.
 */
import { z } from "zod";
import type { FileReading } from "../../foundation/deck/file-formats.ts";
import { choice, derived, integer, LARGEST_U32, optional, vector } from "../../foundation/deck/keys.ts";
import { galaxyKey, nameKey } from "../../foundation/deck/kinds.ts";
import type { TextLoader } from "../cosmology/power.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { ParticleMasses } from "../particles/masses.ts";
import type { ParticleSource, SourceBlock } from "../particles/source.ts";
import { type ComponentRange, type ParticleSet, SPECIES, type Species } from "../particles/state.ts";
import type { CompositePart, ExternalPotential } from "../potentials/potential.ts";
import type { Draw } from "./draw.ts";
import type { FlatDensity } from "./flat-field.ts";
import type { ScaledProfile, SphericalComponent, SphericalProfile } from "./profiles.ts";
import type { EquilibriumSphere } from "./sphere.ts";
import type { TotalField } from "./total-field.ts";

/** Particles of a component that depend on each other, in blocks. */
export interface Placement {
  count: number;
  /** Where they aren't one of the component's name and species; ids from 0. */
  ranges?: readonly ComponentRange[];
  /** Ids from 0. */
  masses: ParticleMasses;
  /** In order of ids, in box coordinates. The caller may write to a block's arrays until it asks for the next. */
  blocks(): AsyncIterable<SourceBlock>;
  /** Gives back what blocks are made from, where no more are wanted. */
  release?(): void;
}

export interface SnapshotFrame {
  /** Side of the box of the file [length]; 0 if the file has none: positions are then taken as they are. */
  boxSize: number;
  /** [time]; the scale factor where the file is of an expanding box. */
  time: number;
  /** Whether the file is of an expanding box; undefined where it doesn't say. */
  comoving?: boolean | undefined;
  /** What the file says of the background: Ωm and dark energy today, h. */
  cosmology?: { omegaM?: number; darkEnergy?: number; h?: number };
  /** Side of its box as the file has it [file's unit]. */
  storedSize?: number;
  /** Where the file contradicts itself or the deck, and what was taken. */
  notes?: readonly string[];
}

/** What a snapshot file holds, in deck units. */
export type LoadedSnapshot = ParticleSet & SnapshotFrame;
/** The same, its particles as they are read. */
export type SnapshotSource = ParticleSource & SnapshotFrame;

/** `as`: what the deck says of the file that it doesn't say itself. */
export type SnapshotLoader = (file: string, as?: FileReading) => Promise<LoadedSnapshot | SnapshotSource>;

export interface DisplacementRequest {
  perSide: number;
  /** Side of the box [length]. */
  boxSize: number;
  seed: number;
  order: 1 | 2;
  fixedAmplitudes: boolean;
  opposite: boolean;
  /** Linear power spectrum [length³] at k [1/length], in the normalisation D₁ = 1. */
  power: (k: number) => number;
  /** Local non-Gaussianity; left out of a Gaussian field. */
  local?: LocalNonGaussianity | undefined;
}

/** Bardeen's potential Φ = φ + f_NL (φ² − ⟨φ²⟩) of a Gaussian φ (Komatsu & Spergel 2001, eq. 1), when matter rules. */
export interface LocalNonGaussianity {
  fNL: number;
  /** δ/Φ at k [1/length], in the normalisation D₁ = 1; above 0. */
  response: (k: number) => number;
}

/**
 * Displacements [length], [3·count, xyzxyz…], of points in lattice order, x fastest: ψ₁ = −∇φ₁ with ∇²φ₁ = δ at D₁ = 1,
 * and ψ₂ = ∇φ₂ with ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²), for order 2.
 */
export interface Displacements {
  first: Float32Array | Float64Array;
  second?: Float32Array | Float64Array;
}

export interface DisplacementFields {
  /** Those of `planes` planes of points from plane `z` on. */
  read(z: number, planes: number): Displacements | Promise<Displacements>;
  destroy?(): void;
}

export type DisplacementMaker = (request: DisplacementRequest) => Promise<DisplacementFields>;

export interface ModelMeans {
  /** Gravitational constant in deck units. */
  G: number;
  /** Reads a snapshot file; needed where particles come from one. */
  loadSnapshot?: SnapshotLoader | undefined;
  /** Reads a power spectrum's table; needed with cosmology.transfer = "file". */
  loadText?: TextLoader | undefined;
  displacements?: DisplacementMaker | undefined;
  /** Gets what there is to say of the files that were read, a line each. */
  onNote?: ((note: string) => void) | undefined;
}

export interface ModelContext extends ModelMeans {
  box: BoxSettings;
  cosmology: CosmologySettings;
  clock: "static" | "comoving";
  /** Comoving: scale factor at the start. */
  start: number;
  /** No other component with a mass profile has this centre, and the field is that of points. */
  alone: boolean;
  /** Mass of the others that have. */
  others(): SphericalProfile;
  /** Field of all about the same centre, external potentials and the component itself included. */
  field(): TotalField;
  /** Equilibrium of a component with a `sphere`, in the potential of all about the same centre. */
  equilibrium(): EquilibriumSphere;
}

/** What a model's checks see of the deck. */
export interface DeckAbout {
  gravity?: string | undefined;
  box: BoxSettings;
  particles: readonly ModelComponent[];
}

export type ComponentProblem = Record<"key" | "expected" | "hint", string>;

/** What all components have; those that are read from a file have no `count` and no `mass`. */
export type ModelComponent = Omit<z.output<z.ZodObject<Common>>, "species"> & {
  kind: string;
  /** "file": those that the file has. */
  species: Species | "file";
  count?: number;
  /** Mass of all particles of the component [mass], unless the model's Draw says otherwise. */
  mass?: number;
  rigid?: boolean;
} & Record<string, unknown>;

/** The behaviour of a model; C is its [[particles]] table as checked. */
interface Behaviour<C> {
  /** Keys with lengths of its structure, which the force should resolve (scenario/resolution.ts). */
  readonly scales?: readonly string[];
  /** Those of lengths across a plane; 0: all in it. */
  readonly heights?: readonly string[];
  /** How far particles lie at the start; absent: all of the box, or not known before a file is read. */
  readonly extent?: {
    /** From the component's centre, along the worst axis [length]. */
    reach(component: C): number;
    /** Keys that a person lowers to shrink it; the first is named when it is too large. */
    keys: readonly string[];
    /** The first key is a width, twice the reach. */
    width?: boolean;
  };
  /** Keys with names of files, relative to the deck. */
  readonly files?: readonly string[];
  /** Only with time.clock = "comoving". */
  readonly comoving?: boolean;
  massesDiffer?(component: C): boolean;
  /** What the GPU holds to place the particles, until they are uploaded and before the mesh is made [bytes]. */
  heldAtStart?(component: C): number;
  /** What the schema can't see. */
  problems?(component: C, deck: DeckAbout): ComponentProblem[];
  /** Mass profile of a spherical model: it is set up in equilibrium with all that share its centre, and they with it. */
  sphere?(component: C): SphericalComponent;
  /** Spherical mean of any other model's mass, for those that share its centre. */
  profile?(component: C, G: number): ScaledProfile;
  /** What a disk adds to the field of those that share its centre, where a spherical mean won't do. */
  flat?(component: C, G: number): FlatDensity;
  /** A field at its centre that comes with its particles. */
  fixedField?(component: C, G: number): CompositePart[];
  /** With the key `rigid`: the external potential that stands for the component. */
  potential?(component: C): Pick<ExternalPotential, "kind" | "parameters">;
  /** Throws "scenario" where the model has no equilibrium. */
  particles(component: C, context: ModelContext): Draw | Placement | Promise<Placement>;
}

export interface InitialModel<C = ModelComponent> extends Behaviour<C> {
  readonly name: string;
  /** The [[particles]] table of this kind; described with one line on the model. */
  readonly schema: z.ZodObject;
}

const common = (species: Species) => ({
  name: nameKey,
  galaxy: galaxyKey,
  species: optional(choice(...SPECIES), species, { meaning: "particle type in the snapshots" }),
  offset: optional(vector, [0, 0, 0], {
    unit: "length",
    meaning:
      "added to every position of the component (models lie about the centre of the box, or of their galaxy); periodic boxes wrap",
  }),
  velocity: optional(vector, [0, 0, 0], {
    unit: "velocity",
    meaning: "bulk velocity, added to every velocity; of a galaxy's component against the galaxy",
  }),
  seed: derived(integer(0, LARGEST_U32), seedByPosition, {
    meaning: "random seed; a seed gives the same particles anywhere, to rounding",
  }),
});

type Common = ReturnType<typeof common>;

const seedByPosition = { text: "1, 2, … by position", value: ({ index }: { index: number }) => index + 1 };

export type ModelTable<N extends string, K extends z.core.$ZodLooseShape> = z.ZodObject<
  { kind: z.ZodLiteral<N> } & Omit<Common, keyof K> & K,
  z.core.$strict
>;

export interface ModelDefinition<N extends string, K extends z.core.$ZodLooseShape>
  extends Behaviour<z.output<ModelTable<N, K>>> {
  name: N;
  /** One line, no full stop, with the source. */
  meaning: string;
  /** Species of the particles, unless the deck says otherwise. */
  species: Species;
  /** The keys of its own, in the order of the documentation; one of a common name takes its place. */
  keys: K;
}

/** A record for the list of models.ts, or for registerModel(). */
export function initialModel<const N extends string, K extends z.core.$ZodLooseShape>(
  definition: ModelDefinition<N, K>,
) {
  const { name, meaning, species, keys, ...behaviour } = definition;
  const schema = z.strictObject({ kind: z.literal(name), ...common(species), ...keys }) as unknown as ModelTable<N, K>;
  return { name, schema: schema.describe(meaning), ...behaviour };
}
