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

import { GravmeshError } from "../../../base/errors.ts";
import { type BlockShape, mostForOne } from "../../../direct/block-kernels.ts";
import { bodyBytes, forceBytes, packBodies } from "../../../direct/bodies.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import type { DirectSettings, Precision } from "../../../direct/settings.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { ReferenceDirect } from "../../../reference/direct/pipeline.ts";
import { releasing } from "../../releasing.ts";
import { drawn, type Engine, largestStep, unable } from "../hermite.ts";
import type { LeftOut } from "../left-out.ts";
import type { MeasurementContext } from "../spec.ts";
import { repeated } from "../timing.ts";
import { forcesOf, interactionSeconds, scenarioOf, sphereOf } from "./measure.ts";
import { type PaperMachine, paperBlocks, paperMembers, TABLE_3 } from "./published.ts";

/** What the model is made of, [s] each. */
export interface Costs {
  /** Of a block, whatever it holds. */
  block: number;
  /** Of each particle, and of each member of the block. */
  predict: number;
  correct: number;
  /** Of each source of each member. */
  pair: number;
  /** Sending and receiving: of each particle, and of each member of the block. */
  transferAll: number;
  transferMember: number;
}

/** Seconds of a block of `members` among `count` particles (eq. 10). */
export function blockSeconds(costs: Costs, count: number, members: number): number {
  const { block, predict, correct, pair, transferAll, transferMember } = costs;
  return block + (predict + transferAll) * count + (correct + transferMember) * members + pair * count * members;
}

export interface Blocks {
  /** In a time unit. */
  blocks: number;
  /** Particles of one, on average. */
  members: number;
}

/** Seconds of a time unit (eq. 16), with the paper's numbers of blocks unless others are given. */
export function unitSeconds(
  costs: Costs,
  count: number,
  { blocks, members }: Blocks = { blocks: paperBlocks(count), members: paperMembers(count) },
): number {
  return blocks * blockSeconds(costs, count, members);
}

/** Cycles of a prediction and of a correction on the paper's host, of 3.4 GHz (section 5.1). */
const CYCLE = 1 / 3.4e9;
const HOST = { block: 0, predict: 900 * CYCLE, correct: 16_000 * CYCLE };

/** The paper's machines in its model: the GPUs exchange all particles with the host at every block, GRAPE those in it. */
export function paperCosts(machine: PaperMachine): Costs {
  const { pair, send = 0, receive = 0 } = TABLE_3[machine];
  const transfer = send + receive;
  const all = machine === "8800GTX" || machine === "FX1400";
  return { ...HOST, pair, transferAll: all ? transfer : 0, transferMember: all ? 0 : transfer };
}

/** What of a block depends on how the loop over blocks is arranged: in one workgroup for few particles, or over many. */
export interface LoopCosts {
  /** Up to so many particles; without, for more. */
  upTo?: number;
  block: number;
  predict: number;
}

export interface MeasuredCosts {
  loops: LoopCosts[];
  correct: number;
  pair: number;
  /** To the GPU and from it, which the model has no use for here. */
  send?: number;
  receive?: number;
}

/** The costs that hold for so many particles. */
export function costsFor({ loops, correct, pair }: MeasuredCosts, count: number): Costs {
  const { block, predict } = loops.find(({ upTo }) => upTo === undefined || count <= upTo)!;
  return { block, predict, correct, pair, transferAll: 0, transferMember: 0 };
}

const PAIR_SOURCES = 16_384;
/** Particles with which the cost of a block is measured, the one that doesn't grow. */
const FEW = 16;
/** Particles with which prediction is measured where many workgroups do it; for one as many as it is taken for. */
const MANY = 16_384;
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

export interface Timed {
  /** Of a block [s]. */
  seconds: number;
  /** Its particles, on average. */
  members: number;
}

