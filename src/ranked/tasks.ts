/** A task on one rank: its particles are read, what it throws is noted. */
import type { ParticleBlock } from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import type { ParticleMasses } from "../particles/masses.ts";
import type { RankOutcome, RankTask } from "../particles/rank-tasks.ts";
import type { ComponentRange } from "../particles/state.ts";
import type { MeshPipeline } from "../pipeline/pipeline.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { begun, type PlainBlock, selected } from "./relay.ts";

/** A rank and the pipeline that holds its share of a run's particles. */
export interface Holder {
  ranks: Ranks;
  pipeline: MeshPipeline;
  /** Of all particles. */
  set: { components: readonly ComponentRange[]; masses: ParticleMasses };
}

/** All ranks at the same time: for what is to be read they may have to evaluate the forces together. */
export async function done<About, Found>(
  task: RankTask<About, Found>,
  about: About,
  { ranks, pipeline, set }: Holder,
): Promise<RankOutcome<Found>> {
  const { every = 1, ...want } = task.reads?.(about) ?? {};
  const read = task.reads && selected(pipeline.readBlocks({ ...want, reuse: true }), pipeline.share, every);
  const blocks = read && (await begun(read));
  const {
    rank,
    seat: { host },
  } = ranks;
  try {
    const own = { ...{ rank, ...set }, blocks: blocks ? withMasses(blocks, set.masses, every) : nothing() };
    return { rank, host, found: await task.run(about, own) };
  } catch (error) {
    if (error instanceof GravmeshError) return { rank, host, fault: { kind: error.kind, message: error.message } };
    throw error;
  } finally {
    await read?.return(undefined);
  }
}

async function* nothing(): AsyncGenerator<never> {}

/** Blocks with their masses, which few ask for. */
export async function* withMasses(
  blocks: AsyncIterable<PlainBlock>,
  masses: ParticleMasses,
  every: number,
): AsyncGenerator<ParticleBlock> {
  for await (const block of blocks) {
    const { first, count } = block;
    yield {
      ...block,
      get masses() {
        return masses.every(every, { first, count });
      },
    };
  }
}
