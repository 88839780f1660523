/** What all ranks do with a shared pipeline: rank 0 names a function, all call it, rank 0's result counts. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { answers, type Ranks } from "../../foundation/ranks/ranks.ts";
import type { BlockRequest, ParticleBlock } from "../../physics/particles/blocks.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { RankOutcome, RankTask } from "../../physics/particles/rank-tasks.ts";
import type { ArraysInPieces } from "../../physics/particles/saved-arrays.ts";
import type { AdvanceControl, Backend, HostTraffic, StageTime, StepPlan } from "../backend/backend.ts";
import type { MeshPipeline } from "../pipeline/pipeline.ts";
import type { JointDirect, JointMesh } from "./joint-pipelines.ts";
import { type ArrayPlan, RankChannel } from "./rank-channel.ts";
import { allScattered, type PlainBlock, relayedBlocks, relayedPieces, selected, started } from "./relay.ts";

export type AnyTask = RankTask<never, unknown>;

export const REDUCTION_CALLS = [
  ...(["maps", "centre", "meanVelocity", "radius", "shells", "rings"] as const),
  ...(["waves", "multipoles", "velocityMaps"] as const),
] as const;
type ReductionCall = (typeof REDUCTION_CALLS)[number];

const LED: StepPlan = {
  next: () => {
    throw new Error("only rank 0 knows the steps of a run");
  },
  note: () => {},
};

interface Restored {
  format: string;
  plans: readonly ArrayPlan[];
}

async function restore({ ranks, own }: JointMesh | JointDirect, { format, plans }: Restored, given?: ArraysInPieces) {
  await own.restoreState({ format, arrays: await allScattered(ranks, plans, given) });
}

/** What follows `about` rank 0 alone has. */
export const MESH_WORK = {
  follow: ({ own }: JointMesh, _: null, plan = LED, control?: AdvanceControl) => own.follow(plan, control),
  sums: ({ own }: JointMesh) => own.sums(),
  extremes: ({ own }: JointMesh) => own.extremes(),
  modified: ({ own }: JointMesh) => own.modifiedPotentials(),
  spectrum: ({ own }: JointMesh, settings: Parameters<MeshPipeline["powerSpectrum"]>[0]) => own.powerSpectrum(settings),
  reduce: ({ own }: JointMesh, { call, values }: { call: ReductionCall; values: readonly unknown[] }) => {
    const reductions = own.reductions() as Record<ReductionCall, (...values: unknown[]) => Promise<unknown>>;
    return reductions[call](...values.map((value) => value ?? undefined)); // JSON has null for undefined
  },
  blocks: ({ ranks, own }: JointMesh, want: BlockRequest) =>
    relayedBlocks(ranks, own.share, want, (ours) => own.readBlocks(ours)),
  save: async (held: JointMesh) => {
    const state = await held.own.saveInPieces();
    held.saved = state.arrays;
    return state;
  },
  column: ({ ranks, saved }: JointMesh, name: string) => relayedPieces(ranks, saved[name]),
  restore,
  times: ({ ranks, own }: JointMesh) => answers(ranks, own.stageTimes()),
  resetTimes: async ({ own }: JointMesh) => own.resetTimes(),
  task: async (held: JointMesh, { about }: { name: string; about: unknown }, task?: AnyTask) =>
    answers(held.ranks, await outcomeOf(task!, about as never, held)),
} as const;

export const DIRECT_WORK = {
  advance: ({ own }: JointDirect, about: Advance, control?: AdvanceControl) =>
    own.advance(about.steps, about.dt, control ?? { submission: about.submission }),
  sums: ({ own }: JointDirect) => own.sums(),
  extremes: ({ own }: JointDirect) => own.extremes(),
  forces: ({ own }: JointDirect, _: null, want: Parameters<JointDirect["own"]["readParticles"]>[0] = FORCES) =>
    own.readParticles(want),
  restore,
} as const;

interface Advance {
  steps: number;
  dt: number;
  submission?: number | undefined;
}

const FORCES = { accelerations: true };

/** A task on one rank: its particles are read, for which all may evaluate the forces together; what it throws is noted. */
async function outcomeOf<About, Found>(
  task: RankTask<About, Found>,
  about: About,
  { ranks, own, set }: JointMesh,
): Promise<RankOutcome<Found>> {
  const { every = 1, ...want } = task.reads?.(about) ?? {};
  const read = task.reads && selected(own.readBlocks({ ...want, reuse: true }), own.share, every);
  const blocks = read && (await started(read));
  const { components, masses } = set;
  const where = { rank: ranks.rank, host: ranks.seat.host };
  try {
    const ours = { rank: ranks.rank, components, masses, blocks: withJointMasses(blocks ?? nothing(), masses, every) };
    return { ...where, found: await task.run(about, ours) };
  } catch (error) {
    if (error instanceof GravmeshError) return { ...where, fault: { kind: error.kind, message: error.message } };
    throw error;
  } finally {
    await read?.return(undefined);
  }
}

async function* nothing(): AsyncGenerator<never> {}

export async function* withJointMasses(
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

type Works = Readonly<Record<string, (...args: never[]) => unknown>>;
type About<F> = F extends (held: never, about: infer A, ...own: never[]) => unknown ? A : undefined;
type Own<F> = F extends (held: never, about: never, ...own: infer O) => unknown ? O : [];

/** A shared pipeline as rank 0 has it: work that all do on its order, and what is its own. */
export abstract class RankedBackend<Held extends JointMesh | JointDirect, Work extends Works> {
  readonly kind: Backend["kind"];
  readonly traffic?: () => HostTraffic;

  protected constructor(
    protected readonly held: Held,
    private readonly work: Work,
    private readonly number: number,
  ) {
    const own: Backend = held.own;
    this.kind = own.kind;
    if (own.traffic) this.traffic = () => own.traffic!();
  }

  protected get ranks(): Ranks {
    return this.held.ranks;
  }

  protected get own(): Held["own"] {
    return this.held.own;
  }

  protected orderTo<K extends keyof Work & string>(work: K, about: About<Work[K]>) {
    return { do: "work", number: this.number, work, about } as const;
  }

  /** Does a work on all ranks; `own`: what rank 0 alone has for it. */
  protected together<K extends keyof Work & string>(
    name: K,
    about: About<Work[K]>,
    ...own: Partial<Own<Work[K]>>
  ): Promise<Awaited<ReturnType<Work[K]>>> {
    type Done = Awaited<ReturnType<Work[K]>>;
    const work = this.work[name] as unknown as (held: Held, about: About<Work[K]>, ...own: unknown[]) => Done;
    const mine = async () => work(this.held, about, ...own);
    return RankChannel.of(this.ranks).jointly(this.orderTo(name, about), mine, this.held.alike) as Promise<Done>;
  }

  /** Times of rank 0, as all that follows. */
  stageTimes(): StageTime[] {
    return this.own.stageTimes();
  }

  timeStages(): void {
    (this.own as Backend).timeStages?.();
  }

  resetTimes(): void {
    (this.own as Backend).resetTimes?.();
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.own.memory();
  }

  destroy(): void {
    RankChannel.of(this.ranks).later({ do: "destroy", number: this.number });
    this.own.destroy();
  }
}
