/**
 * The stages of wgsl/mesh/fft-stages.wgsl in straight code: the same operations on the same numbers, and so the same bits,
 * but every place in the line's array a constant.
 */
import { twiddleTable } from "./fft-plan.ts";
import { StraightCode } from "./fft-straight-code.ts";

const SIN_60 = 0.8660254037844386;
const COS_22 = 0.9238795325112867;
const SIN_22 = 0.3826834323650898;

/** Factor of a point: a root of unity, or the product of two. */
type Turn = readonly [number] | readonly [number, number];

/** A line of A·B·C points in `kept`, transformed in place: frequency f ends at, or comes from, placeOf(f). */
export class StraightStages {
  readonly #code: StraightCode;
  readonly #roots: Float32Array;
  readonly #rootStep: number;
  readonly #length: number;

  /** `roots`: in the kernel's table. `array`: of the points. */
  constructor(
    private readonly radices: readonly [number, number, number],
    { roots, array }: { roots: number; array?: string },
  ) {
    this.#length = radices[0] * radices[1] * radices[2];
    this.#roots = twiddleTable(roots);
    this.#rootStep = roots / this.#length;
    this.#code = new StraightCode(array);
  }

  get lines(): readonly string[] {
    return this.#code.lines;
  }

  placeOf(frequency: number): number {
    const [a, b, c] = this.radices;
    const f = frequency % (a * b);
    return (f % a) * b * c + Math.floor(f / a) * c + Math.floor(frequency / (a * b));
  }

  /** Points to frequencies. */
  there(): this {
    const [, b, c] = this.radices;
    this.#first(false);
    if (b > 1) this.#middle(false);
    return this.#rows(c);
  }

  /** The other way, with real and imaginary part exchanged before and after. */
  back(): this {
    const [, b, c] = this.radices;
    this.#rows(c);
    if (b > 1) this.#middle(true);
    this.#first(true);
    return this;
  }

