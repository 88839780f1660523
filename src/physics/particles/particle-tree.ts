/**
 * Particles of a periodic box in a balanced k-d tree (Bentley 1975, CACM 18, 509), for the neighbours of a place and the
 * contents of spheres. Halves of equal number, divided across the longest side; distances are to the nearest image.
 */

/** Particles of a leaf, at most. */
const LEAF = 12;

export class ParticleTree {
  /** [N] the place in the caller's arrays of each particle, in the order of the tree. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** [3N, xyzxyz…] positions in that order [length]. */
  readonly #positions: Float64Array;
  /** [6 · nodes] corners of the node's box: least x, y, z, greatest x, y, z. */
  readonly #corners: Float64Array;
  readonly #firstLeaf: number;

  /** `positions`: [3N, xyzxyz…] from 0 to below `boxSize` [length]. */
  constructor(
    positions: Float64Array,
    private readonly boxSize: number,
  ) {
    const count = positions.length / 3;
    const depth = Math.max(0, Math.ceil(Math.log2(count / LEAF)));
    this.#firstLeaf = 2 ** depth - 1;
    this.#corners = new Float64Array(6 * (2 ** (depth + 1) - 1));
    this.order = Uint32Array.from({ length: count }, (_, i) => i);
    this.#divide(positions, 0, 0, count);
    this.#positions = new Float64Array(3 * count);
    this.order.forEach((from, slot) => {
      for (let axis = 0; axis < 3; axis++) this.#positions[3 * slot + axis] = positions[3 * from + axis];
    });
  }

  #divide(positions: Float64Array, node: number, low: number, high: number): void {
    const { order } = this;
    const corners = this.#corners.subarray(6 * node, 6 * node + 6);
    corners.fill(Number.POSITIVE_INFINITY, 0, 3).fill(Number.NEGATIVE_INFINITY, 3);
    for (let slot = low; slot < high; slot++) {
      for (let axis = 0; axis < 3; axis++) {
        const x = positions[3 * order[slot] + axis];
        if (x < corners[axis]) corners[axis] = x;
        if (x > corners[axis + 3]) corners[axis + 3] = x;
      }
    }
    if (node >= this.#firstLeaf) return;
    const side = (axis: number) => corners[axis + 3] - corners[axis];
    const axis = side(1) > side(0) ? (side(2) > side(1) ? 2 : 1) : side(2) > side(0) ? 2 : 0;
    const middle = (low + high) >> 1;
    select(order, (i) => positions[3 * i + axis], [low, middle, high - 1]);
    this.#divide(positions, 2 * node + 1, low, middle);
    this.#divide(positions, 2 * node + 2, middle, high);
  }

  /**
   * The nearest of the particles to a place that lie nearer than √`within`, `most` of them at most: fills `slots` and
   * `squares` [length²] in order of distance, and says how many there are.
   */
  nearest(place: ArrayLike<number>, within: number, most: number, slots: Uint32Array, squares: Float64Array): number {
    let found = 0;
    let bound = within;
    const take = (square: number, slot: number) => {
      let at = found < most ? found++ : most - 1;
      for (; at > 0 && squares[at - 1] > square; at--) {
        squares[at] = squares[at - 1];
        slots[at] = slots[at - 1];
      }
      squares[at] = square;
      slots[at] = slot;
      if (found === most) bound = squares[most - 1];
    };
    this.#visit(place, () => bound, take);
    return found;
  }

  /** Calls `take` for every particle nearer than √`within` to a place. */
  inside(place: ArrayLike<number>, within: number, take: (square: number, slot: number) => void): void {
    this.#visit(place, () => within, take);
  }

  /** The nearer of two nodes comes first. */
  #visit(place: ArrayLike<number>, bound: () => number, take: (square: number, slot: number) => void): void {
    const { boxSize, order } = this;
    const positions = this.#positions;
    const half = boxSize / 2;
    const [px, py, pz] = [place[0], place[1], place[2]];
    const fold = (d: number) => (d > half ? boxSize - d : d);
    const walk = (node: number, low: number, high: number): void => {
      if (node >= this.#firstLeaf) {
        for (let slot = low; slot < high; slot++) {
          const x = fold(Math.abs(positions[3 * slot] - px));
          const y = fold(Math.abs(positions[3 * slot + 1] - py));
          const z = fold(Math.abs(positions[3 * slot + 2] - pz));
          const square = x * x + y * y + z * z;
          if (square < bound()) take(square, slot);
        }
        return;
      }
      const middle = (low + high) >> 1;
      const [left, right] = [this.#square(2 * node + 1, place), this.#square(2 * node + 2, place)];
      if (left <= right) {
        if (left < bound()) walk(2 * node + 1, low, middle);
        if (right < bound()) walk(2 * node + 2, middle, high);
      } else {
        if (right < bound()) walk(2 * node + 2, middle, high);
        if (left < bound()) walk(2 * node + 1, low, middle);
      }
    };
    walk(0, 0, order.length);
  }

  /** Of the distance from a place to the nearest image of a node's box: on a circle, one of its ends is nearest. */
  #square(node: number, place: ArrayLike<number>): number {
    const { boxSize } = this;
    const corners = this.#corners;
    let sum = 0;
    for (let axis = 0; axis < 3; axis++) {
      const below = corners[6 * node + axis] - place[axis];
      const above = place[axis] - corners[6 * node + axis + 3];
      if (below <= 0 && above <= 0) continue;
      const [one, other] = [Math.abs(below), Math.abs(above)];
      const d = Math.min(one, boxSize - one, other, boxSize - other);
      sum += d * d;
    }
    return sum;
  }
}

/** Hoare's selection in place: afterwards what is before `middle` is at most, what is after it at least the entry there. */
function select(order: Uint32Array, value: (i: number) => number, [from, middle, to]: [number, number, number]): void {
  let [low, high] = [from, to];
  while (low < high) {
    const pivot = value(order[(low + high) >> 1]);
    let [i, j] = [low, high];
    while (i <= j) {
      while (value(order[i]) < pivot) i++;
      while (value(order[j]) > pivot) j--;
      if (i > j) break;
      const kept = order[i];
      order[i++] = order[j];
      order[j--] = kept;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
