/**
 * Transforms of short lines in straight code, for adapters that are CPUs (wgsl/mesh/fft-straight.wgsl). WGSL has no way
 * to say "every column, written out", and written with its arrays and functions the code takes ten times as long to
 * compile: so the transform is written here, a value a line, with its twiddles as literals.
 */
import convolve from "../../wgsl/mesh/fft-straight-convolve.wgsl";
import forward from "../../wgsl/mesh/fft-straight-forward.wgsl";
import inverse from "../../wgsl/mesh/fft-straight-inverse.wgsl";
import realInverse from "../../wgsl/mesh/fft-straight-real-inverse.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import { type LineAlgorithm, type LinePlan, twiddleTable } from "./fft-plan.ts";

/** Rows of real numbers forward have none: see linePlan. */
const ALGORITHMS: Partial<Record<LineAlgorithm, WgslSource>> = { forward, inverse, convolve, realInverse };

function literal(x: number): string {
  const text = String(Math.fround(x));
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`;
}

/** Writes the transform of `length` = A·C points in place in `kept`. */
class Straight {
  readonly #lines: string[] = [];
  readonly #roots: Float32Array;
  #values = 0;

  constructor(private readonly length: number) {
    this.#roots = twiddleTable(length);
  }

  /** Columns: points j + C·a → transform, times w^(jk) → the same places. `back`: w^(jk) first. */
  columns(a: number, c: number, back: boolean): this {
    for (let j = 0; j < c; j++) {
      const read = Array.from({ length: a }, (_, k) => this.#let(`kept[${j + k * c}]`));
      const turned = back ? read.map((value, k) => this.#times(value, j * k)) : read;
      const result = this.#transform(turned);
      result.forEach((value, k) => {
        const written = back ? value : this.#times(value, j * k);
        this.#lines.push(`kept[${j + k * c}] = ${written};`);
      });
    }
    return this;
  }

  /** Rows of C points, one after another. */
  rows(a: number, c: number): this {
    for (let first = 0; first < a * c; first += c) {
      const read = Array.from({ length: c }, (_, i) => this.#let(`kept[${first + i}]`));
      this.#transform(read).forEach((value, i) => {
        this.#lines.push(`kept[${first + i}] = ${value};`);
      });
    }
    return this;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  #let(expression: string): string {
    const name = `t${this.#values++}`;
    this.#lines.push(`let ${name} = ${expression};`);
    return name;
  }

  /** value·e^{−2πi k/length} */
  #times(value: string, k: number): string {
    const turns = (k % this.length) / this.length;
    if (turns === 0) return value;
    if (turns === 0.25) return this.#let(`vec2f(${value}.y, -${value}.x)`);
    if (turns === 0.5) return this.#let(`-${value}`);
    if (turns === 0.75) return this.#let(`vec2f(-${value}.y, ${value}.x)`);
    const [c, s] = this.#roots.subarray(2 * (k % this.length)).subarray(0, 2);
    const [re, im] = [literal(c), literal(s)];
    return this.#let(
      `vec2f(${value}.x * ${re} - ${value}.y * ${im}, ${value}.x * ${im} + ${value}.y * ${re})`.replaceAll(
        /([-+]) (\S+ \*) -/g,
        (_, sign, factor) => `${sign === "-" ? "+" : "-"} ${factor} `,
      ),
    );
  }

  /** X_k = Σ_j x_j e^{−2πi jk/r} of r = 2^k or 3·2^k values: by halves, or thirds at the end. */
  #transform(x: readonly string[]): string[] {
    const r = x.length;
    if (r === 1) return [...x];
    if (r === 3) {
      const sum = this.#let(`${x[1]} + ${x[2]}`);
      const difference = this.#let(`${literal(Math.sqrt(3) / 2)} * (${x[1]} - ${x[2]}).yx`);
      const middle = this.#let(`${x[0]} - 0.5 * ${sum}`);
      const turned = this.#let(`vec2f(${difference}.x, -${difference}.y)`);
      return [`${x[0]} + ${sum}`, `${middle} + ${turned}`, `${middle} - ${turned}`].map((value) => this.#let(value));
    }
    const even = this.#transform(x.filter((_, i) => i % 2 === 0));
    const odd = this.#transform(x.filter((_, i) => i % 2 === 1));
    const turned = odd.map((value, k) => this.#times(value, (k * this.length) / r));
    return [
      ...even.map((value, k) => this.#let(`${value} + ${turned[k]}`)),
      ...even.map((value, k) => this.#let(`${value} - ${turned[k]}`)),
    ];
  }
}

/** The algorithm's files, and one with the parts that it leaves to be written out. */
export function straightSources(algorithm: LineAlgorithm, length: number, plan: LinePlan): WgslSource[] {
  const [a, , c] = plan.radices;
  const define = (head: string, lines: readonly string[]) => [`fn ${head} {`, ...lines.map((line) => `  ${line}`), "}"];
  const text = define("transformKept()", new Straight(length).columns(a, c, false).rows(a, c).lines);
  if (algorithm === "convolve") {
    const modes = Array.from({ length }, (_, f) => `transferMode(place, ${f}u);`);
    text.push(...define("transformBack()", new Straight(length).rows(a, c).columns(a, c, true).lines));
    text.push(...define("transferKept(place: Place)", modes));
  }
  if (algorithm === "realInverse") {
    const roots = twiddleTable(2 * length);
    const root = (k: number) => `vec2f(${literal(roots[2 * k])}, ${literal(roots[2 * k + 1])})`;
    const modes = Array.from({ length: length / 2 + 1 }, (_, k) => `combineModes(${k}u, ${root(k)});`);
    text.push(...define("combineKept()", modes));
  }
  return [ALGORITHMS[algorithm]!, { path: "src/mesh/fft-straight.ts", text: text.join("\n") }];
}
