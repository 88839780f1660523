/** What goes into a snapshot file and what comes out of one, apart from any file: the types that programs see. */

import type { FileReading } from "../../foundation/deck/file-formats.ts";
import type { UnitSystemName } from "../../foundation/deck/units.ts";
import type { CosmologySettings } from "../../physics/cosmology/settings.ts";
import type { ParticleBlock, ParticleColumn } from "../../physics/particles/blocks.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { ParticleSource } from "../../physics/particles/source.ts";
import type { ComponentRange, ParticleSet } from "../../physics/particles/state.ts";
import type { Need } from "./column.ts";
import type { FileCosmology } from "./snapshot-units.ts";

/** What a file says of its particles. */
export interface ParticleFileFrame {
  /** Side of the box [length]; 0 when the file does not give one. */
  boxSize: number;
  /** The same as the file has it, in its own unit. */
  storedSize: number;
  /** Where the file contradicts itself or the deck, and what was taken. */
  notes: readonly string[];
  /** [time]; the scale factor in a comoving file. */
  time: number;
  /** Whether it is of an expanding box; undefined where the file doesn't tell. */
  comoving: boolean | undefined;
  /** What the file says of the background. */
  cosmology: FileCosmology;
  /** Where the levels of the run were that wrote it, if any. */
  cores?: readonly LevelCore[];
}

/** The particles of a file in arrays. */
export interface Snapshot extends ParticleSet, ParticleFileFrame {}

/** The same, read block after block as they are asked for. */
export interface FileSource extends ParticleSource, ParticleFileFrame {
  /** Above 1 in a subsample, which has the particles whose id it divides. */
  every: number;
}

export interface ReadOptions {
  /** The deck's system; a file in other physical units is converted to it. Without it, numbers are as stored. */
  units?: UnitSystemName;
  /** The deck's clock is comoving: velocities of a comoving file become canonical momenta a² dx/dt. */
  comoving?: boolean;
  /** "start", all that a run starts from, unless positions alone are wanted: then velocities and single masses are 0. */
  need?: Need;
  /** What a deck says of the file. */
  as?: FileReading | undefined;
  /** The deck's: where the file has no scale factor, and no h. */
  scaleFactor?: number;
  h?: number;
  /** Particles of a block at most. */
  block?: number;
  /** Called with the number of particles before memory is taken for them; may throw. */
  admit?: (count: number) => void;
}

/**
 * What is written: particles in box coordinates, with the potential [velocity²] and the accelerations [velocity/time]
 * where they are wanted.
 */
export type SnapshotParticles = ParticleSet & Pick<ParticleBlock, "potential" | "accelerations">;

/** The same, block after block. */
export interface SnapshotContent {
  /** Particles that are written. */
  count: number;
  /** By the numbers of particles among those. */
  components: readonly ComponentRange[];
  masses: ParticleMasses;
  /** Digits of a component of a velocity. */
  bits: 32 | 64;
  /** The id of a particle over its number: above 1 in a subsample. */
  every?: number;
  /** All of them in order, with what is to be written. */
  blocks(): AsyncIterable<ParticleBlock>;
}

/** What a snapshot needs of a deck; all of the deck goes into /Parameters. */
export interface SnapshotDeck {
  units: { system: UnitSystemName };
  box: { size: number; boundary: "isolated" | "periodic" };
  time: { clock: "static" | "comoving" };
  cosmology: CosmologySettings;
  output: {
    compression: number;
    /** At most; one file when left out. */
    particlesPerFile?: number;
  };
}

export interface SnapshotInfo {
  /** The deck as run. */
  scenario: SnapshotDeck;
  /** [time] in deck units. */
  time: number;
  /** What is written of a particle, in this order. */
  fields: readonly ParticleColumn[];
  /** Where the run's levels are. */
  cores?: readonly LevelCore[];
  /** The version of gravmesh that wrote the file. */
  version?: string;
}
