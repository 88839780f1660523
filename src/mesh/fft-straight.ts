/**
 * Transforms of short lines in straight code, for adapters that are CPUs (wgsl/mesh/fft-straight.wgsl). WGSL has no way
 * to say "every column, written out", and written with its arrays and functions the code takes ten times as long to
 * compile: so the transform is written here, a value a line, with its twiddles as literals.
 */
import butterflies from "../../wgsl/mesh/fft-butterflies.wgsl";
import convolve from "../../wgsl/mesh/fft-straight-convolve.wgsl";
import forward from "../../wgsl/mesh/fft-straight-forward.wgsl";
import inverse from "../../wgsl/mesh/fft-straight-inverse.wgsl";
import realForward from "../../wgsl/mesh/fft-straight-real-forward.wgsl";
import realInverse from "../../wgsl/mesh/fft-straight-real-inverse.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import { type LineAlgorithm, type LinePlan, type LineRequest, twiddleTable } from "./fft-plan.ts";
import { define, keepMoved, literal, recallMoved, StraightCode, type Value } from "./fft-straight-code.ts";
import { StraightStages } from "./fft-straight-stages.ts";

const ALGORITHMS: Record<LineAlgorithm, WgslSource> = { forward, inverse, convolve, realForward, realInverse };

/** The points that a transform takes or gives: all, or the first half, the others being zero or not wanted. */
interface Halves {
  read?: boolean;
  written?: boolean;
}

/** Writes the transform of `length` = A·C points in place in `kept`. */
class Straight {
  readonly #code = new StraightCode();
  readonly #roots: Float32Array;

  constructor(private readonly length: number) {
    this.#roots = twiddleTable(length);
  }

  /** Columns: points j + C·a → transform, times w^(jk) → the same places. `back`: w^(jk) first. */
  columns(a: number, c: number, back: boolean, half: Halves = {}): this {
    for (let j = 0; j < c; j++) {
      const read = Array.from({ length: a }, (_, k) => (half.read && 2 * k >= a ? null : this.#code.recall(j + k * c)));
      const turned = back ? read.map((value, k) => this.#times(value, j * k)) : read;
      this.#transform(turned).forEach((value, k) => {
        if (!half.written || 2 * k < a) this.#code.keep(j + k * c, back ? value : this.#times(value, j * k));
      });
    }
    return this;
  }

  /** Rows of C points, one after another: frequencies k1 + A·k2. */
  rows(a: number, c: number, half: Pick<Halves, "written"> = {}): this {
    for (let first = 0; first < a * c; first += c) {
      const read = Array.from({ length: c }, (_, i) => this.#code.recall(first + i));
      this.#transform(read).forEach((value, k) => {
        if (!half.written || 2 * k < c) this.#code.keep(first + k, value);
      });
    }
    return this;
  }

  get lines(): readonly string[] {
    return this.#code.lines;
  }

