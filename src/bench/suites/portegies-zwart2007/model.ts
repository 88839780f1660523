/**
 * The performance model of Portegies Zwart, Belleman & Geldof (2007), section 5: seconds of a block of n particles among N,
 *   t = t_block + t_predict N + t_correct n + t_pair N n + t_transfer          (eqs. 10–13 and 15)
 * and of a time unit, the number of blocks times that (eq. 16). t_block, what a block costs however few its particles
 * are, is not in the paper: its transfers outweigh it. Ours has no transfers: between blocks nothing leaves the GPU.
 *
 * What it is made of (table 3), each measured by itself on the machine at hand:
 *   pair     forces of a usual block on 16384 sources
 *   block    a run of a close pair with few spectators, whose blocks hold the pair alone
 *   predict  the same with many spectators, which are predicted at every block
 *   correct  equal steps for a few particles, less their forces and predictions
 * On the CPU the reference pipeline times its stages itself.
 */
import { least } from "d3-array";
import { type BlockShape, mostForOne } from "../../../direct/block-kernels.ts";
import { bodyBytes, forceBytes, packBodies } from "../../../direct/bodies.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import type { DirectSettings, Precision } from "../../../direct/settings.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { releasing } from "../../releasing.ts";
import { inTurns, secondsOf } from "../../timing.ts";
import { backendOf, drawn, type Engine, largestStep, unable, within } from "../hermite.ts";
import type { LeftOut, MeasurementContext } from "../spec.ts";
import { forcesOf, interactionSeconds, scenarioOf, sphereOf } from "./measure.ts";
import { type PaperMachine, PRINTED, paperBlocks, paperMembers } from "./published.ts";

/** What the model is made of, [s] each. */
export interface Costs {
  /** The cost of a block, whatever it holds. */
  block: number;
  /** The costs of each particle, and of each member of the block. */
  predict: number;
  correct: number;
  /** The cost of each source of each member. */
  pair: number;
  /** Sending and receiving: of each particle, and of each member of the block. */
  transferAll?: number;
  transferMember?: number;
}

export interface Blocks {
  /** In a time unit. */
  blocks: number;
  /** Particles of one, on average. */
  members: number;
}

/** Seconds of a time unit of so many particles (eqs. 10 and 16), with the paper's numbers of blocks unless others are given. */
export function unitSeconds(
  { block, predict, correct, pair, transferAll = 0, transferMember = 0 }: Costs,
  count: number,
  { blocks, members }: Blocks = { blocks: paperBlocks(count), members: paperMembers(count) },
): number {
  const all = (predict + transferAll) * count;
  return blocks * (block + all + (correct + transferMember) * members + pair * count * members);
}

/** Cycles of a prediction and of a correction on the paper's host, of 3.4 GHz (section 5.1). */
const CYCLE = 1 / 3.4e9;

/** The paper's machines in its model: the GPUs exchange all particles with the host at every block, GRAPE those in it. */
export function paperCosts(machine: PaperMachine): Costs {
  const { pair, send = 0, receive = 0 } = PRINTED[machine];
  const host = { block: 0, predict: 900 * CYCLE, correct: 16_000 * CYCLE, pair };
  const exchanged = machine === "8800GTX" || machine === "FX1400" ? "transferAll" : "transferMember";
  return { ...host, [exchanged]: send + receive };
}

/** What of a block depends on how the loop over blocks is arranged: in one workgroup for few particles, or over many. */
export interface LoopCosts {
  /** Up to so many particles; without, for more. */
  upTo?: number;
  block: number;
  predict: number;
}

export interface MeasuredCosts extends Pick<Costs, "correct" | "pair"> {
  loops: LoopCosts[];
  /** To the GPU and from it, which the model has no use for here. */
  send?: number;
  receive?: number;
}

/** The costs that hold for so many particles. */
export function costsFor({ loops, correct, pair }: MeasuredCosts, count: number): Costs {
  const { block, predict } = loops.find(({ upTo }) => upTo === undefined || count <= upTo)!;
  return { block, predict, correct, pair };
}

/** Sources of the forces, and particles of which many workgroups predict all; for one workgroup they are as many as it is taken for. */
const MANY = 16_384;
/** Particles with which the cost of a block is measured, the one that doesn't grow. */
const FEW = 16;
/** Particles that all take the same step. */
const EQUAL = 256;