/** Time of a block within largest steps of `dt`, of which the last block of the last is left out: it is of all particles. */
async function timedBlocks(
  pipeline: DirectPipeline,
  { dt, most: steps, plan }: Probe,
  signal: AbortSignal,
): Promise<Timed> {
  const enough = new AbortController();
  const now = () => ({ ms: performance.now(), counters: pipeline.counters() });
  const reports: ReturnType<typeof now>[] = [];
  const onProgress = (done: number) => {
    if (done >= steps) return;
    reports.push(now());
    const timed = reports.length - 1 - WARM_UP;
    const long = reports[0].ms + 1000 * plan.longest < performance.now();
    if (timed >= plan.submissions || (timed >= 2 && long)) enough.abort();
  };
  try {
    await pipeline.advance(steps, dt, { signal: AbortSignal.any([signal, enough.signal]), onProgress });
  } catch (error) {
    const ended = enough.signal.aborted && !signal.aborted;
    if (!(ended && error instanceof GravmeshError && error.kind === "aborted")) throw error;
  }
  const intervals = reports.slice(WARM_UP + 1).map(({ ms, counters }, i): Timed => {
    const before = reports[WARM_UP + i];
    const blocks = counters.blocks - before.counters.blocks;
    const members = counters["particle steps"] - before.counters["particle steps"];
    return { seconds: (ms - before.ms) / 1000 / blocks, members: members / blocks };
  });
  return intervals.reduce((least, one) => (one.seconds < least.seconds ? one : least));
}

export interface Probe {
  particles: ParticleSet;
  steps: DirectSettings["steps"];
  /** Of the largest step [time], and how many of them at most. */
  dt: number;
  most: number;
  loop?: BlockShape;
  plan: CostPlan;
}

/** Time of a block of a run that is made to be timed. */
export async function probed(precision: Precision, probe: Probe, { gpu, signal }: MeasurementContext): Promise<Timed> {
  const { particles, steps, dt, loop } = probe;
  const { direct, box } = scenarioOf(particles.count);
  const softening = steps === "block" ? 0 : direct.softening;
  const settings = {
    direct: { ...direct, steps, precision, softening },
    ...{ boxSize: steps === "block" ? BOX : box.size, G: 1, externalPotentials: [], step: dt },
  };
  const options = { blocksPerSubmission: BLOCKS_OF_A_SUBMISSION, ...(loop && { loop }) };
  const pipeline = DirectPipeline.create(gpu, settings, particles, options);
  return releasing(pipeline, (made) => timedBlocks(made, probe, signal));
}

/** Blocks that hold a pair alone, with few and with many spectators. */
async function loopCosts(
  { precision, plan }: CostCase,
  loop: BlockShape,
  pair: number,
  context: MeasurementContext,
): Promise<LoopCosts> {
  const { nu } = scenarioOf(FEW).direct;
  const of = (count: number) => {
    const particles = pairWithSpectators(count, nu);
    return probed(precision, { particles, steps: "block", dt: 1, most: 1, loop, plan }, context);
  };
  const upTo = loop === "one" ? mostForOne(context.gpu.adapter.software) : undefined;
  const more = upTo ?? MANY;
  const [few, many] = [await of(FEW), await of(more)];
  const forces = pair * (many.members * more - few.members * FEW);
  const predict = Math.max(0, (many.seconds - few.seconds - forces) / (more - FEW));
  const block = few.seconds - predict * FEW;
  return { ...(upTo !== undefined && { upTo }), block, predict };
}

/** The correction of a particle: what blocks of all of more particles take longer, less forces and predictions. */
async function correctSeconds(
  { precision, plan }: CostCase,
  predict: number,
  context: MeasurementContext,
): Promise<number> {
  const most = BLOCKS_OF_A_SUBMISSION * (WARM_UP + plan.submissions + 2);
  const withoutForces = async (count: number) => {
    const particles = await sphereOf(count, context);
    const { seconds } = await probed(precision, { particles, steps: "shared", dt: 2 ** -14, most, plan }, context);
    return seconds - count ** 2 * (await interactionSeconds(context.gpu, precision, particles, count));
  };
  const growth = (await withoutForces(EQUAL)) - (await withoutForces(FEW));
  return Math.max(0, growth / (EQUAL - FEW) - predict);
}

