/**
 * What the float64 pipeline uses of the package ndarray, for the page's worker: the package compiles code from texts, which a
 * strict policy refuses. Views of an array, with their axes in any order and cut off along each.
 */
interface StridedView<A> {
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

function view<A>(data: A, shape: readonly number[], stride: readonly number[]): StridedView<A> {
  const inOrder = (of: readonly number[], axes: number[]) => axes.map((axis) => of[axis]);
  return {
    ...{ data, shape, stride, offset: 0 },
    transpose: (...axes) => view(data, inOrder(shape, axes), inOrder(stride, axes)),
    hi: (...cut) => view(data, cut, stride),
  };
}

/** A view of the whole of `data`, the last axis the quickest. */
export default function ndarray<A>(data: A, shape: readonly number[]): StridedView<A> {
  const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
  return view(data, shape, stride);
}
