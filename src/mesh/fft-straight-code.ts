/** Straight code: a value a line, complex numbers as vec2f. Zeros that are known aren't computed with. */

/** A value's name; null is zero. */
export type Value = string | null;

/** WGSL of a number. */
export function literal(x: number): string {
  const text = String(Math.fround(x));
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`;
}

/** Writes lines; what computes gives the name of its result. */
export class StraightCode {
  readonly #lines: string[] = [];
  #values = 0;

  /** `array`: of the points. */
  constructor(private readonly array = "kept") {}

  get lines(): readonly string[] {
    return this.#lines;
  }

  let(expression: string): string {
    const name = `t${this.#values++}`;
    this.#lines.push(`let ${name} = ${expression};`);
    return name;
  }

  recall(place: number): string {
    return this.let(`${this.array}[${place}]`);
  }

  keep(place: number, value: Value): void {
    this.#lines.push(`${this.array}[${place}] = ${value ?? "vec2f()"};`);
  }

  sum(a: Value, b: Value): Value {
    return a && b ? this.let(`${a} + ${b}`) : (a ?? b);
  }

  difference(a: Value, b: Value): Value {
    if (!b) return a;
    return this.let(a ? `${a} - ${b}` : `-${b}`);
  }

  /** Product with a complex number; ±1 and ±i cost nothing. */
  times(value: Value, re: number, im: number): Value {
    if (!value || (re === 1 && im === 0)) return value;
    if (re === 0 && im === -1) return this.let(`vec2f(${value}.y, -${value}.x)`);
    if (re === -1 && im === 0) return this.let(`-${value}`);
    if (re === 0 && im === 1) return this.let(`vec2f(-${value}.y, ${value}.x)`);
    const [c, s] = [literal(re), literal(im)];
    return this.let(
      `vec2f(${value}.x * ${c} - ${value}.y * ${s}, ${value}.x * ${s} + ${value}.y * ${c})`.replaceAll(
        /([-+]) (\S+ \*) -/g,
        (_, sign, factor) => `${sign === "-" ? "+" : "-"} ${factor} `,
      ),
    );
  }
}

/** Branches by the value of `index` to what is written for each of `count` values, from `first` on. */
export function branches(
  index: string,
  count: number,
  lines: (value: number) => readonly string[],
  first = 0,
): string[] {
  if (count === 1) return [...lines(first)];
  const half = Math.ceil(count / 2);
  const [low, high] = [branches(index, half, lines, first), branches(index, count - half, lines, first + half)];
  return [`if (${index} < ${first + half}u) {`, ...low, "} else {", ...high, "}"];
}

/** A function's text. */
export function define(head: string, lines: readonly string[]): string[] {
  return [`fn ${head} {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** Points on their way between a buffer and a private array at a time: TOGETHER of fft-straight.wgsl and fft-blocks.wgsl. */
const TOGETHER = 4;

/** The points of a turn. */
const points = (turn: number) => Array.from({ length: TOGETHER }, (_, i) => [i, turn * TOGETHER + i]);

/** Branches by `turn` from `moved` to the places of `count` points in `array`, and from there. */
export function keepMoved(array: string, count: number, placeOf: (point: number) => number): string[] {
  const lines = (turn: number) => points(turn).map(([i, point]) => `${array}[${placeOf(point)}] = moved[${i}];`);
  return define("keepMoved(turn: u32)", branches("turn", count / TOGETHER, lines));
}

export function recallMoved(array: string, count: number, placeOf: (point: number) => number): string[] {
  const lines = (turn: number) => points(turn).map(([i, point]) => `moved[${i}] = ${array}[${placeOf(point)}];`);
  return define("recallMoved(turn: u32)", branches("turn", count / TOGETHER, lines));
}
