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
import { type LineAlgorithm, type LinePlan, type LineRequest, twiddleTable } from "./fft-plan.ts";

/** Rows of real numbers forward have none: see linePlan. */
const ALGORITHMS: Partial<Record<LineAlgorithm, WgslSource>> = { forward, inverse, convolve, realInverse };

function literal(x: number): string {
  const text = String(Math.fround(x));
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`;
}

/** A value's name; null is zero. */
type Value = string | null;

/** The points that a transform takes or gives: all, or the first half, the others being zero or not wanted. */
interface Halves {
  read?: boolean;
  written?: boolean;
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
  columns(a: number, c: number, back: boolean, half: Halves = {}): this {
    for (let j = 0; j < c; j++) {
      const read = Array.from({ length: a }, (_, k) =>
        half.read && 2 * k >= a ? null : this.#let(`kept[${j + k * c}]`),
      );
      const turned = back ? read.map((value, k) => this.#times(value, j * k)) : read;
      this.#transform(turned).forEach((value, k) => {
        if (!half.written || 2 * k < a) this.#keep(j + k * c, back ? value : this.#times(value, j * k));
      });
    }
    return this;
  }

  /** Rows of C points, one after another: frequencies k1 + A·k2. */
  rows(a: number, c: number, half: Pick<Halves, "written"> = {}): this {
    for (let first = 0; first < a * c; first += c) {
      const read = Array.from({ length: c }, (_, i) => this.#let(`kept[${first + i}]`));
      this.#transform(read).forEach((value, k) => {
        if (!half.written || 2 * k < c) this.#keep(first + k, value);
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

  #keep(place: number, value: Value): void {
    this.#lines.push(`kept[${place}] = ${value ?? "vec2f()"};`);
  }

  #sum(a: Value, b: Value): Value {
    return a && b ? this.#let(`${a} + ${b}`) : (a ?? b);
  }

  #difference(a: Value, b: Value): Value {
    if (!b) return a;
    return this.#let(a ? `${a} - ${b}` : `-${b}`);
  }

  /** value·e^{−2πi k/length} */
  #times(value: Value, k: number): Value {
    const turns = (k % this.length) / this.length;
    if (!value || turns === 0) return value;
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
  #transform(x: readonly Value[]): Value[] {
    const r = x.length;
    if (r === 1) return [...x];
    if (r === 3) return this.#transform3(x);
    const even = this.#transform(x.filter((_, i) => i % 2 === 0));
    const odd = this.#transform(x.filter((_, i) => i % 2 === 1));
    const turned = odd.map((value, k) => this.#times(value, (k * this.length) / r));
    return [
      ...even.map((value, k) => this.#sum(value, turned[k])),
      ...even.map((value, k) => this.#difference(value, turned[k])),
    ];
  }

  #transform3([a, b, c]: readonly Value[]): Value[] {
    const sum = this.#sum(b, c);
    const apart = this.#difference(b, c);
    if (!sum || !apart) return [a, a, a];
    const difference = this.#let(`${literal(Math.sqrt(3) / 2)} * (${apart}).yx`);
    const turned = this.#let(`vec2f(${difference}.x, -${difference}.y)`);
    const middle = this.#difference(a, this.#let(`0.5 * ${sum}`));
    return [this.#sum(a, sum), this.#sum(middle, turned), this.#difference(middle, turned)];
  }
}

/** The algorithm's files, and one with the parts that it leaves to be written out. */
export function straightSources(
  { algorithm, length, padded = false }: LineRequest,
  { radices: [a, , c] }: LinePlan,
): WgslSource[] {
  const define = (head: string, lines: readonly string[]) => [`fn ${head} {`, ...lines.map((line) => `  ${line}`), "}"];
  const fewerRead = padded && (algorithm === "forward" || algorithm === "convolve");
  const fewerWritten = padded && algorithm !== "forward";
  const there = new Straight(length)
    .columns(a, c, false, { read: fewerRead })
    .rows(a, c, { written: fewerWritten && algorithm !== "convolve" });
  const text = [
    `const READ_POINTS = ${fewerRead ? length / 2 : length}u;`,
    `const WRITTEN_POINTS = ${fewerWritten ? length / 2 : length}u;`,
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
  return [ALGORITHMS[algorithm]!, { path: "src/mesh/fft-straight.ts", text: text.join("\n") }];
}
