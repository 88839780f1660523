/** Pipelines that several ranks share: all make them at the same time, rank 0 from what it has, the others from its order. */
import { drawingCrew } from "#platform";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Ranks } from "../../foundation/ranks/ranks.ts";
import { solvingBy } from "../../foundation/ranks/solving.ts";
import { partsOfRecipe } from "../../physics/initial/share.ts";
import type { InitialParticles } from "../../physics/initial/source.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import { type ArraysInPieces, arrayType } from "../../physics/particles/saved-arrays.ts";
import type { ComponentRange, ParticleSet } from "../../physics/particles/state.ts";
import type { Backend } from "../backend/backend.ts";
import { DirectPipeline } from "../direct/pipeline.ts";
import { MeshPipeline } from "../pipeline/pipeline.ts";
import { ReferenceDirect } from "../reference/direct/pipeline.ts";
import { drawnSource, receivedSource, sentSource } from "./initial-source.ts";
import type { ArrayPlan, DirectRecipe, MeshRecipe } from "./rank-channel.ts";
import { allScattered } from "./relay.ts";

interface Held<Own extends Backend> {
  ranks: Ranks;
  own: Own;
  set: { components: readonly ComponentRange[]; masses: ParticleMasses };
  /** All ranks compute the same, and find the same numbers wrong. */
  alike: boolean;
  /** The state while it is being saved. */
  saved: ArraysInPieces;
}

export type JointMesh = Held<MeshPipeline>;
export type JointDirect = Omit<Held<DirectPipeline | ReferenceDirect>, "set">;

/** `given`: what rank 0 has. Throws AgreedFault where the particles are refused. */
export async function jointMesh(
  ranks: Ranks,
  gpu: GpuContext,
  { settings, groups, drawn, ...about }: MeshRecipe,
  given?: InitialParticles,
): Promise<JointMesh> {
  const solving = await solvingBy(ranks, groups);
  const parts = () => given?.drawn ?? partsOfRecipe(drawn!, { crew: drawingCrew });
  const set =
    (drawn && (await drawnSource(ranks, parts))) ??
    (given ? sentSource(ranks, given) : await receivedSource(ranks, about));
  const own = await MeshPipeline.create(gpu, settings, set, { ranks, solving });
  return { ranks, own, set: given ?? set, alike: false, saved: {} };
}

/** The same of a direct sum; `gpu` is undefined where rank 0 has none. */
export async function jointDirect(
  ranks: Ranks,
  gpu: GpuContext | undefined,
  { settings, components, onGpu, worth, plans }: DirectRecipe,
  given?: ParticleSet,
): Promise<JointDirect> {
  const found = await allScattered(ranks, plans, given && arraysOf(given));
  const particles = given ?? {
    ...{ count: found.masses.length, components: [...components] },
    positions: found.positions as Float64Array,
    velocities: found.velocities as Float64Array | Float32Array,
    masses: found.masses as Float64Array,
  };
  const sharing = { ranks, worth };
  const own = onGpu
    ? await DirectPipeline.create(gpu!, settings, particles, { sharing })
    : new ReferenceDirect(settings, particles, sharing);
  return { ranks, own, alike: true, saved: {} };
}

/** What a direct sum takes of its particles. */
export const arraysOf = ({ positions, velocities, masses }: ParticleSet) => ({ positions, velocities, masses });

/** Plans of arrays that every rank gets; `widths`: words a particle of those that are shared out. */
export const plansOf = (arrays: ArraysInPieces, widths: Readonly<Record<string, number>> = {}): ArrayPlan[] =>
  Object.entries(arrays).map(([name, array]) => ({
    ...{ name, type: arrayType(array), length: array.length },
    ...(widths[name] !== undefined && { perParticle: widths[name] }),
  }));