/** Blocks of a submission, and submissions before those that are timed. */
const BLOCKS_OF_A_SUBMISSION = 128;
const WARM_UP = 1;

/** How long blocks are timed: on a busy machine one submission of many is likely to run undisturbed. */
export interface CostPlan {
  /** Submissions that are timed, of which the quickest counts. */
  submissions: number;
  /** From two on, none begins after so long [s]. */
  longest: number;
}

/** Largest step over the pair's step: a power of two; the pair asks for 1.4 of its own. */
const BLOCKS_OF_A_STEP = 2 ** 14;
const SEPARATION = 0.01;
const BOX = 8;

/**
 * A circular pair, and spectators without mass at rest on its axis, where its pull doesn't change with its phase. In a
 * largest step of 1 the pair takes 2¹⁴ steps, √ν/ω each by its criterion, and the spectators one.
 */
export function pairWithSpectators(count: number, nu: number): ParticleSet {
  const frequency = (Math.sqrt(nu) * BLOCKS_OF_A_STEP) / Math.SQRT2;
  const positions = new Float64Array(3 * count).fill(BOX / 2);
  const velocities = new Float64Array(3 * count);
  const masses = new Float64Array(count);
  for (const [i, side] of [0.5, -0.5].entries()) {
    masses[i] = 0.5 * frequency ** 2 * SEPARATION ** 3;
    positions[3 * i] += side * SEPARATION;
    velocities[3 * i + 1] = side * SEPARATION * frequency;
  }
  for (let i = 2; i < count; i++) positions[3 * i + 2] += 1 + i / count;
  return { count, positions, velocities, masses, components: [{ name: "pair", species: "stars", first: 0, count }] };
}

/** A run that is made to be timed. */
export interface Probe {
  particles: ParticleSet;
  steps: DirectSettings["steps"];
  /** The largest step [time], and how many of them at most. */
  dt: number;
  most: number;
  loop?: BlockShape;
  plan: CostPlan;
}

/** Seconds of a block of a run, and its particles on average. The last block of the last largest step is left out: it is of all particles. */
export async function probed(precision: Precision, probe: Probe, { gpu, signal }: MeasurementContext) {
  const { particles, steps, dt, most, loop, plan } = probe;
  const { direct, box } = scenarioOf(particles.count);
  const [softening, boxSize] = steps === "block" ? [0, BOX] : [direct.softening, box.size];
  const settings = {
    direct: { ...direct, steps, precision, softening },
    boxSize,
    G: 1,
    externalPotentials: [],
    step: dt,
  };
  const options = { blocksPerSubmission: BLOCKS_OF_A_SUBMISSION, ...(loop && { loop }) };
  return releasing(DirectPipeline.create(gpu, settings, particles, options), async (pipeline) => {
    const enough = new AbortController();
    const reports: { ms: number; blocks: number; members: number }[] = [];
    const onProgress = (done: number) => {
      if (done >= most) return;
      const { blocks, "particle steps": members } = pipeline.counters();
      reports.push({ ms: performance.now(), blocks, members });
      const timed = reports.length - 1 - WARM_UP;
      const long = reports[0].ms + 1000 * plan.longest < performance.now();
      if (timed >= plan.submissions || (timed >= 2 && long)) enough.abort();
    };
    await within(enough.signal, signal, (either) => pipeline.advance(most, dt, { signal: either, onProgress }));
    const intervals = reports.slice(WARM_UP + 1).map(({ ms, blocks, members }, i) => {
      const before = reports[WARM_UP + i];
      const made = blocks - before.blocks;
      return { seconds: (ms - before.ms) / 1000 / made, members: (members - before.members) / made };
    });
    return least(intervals, ({ seconds }) => seconds)!;
  });
}

