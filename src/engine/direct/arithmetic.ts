/**
 * Whether double-single arithmetic survives the adapter's compiler: WGSL permits reassociation, by which a two-sum
 * loses its low word, and no specification promises that the exclusive or of wgsl/lib/double-single.wgsl prevents it.
 * So sums and products of high words must come out exact, low words included, and pair operations with the error they
 * should have.
 */
import probeWgsl from "../../../wgsl/engine/direct/force-probe.wgsl";
import { u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ProbeCheck } from "../../foundation/gpu/probe.ts";
import { type BodyArrays, orderConstants, packBodies } from "./bodies.ts";

const ROWS = 4096;
const GROUP = 64;
/** A result row: four pairs of vectors and a vector, each padded to four words. */
const RESULT_WORDS = 36;
const [SUM, PRODUCT, PAIR_SUM, PAIR_PRODUCT, SEPARATION] = [0, 8, 16, 24, 32];
const LOW = 4;
/** Relative error that is let pass: a few units of 2⁻⁴⁷ for pairs, and of 2⁻²⁴ for the float32 difference of pairs. */
const PAIR_TOLERANCE = 2 ** -44;
const SEPARATION_TOLERANCE = 2 ** -22;

const known = new WeakMap<GPUDevice, Map<string, Promise<ProbeCheck>>>();

/** The check of a name, made once per device; again after one that could not be made. */
export function checkedOnce(
  { device }: GpuContext,
  name: string,
  make: () => Promise<ProbeCheck>,
): Promise<ProbeCheck> {
  const checks = known.get(device) ?? new Map<string, Promise<ProbeCheck>>();
  const check = checks.get(name) ?? make();
  known.set(device, checks.set(name, check));
  check.catch(() => checks.delete(name));
  return check;
}

export const pairArithmeticSurvives = (gpu: GpuContext) => checkedOnce(gpu, "pairs", () => probe(gpu));

async function probe(gpu: GpuContext): Promise<ProbeCheck> {
  const [here, there] = operands();
  const found = await results(gpu, here, there);
  const wrong = { sums: 0, products: 0, pairs: 0, separations: 0 };
  for (let i = 0; i < 3 * ROWS; i++) {
    const at = RESULT_WORDS * Math.floor(i / 3) + (i % 3);
    const [a, b] = [here.positions[i], there.positions[i]];
    const [aHigh, bHigh] = [Math.fround(a), Math.fround(b)];
    if (!isExact(found[at + SUM], found[at + SUM + LOW], aHigh + bHigh)) wrong.sums++;
    if (!isExact(found[at + PRODUCT], found[at + PRODUCT + LOW], aHigh * bHigh)) wrong.products++;
    const near = (word: number, expected: number) =>
      Math.abs(found[at + word] + found[at + word + LOW] - expected) <= PAIR_TOLERANCE * Math.abs(expected);
    if (!near(PAIR_SUM, a + b) || !near(PAIR_PRODUCT, a * b)) wrong.pairs++;
    const separation = b - a;
    const allowed = SEPARATION_TOLERANCE * Math.abs(separation) + PAIR_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
    if (!(Math.abs(found[at + SEPARATION] - separation) <= allowed)) {
      wrong.separations++;
    }
  }
  const faults = Object.entries(wrong).filter(([, count]) => count > 0);
  const of = 3 * ROWS;
  return {
    name: "double-single arithmetic",
    passed: faults.length === 0,
    detail:
      faults.length === 0
        ? `${of} of ${of} sums and products exact to the low word`
        : `${faults.map(([what, count]) => `${count} of ${of} ${what}`).join(", ")} wrong: single precision only`,
  };
}

/** Whether high + low is the float64 number `expected`, and high the float32 nearest to it. */
function isExact(high: number, low: number, expected: number): boolean {
  return high === Math.fround(expected) && low === expected - high;
}

/** Pairs whose high words have exact sums and products in float64; half the b are close to ±a: low words decide. */
function operands(): [BodyArrays, BodyArrays] {
  const random = pseudoRandom();
  const pair = () =>
    (random() < 0.5 ? -1 : 1) * (1 + random() + random() * 2 ** -24) * 2 ** Math.floor(17 * random() - 8);
  const a = new Float64Array(3 * ROWS);
  const b = new Float64Array(3 * ROWS);
  for (let i = 0; i < 3 * ROWS; i++) {
    const other = pair();
    a[i] = inPair(pair());
    const close = a[i] * (1 + other * 2 ** -30);
    b[i] = inPair([other, other, close, -close][(i >> 2) % 4]);
  }
  const bodies = (positions: Float64Array) => ({
    count: ROWS,
    positions,
    masses: new Float64Array(ROWS),
    ids: new Uint32Array(ROWS),
  });
  return [bodies(a), bodies(b)];
}

/** Numbers from 0 to 1, the same everywhere: Numerical Recipes' linear congruence. */
export function pseudoRandom(seed = 1): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The nearest number that a pair of float32 holds. */
export function inPair(x: number): number {
  const high = Math.fround(x);
  return high + Math.fround(x - high);
}

async function results(gpu: GpuContext, here: BodyArrays, there: BodyArrays): Promise<Float32Array> {
  const kernel = await gpu.kernel({
    label: "direct force/probe",
    sources: [probeWgsl],
    entry: "probe",
    constants: { ...orderConstants("acceleration"), PAIRED: true, SOFTENED: true, REFINED: false },
  });
  const packed = (bodies: BodyArrays) => new Uint8Array(packBodies("acceleration", bodies));
  const buffers = [
    gpu.buffers.uniform("direct force probe", u32(ROWS, 0)),
    gpu.buffers.upload("direct force probe here", packed(here), "other"),
    gpu.buffers.upload("direct force probe there", packed(there), "other"),
    gpu.buffers.storage("direct force probe results", 4 * RESULT_WORDS * ROWS, "other"),
  ];
  try {
    const batch = gpu.batch("probe").stage("probe");
    await batch.dispatch(kernel.bind(...buffers), [Math.ceil(ROWS / GROUP)]).submit();
    return new Float32Array(await gpu.read(buffers[3]));
  } finally {
    gpu.buffers.release(...buffers);
  }
}