  #first(back: boolean): void {
    const [a, b, c] = this.radices;
    for (let j = 0; j < b * c; j++) this.#columns({ radix: a, start: j, stride: b * c, step: j, back });
  }

  #middle(back: boolean): void {
    const [a, b, c] = this.radices;
    for (let q = 0; q < a * c; q++) {
      const j = q % c;
      const start = Math.floor(q / c) * b * c + j;
      this.#columns({ radix: b, start, stride: c, step: a * j, back });
    }
  }

  #rows(radix: number): this {
    for (let start = 0; start < this.#length; start += radix) {
      this.#columns({ radix, start, stride: 1, step: 0, back: false });
    }
    return this;
  }

  /** One short transform, and the factors w^(step·k) after it; `back`: before it. */
  #columns(column: { radix: number; start: number; stride: number; step: number; back: boolean }): void {
    const { radix, start, stride, step, back } = column;
    let x = Array.from({ length: radix }, (_, k) => this.#code.recall(start + k * stride));
    if (back) x = x.map((value, k) => this.#twiddled(value, step, k));
    x = this.#butterfly(x);
    if (!back) x = x.map((value, k) => this.#twiddled(value, step, k));
    for (const [k, value] of x.entries()) this.#code.keep(start + k * stride, value);
  }

  /** As twiddleAll of fft-stages.wgsl: every fourth factor and three small ones are roots, the others their products. */
  #twiddled(value: string, step: number, k: number): string {
    const [small, large] = [step * (k % 4), step * (k - (k % 4))];
    if (small === 0 && large === 0) return value;
    return this.#turn(value, k < 4 || k % 4 === 0 ? [step * k] : [large, small]);
  }

  #turn(value: string, turn: Turn): string {
    const [re, im] = this.#factor(turn);
    // With equal parts as a literal compilers would factor them out of a sum: another rounding. They don't know a table's.
    if (Math.abs(re) === Math.abs(im)) {
      const [first, second] = turn.map((root) => `rootOfUnity(${root * this.#rootStep}u)`);
      return this.#code.let(`times(${value}, ${second ? `times(${first}, ${second})` : first})`);
    }
    return this.#times(value, re, im);
  }

  #times(value: string, re: number, im: number): string {
    return this.#code.times(value, re, im) ?? value;
  }

  /** In float32, as the kernels compute it. */
  #factor([first, second]: Turn): [number, number] {
    const [a, b] = this.#roots.subarray(2 * first * this.#rootStep);
    if (second === undefined) return [a, b];
    const [c, d] = this.#roots.subarray(2 * second * this.#rootStep);
    const { fround } = Math;
    return [fround(fround(a * c) - fround(b * d)), fround(fround(a * d) + fround(b * c))];
  }

  // From here on as fft-butterflies.wgsl.

  #butterfly(x: readonly string[]): string[] {
    const pick = (first: number, stride: number) => x.filter((_, i) => i % stride === first);
    const twos = (r: number) => [this.#butterfly(pick(0, 2)), this.#oddFactors(r, this.#butterfly(pick(1, 2)))];
    switch (x.length) {
      case 1:
        return [...x];
      case 2:
        return [this.#sum(x[0], x[1]), this.#difference(x[0], x[1])];
      case 3:
        return this.#butterfly3(x);
      case 4:
        return this.#butterfly4(x);
      case 6:
      case 8: {
        const [even, odd] = twos(x.length);
        return [
          ...even.map((value, k) => this.#sum(value, odd[k])),
          ...even.map((value, k) => this.#difference(value, odd[k])),
        ];
      }
      default:
        return this.#butterflies4(x);
    }
  }

  /** Of the odd points of 6 or 8. */
  #oddFactors(r: number, x: readonly string[]): string[] {
    if (r === 6) return [x[0], this.#times(x[1], 0.5, -SIN_60), this.#times(x[2], -0.5, -SIN_60)];
    return [x[0], this.#call("turnedHalf", x[1]), this.#turned(x[2]), this.#call("turnedThreeHalves", x[3])];
  }

  /** 12 or 16 points: columns of 4, factors, rows of 3 or 4. */
  #butterflies4(x: readonly string[]): string[] {
    const columns = x.length / 4;
    const half = (value: string) => this.#call("turnedHalf", value);
    const threeHalves = (value: string) => this.#call("turnedThreeHalves", value);
    const quarter = (value: string) => this.#turned(value);
    const by = (re: number, im: number) => (value: string) => this.#times(value, re, im);
    const none = (value: string) => value;
    const factors =
      columns === 3
        ? [
            [none, none, none, none],
            [none, by(SIN_60, -0.5), by(0.5, -SIN_60), quarter],
            [none, by(0.5, -SIN_60), by(-0.5, -SIN_60), by(-1, 0)],
          ]
        : [
            [none, none, none, none],
            [none, by(COS_22, -SIN_22), half, by(SIN_22, -COS_22)],
            [none, half, quarter, threeHalves],
            [none, by(SIN_22, -COS_22), threeHalves, by(-COS_22, SIN_22)],
          ];
    const turned = factors.map((row, column) => {
      const short = this.#butterfly4(x.filter((_, i) => i % columns === column));
      return short.map((value, k) => row[k](value));
    });
    const rows = [0, 1, 2, 3].map((k) => this.#butterfly(turned.map((column) => column[k])));
    // Row k1, column k2 holds frequency k1 + 4·k2.
    return Array.from(x, (_, f) => rows[f % 4][Math.floor(f / 4)]);
  }

  #butterfly3([a, b, c]: readonly string[]): string[] {
    const sum = this.#sum(b, c);
    const difference = this.#code.let(`${SIN_60}f * ${this.#turned(this.#difference(b, c))}`);
    const middle = this.#code.let(`${a} - 0.5 * ${sum}`);
    return [this.#sum(a, sum), this.#sum(middle, difference), this.#difference(middle, difference)];
  }

  #butterfly4([a, b, c, d]: readonly string[]): string[] {
    const [even, evenDifference] = [this.#sum(a, c), this.#difference(a, c)];
    const [odd, oddDifference] = [this.#sum(b, d), this.#turned(this.#difference(b, d))];
    return [
      this.#sum(even, odd),
      this.#sum(evenDifference, oddDifference),
      this.#difference(even, odd),
      this.#difference(evenDifference, oddDifference),
    ];
  }

  #sum(a: string, b: string): string {
    return this.#code.let(`${a} + ${b}`);
  }

  #difference(a: string, b: string): string {
    return this.#code.let(`${a} - ${b}`);
  }

  #turned(value: string): string {
    return this.#times(value, 0, -1);
  }

  #call(name: string, value: string): string {
    return this.#code.let(`${name}(${value})`);
  }
}
