/** Levels as a pipeline takes them: meshes with smaller cells about a galaxy or a place, the first within the box's mesh. */

import type { IdRange } from "../../../physics/particles/reductions.ts";
import type { PipelineSettings } from "../settings.ts";

export interface Level {
  /** For messages and tables: 'around "NGC 4038"'. */
  name: string;
  /** Number of the level in whose core this one lies; undefined: it lies in the mesh of the box. Parents come first. */
  parent: number | undefined;
  /** Side of the parent's cells over that of its own. */
  refinement: 2 | 4;
  /** Per side. */
  cells: number;
  /** Particles that it follows; empty: it stays at `place`. A level within another one has the centre of that. */
  follows: readonly IdRange[];
  /** Its centre, at the start where it follows particles, in box coordinates [length]. */
  place: readonly [number, number, number];
  /** Kicks by this level and those in it in a step. */
  substeps: number;
}

/** A level without its particles and its place: what its sizes follow from. */
export type LevelShape = Omit<Level, "follows" | "place">;

/** Kicks in a step by the fast part of the force: that of levels, or pairs. */
export const substepsWanted = ({ levels, pairs }: Pick<PipelineSettings, "levels" | "pairs">): number =>
  levels?.[0]?.substeps ?? pairs?.substeps ?? 1;