  /** value·e^{−2πi k/length} */
  #times(value: Value, k: number): Value {
    const at = 2 * (k % this.length);
    return this.#code.times(value, this.#roots[at], this.#roots[at + 1]);
  }

  /** X_k = Σ_j x_j e^{−2πi jk/r} of r = 2^k or 3·2^k values: by halves, or thirds at the end. */
  #transform(x: readonly Value[]): Value[] {
    const r = x.length;
    if (r === 1) return [...x];
    if (r === 3) return this.#transform3(x);
    const even = this.#transform(x.filter((_, i) => i % 2 === 0));
    const odd = this.#transform(x.filter((_, i) => i % 2 === 1));
    const turned = odd.map((value, k) => this.#times(value, (k * this.length) / r));
    return [
      ...even.map((value, k) => this.#code.sum(value, turned[k])),
      ...even.map((value, k) => this.#code.difference(value, turned[k])),
    ];
  }

  #transform3([a, b, c]: readonly Value[]): Value[] {
    const sum = this.#code.sum(b, c);
    const apart = this.#code.difference(b, c);
    if (!sum || !apart) return [a, a, a];
    const difference = this.#code.let(`${literal(Math.sqrt(3) / 2)} * (${apart}).yx`);
    const turned = this.#code.let(`vec2f(${difference}.x, -${difference}.y)`);
    const middle = this.#code.difference(a, this.#code.let(`0.5 * ${sum}`));
    return [this.#code.sum(a, sum), this.#code.sum(middle, turned), this.#code.difference(middle, turned)];
  }
}

const asTheyCome = (point: number) => point;

/** The algorithm's files, and one with the parts that it leaves to be written out. */
export function straightSources(request: LineRequest, plan: LinePlan): WgslSource[] {
  const text = plan.straight === "stages" ? rowsInStages(request, plan) : inHalves(request, plan);
  const written = { path: "src/mesh/fft-straight.ts", text: text.join("\n"), needs: [butterflies] };
  return [ALGORITHMS[request.algorithm], written];
}

function inHalves({ algorithm, length, padded = false }: LineRequest, { radices: [a, , c] }: LinePlan): string[] {
  const fewerRead = padded && (algorithm === "forward" || algorithm === "convolve");
  const fewerWritten = padded && algorithm !== "forward";
  const there = new Straight(length)
    .columns(a, c, false, { read: fewerRead })
    .rows(a, c, { written: fewerWritten && algorithm !== "convolve" });
  const [readPoints, writtenPoints] = [fewerRead, fewerWritten].map((fewer) => (fewer ? length / 2 : length));
  const placeOf = (f: number) => (f % a) * c + Math.floor(f / a);
  const text = [
    `const READ_POINTS = ${readPoints}u;`,
    `const WRITTEN_POINTS = ${writtenPoints}u;`,
    ...keepMoved("kept", readPoints, asTheyCome),
    ...recallMoved("kept", writtenPoints, algorithm === "convolve" ? asTheyCome : placeOf),
    ...define("transformKept()", there.lines),
  ];
  if (algorithm === "convolve") {
    const modes = padded
      ? Array.from({ length: length / 2 + 1 }, (_, k) => `transferModes(place, ${k}u);`)
      : Array.from({ length }, (_, f) => `transferMode(place, ${f}u);`);
    const back = new Straight(length).rows(a, c).columns(a, c, true, { written: fewerWritten });
    text.push(...define("transformBack()", back.lines));
    text.push(...define("transferKept(place: Place)", modes));
  }
  if (algorithm === "realInverse") {
    const roots = twiddleTable(2 * length);
    const root = (k: number) => `vec2f(${literal(roots[2 * k])}, ${literal(roots[2 * k + 1])})`;
    const modes = Array.from({ length: length / 2 + 1 }, (_, k) => `combineModes(${k}u, ${root(k)});`);
    text.push(...define("combineKept()", modes));
  }
  return text;
}

/** Rows of real numbers forward, with the bits of fft-real-forward.wgsl. */
function rowsInStages({ length }: LineRequest, { radices }: LinePlan): string[] {
  const stages = new StraightStages(radices, { roots: 2 * length }).there();
  return [
    `const READ_POINTS = ${length}u;`,
    `const WRITTEN_POINTS = ${length}u;`,
    ...keepMoved("kept", length, asTheyCome),
    ...recallMoved("kept", length, (f) => stages.placeOf(f)),
    ...define("transformKept()", stages.lines),
    ...define("separateKept()", separated(stages, length, radices)),
  ];
}

/**
 * Pairs of modes k and length − k, each once. Where they lie in two rows of the last stage, the one in the lower row gives
 * both; in a row that is its own mirror each of them does, and the greater one comes last.
 */
function separated(stages: StraightStages, length: number, [a, b]: LinePlan["radices"]): string[] {
  const rows = a * b;
  const roots = twiddleTable(2 * length);
  return Array.from({ length: length / 2 + 1 }, (_, k) => {
    const row = k % rows;
    const lower = row === 0 || 2 * row === rows ? k === 0 : 2 * row < rows;
    const source = lower ? k : length - k;
    const mirror = stages.placeOf((length - source) % length);
    const other = source === 0 ? length : mirror;
    const [re, im] = roots.subarray(2 * source);
    // See StraightStages for roots with equal parts.
    const root = Math.abs(re) === Math.abs(im) ? `rootOfUnity(${source}u)` : `vec2f(${literal(re)}, ${literal(im)})`;
    return `separateModes(${stages.placeOf(source)}u, ${mirror}u, ${other}u, ${root});`;
  });
}
