/**
 * What the float64 pipeline uses of the package ndarray, for the page's worker: the package compiles code from texts, which a
 * strict policy refuses. Views of an array, with their axes in any order and cut off along each.
 */
export interface StridedView<A> {
  readonly data: A;
  readonly shape: readonly number[];
  /** From neighbour to neighbour along each axis, in numbers. */
  readonly stride: readonly number[];
  readonly offset: number;
  /** With the axes in this order. */
  transpose(...axes: number[]): StridedView<A>;
  /** The first so many along each axis. */
  hi(...shape: number[]): StridedView<A>;
}

class View<A> implements StridedView<A> {
  readonly offset = 0;

  constructor(
    readonly data: A,
    readonly shape: readonly number[],
    readonly stride: readonly number[],
  ) {}

  transpose(...axes: number[]): View<A> {
    return new View(
      this.data,
      axes.map((axis) => this.shape[axis]),
      axes.map((axis) => this.stride[axis]),
    );
  }

  hi(...shape: number[]): View<A> {
    return new View(this.data, shape, this.stride);
  }
}

/** A view of the whole of `data`, the last axis the quickest. */
export default function ndarray<A>(data: A, shape: readonly number[]): StridedView<A> {
  const stride: number[] = [];
  let next = 1;
  for (const length of [...shape].reverse()) {
    stride.unshift(next);
    next *= length;
  }
  return new View(data, shape, stride);
}