async function gpuCosts(precision: Precision, plan: CostPlan, context: MeasurementContext): Promise<MeasuredCosts> {
  const { gpu, signal, progress } = context;
  const particles = await drawn(scenarioOf(MANY), signal);
  const pair = await interactionSeconds(precision, particles, context);
  progress(0.2);
  const { nu } = scenarioOf(FEW).direct;
  /** Blocks that hold a pair alone, with few and with many spectators. */
  const loopCosts = async (loop: BlockShape): Promise<LoopCosts> => {
    const probe = { steps: "block", dt: 1, most: 1, loop, plan } as const;
    const of = (count: number) => probed(precision, { ...probe, particles: pairWithSpectators(count, nu) }, context);
    const upTo = loop === "one" ? mostForOne(gpu.adapter.software) : undefined;
    const more = upTo ?? MANY;
    const [few, many] = [await of(FEW), await of(more)];
    const forces = pair * (many.members * more - few.members * FEW);
    const predict = Math.max(0, (many.seconds - few.seconds - forces) / (more - FEW));
    return { ...(upTo !== undefined && { upTo }), block: few.seconds - predict * FEW, predict };
  };
  const one = await loopCosts("one");
  progress(0.4);
  const many = await loopCosts("many");
  progress(0.7);
  /** Blocks of all of so many particles, without their forces. */
  const withoutForces = async (count: number) => {
    const most = BLOCKS_OF_A_SUBMISSION * (WARM_UP + plan.submissions + 2);
    const probe = { particles: await sphereOf(count, context), steps: "shared", dt: 2 ** -14, most, plan } as const;
    const { seconds } = await probed(precision, probe, context);
    return seconds - count ** 2 * (await interactionSeconds(precision, probe.particles, context, count));
  };
  // The correction of a particle: what blocks of all of more particles take longer, less the predictions.
  const growth = (await withoutForces(EQUAL)) - (await withoutForces(FEW));
  const correct = Math.max(0, growth / (EQUAL - FEW) - one.predict);
  progress(0.9);
  return { loops: [one, many], correct, pair, ...(await transferSeconds(particles, context)) };
}

const TRANSFERS = 3;

/** Sending body records to the GPU and receiving force records, of one particle [s]; a run does neither between blocks. */
async function transferSeconds(particles: ParticleSet, { gpu, signal }: MeasurementContext) {
  const { order, bodies } = forcesOf(particles);
  const { count } = particles;
  const packed = packBodies(order, bodies);
  const sent = gpu.buffers.storage("bodies sent", count * bodyBytes(order), "other");
  const received = gpu.buffers.storage("forces received", count * forceBytes(order), "other");
  const sending = () => {
    gpu.device.queue.writeBuffer(sent, 0, packed);
    return gpu.wait(gpu.device.queue.onSubmittedWorkDone(), "sending bodies");
  };
  try {
    const jobs = [sending, () => gpu.read(received)].map((work) => () => secondsOf(work));
    // The first of each is slower than the others.
    const times = await inTurns(jobs, { repetitions: 1 + TRANSFERS, signal });
    const [send, receive] = times.map((seconds) => Math.min(...seconds) / count);
    return { send, receive };
  } finally {
    gpu.buffers.release(sent, received);
  }
}

const CPU_COUNT = 512;

/** A largest step of the reference pipeline, by the times of its stages. */
async function cpuCosts(context: MeasurementContext): Promise<MeasuredCosts> {
  const { signal, progress } = context;
  const scenario = scenarioOf(CPU_COUNT, "cpu");
  const dt = largestStep(scenario);
  const pipeline = await backendOf(context.gpu, "cpu", scenario, await sphereOf(CPU_COUNT, context));
  const step = (before: number) =>
    pipeline.advance(1, dt, { signal, onProgress: (done) => progress((before + done) / 2) });
  const now = (): Record<string, number> => ({
    ...pipeline.counters!(),
    ...Object.fromEntries(pipeline.stageTimes().map(({ stage, ms }) => [stage, ms / 1000])),
    all: performance.now() / 1000,
  });
  await step(0); // the compiler of the engine warms up
  const before = now();
  await step(1);
  const after = now();
  const of = (name: string) => after[name] - before[name];
  const [predict, correct, force, blocks] = ["predict", "correct", "force", "blocks"].map(of);
  return {
    loops: [{ block: (of("all") - predict - correct - force) / blocks, predict: predict / (blocks * CPU_COUNT) }],
    correct: correct / of("particle steps"),
    pair: force / of("interactions"),
  };
}

export async function costsOf(
  engine: Engine,
  plan: CostPlan,
  context: MeasurementContext,
): Promise<MeasuredCosts | LeftOut> {
  if (engine === "cpu") return cpuCosts(context);
  return (await unable(context.gpu, engine)) ?? gpuCosts(engine, plan, context);
}