const TRANSFERS = 3;

/** Sending body records to the GPU and receiving force records, of one particle [s]; a run does neither between blocks. */
async function transferSeconds(gpu: GpuContext, particles: ParticleSet): Promise<{ send: number; receive: number }> {
  const { order, bodies } = forcesOf(particles);
  const { count } = particles;
  const packed = packBodies(order, bodies);
  const sent = gpu.buffers.storage("bodies sent", count * bodyBytes(order), "other");
  const received = gpu.buffers.storage("forces received", count * forceBytes(order), "other");
  const best = async (work: () => Promise<unknown>) =>
    (await repeated(work, { repetitions: TRANSFERS })).best / 1000 / count;
  try {
    const send = await best(async () => {
      gpu.device.queue.writeBuffer(sent, 0, packed);
      await gpu.wait(gpu.device.queue.onSubmittedWorkDone(), "sending bodies");
    });
    return { send, receive: await best(() => gpu.read(received)) };
  } finally {
    gpu.buffers.release(sent, received);
  }
}

interface CostCase {
  precision: Precision;
  plan: CostPlan;
}

async function gpuCosts(one: CostCase, context: MeasurementContext): Promise<MeasuredCosts> {
  const { gpu, signal, progress } = context;
  const particles = await drawn(scenarioOf(PAIR_SOURCES), signal);
  const pair = await interactionSeconds(gpu, one.precision, particles);
  progress(0.2);
  const inOne = await loopCosts(one, "one", pair, context);
  progress(0.4);
  const inMany = await loopCosts(one, "many", pair, context);
  progress(0.7);
  const correct = await correctSeconds(one, inOne.predict, context);
  progress(0.9);
  return { loops: [inOne, inMany], correct, pair, ...(await transferSeconds(gpu, particles)) };
}

const CPU_COUNT = 512;

/** A largest step of the reference pipeline, by the times of its stages. */
async function cpuCosts(context: MeasurementContext): Promise<MeasuredCosts> {
  const { signal, progress } = context;
  const scenario = scenarioOf(CPU_COUNT, "cpu");
  const dt = largestStep(scenario);
  const settings = { direct: scenario.direct, boxSize: scenario.box.size, G: 1, externalPotentials: [], step: dt };
  const pipeline = new ReferenceDirect(settings, await sphereOf(CPU_COUNT, context));
  const onProgress = (done: number) => progress(done / 2);
  const now = () => ({
    ms: performance.now(),
    counters: pipeline.counters(),
    stages: Object.fromEntries(pipeline.stageTimes().map(({ stage, ms }) => [stage, ms])),
  });
  await pipeline.advance(1, dt, { signal, onProgress }); // the compiler of the engine warms up
  const before = now();
  await pipeline.advance(1, dt, { signal, onProgress: (done) => onProgress(1 + done) });
  const after = now();
  const seconds = (stage: string) => (after.stages[stage] - before.stages[stage]) / 1000;
  const number = (name: string) => after.counters[name] - before.counters[name];
  const [predict, correct, force] = [seconds("predict"), seconds("correct"), seconds("force")];
  const blocks = number("blocks");
  const rest = (after.ms - before.ms) / 1000 - predict - correct - force;
  return {
    loops: [{ block: rest / blocks, predict: predict / (blocks * CPU_COUNT) }],
    correct: correct / number("particle steps"),
    pair: force / number("interactions"),
  };
}

export async function costsOf(
  engine: Engine,
  plan: CostPlan,
  context: MeasurementContext,
): Promise<MeasuredCosts | LeftOut> {
  if (engine === "cpu") return cpuCosts(context);
  return (await unable(context.gpu, engine)) ?? gpuCosts({ precision: engine, plan }, context);
}
