/** Work of each rank with its own particles, other than steps: all know a task by its name and begin it together. */
import { type ErrorKind, GravmeshError } from "../../foundation/base/errors.ts";
import type { BlockRequest, ParticleBlock } from "./blocks.ts";
import type { ParticleMasses } from "./masses.ts";
import type { ComponentRange } from "./state.ts";

/** `About` and `Found` are plain data, which go from rank to rank. */
export interface RankTask<About, Found> {
  readonly name: string;
  /** What it reads of the particles; nothing when left out. */
  reads?(about: About): BlockRequest;
  /** What it throws is reported, and ends neither the rank nor the run. It asks nothing of the other ranks. */
  run(about: About, own: OwnParticles): Promise<Found>;
}

export interface OwnParticles {
  rank: number;
  /** The components of all particles of the run. */
  components: readonly ComponentRange[];
  masses: ParticleMasses;
  /** What the task reads, in id order: the ids that this rank has, as they are in the run. */
  blocks: AsyncIterable<ParticleBlock>;
}

export type RankOutcome<Found> = { rank: number; host: string } & (
  | { found: Found; fault?: undefined }
  | { fault: { kind: ErrorKind; message: string } }
);

/** Has all ranks do a task; what came of it in the order of ranks. */
export type AskRanks = <About, Found>(task: RankTask<About, Found>, about: About) => Promise<RankOutcome<Found>[]>;

/** What all ranks found. Throws what went wrong on the first that failed, with its name; `advice` follows. */
export function foundByAll<Found>(outcomes: readonly RankOutcome<Found>[], advice = ""): Found[] {
  return outcomes.map((outcome) => {
    if (outcome.fault === undefined) return outcome.found;
    const { rank, host, fault } = outcome;
    throw new GravmeshError(fault.kind, `rank ${rank} on ${host}: ${fault.message}${advice}`);
  });
}
