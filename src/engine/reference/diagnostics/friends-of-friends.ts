/**
 * Friends-of-friends groups on the CPU (Davis, Efstathiou, Frenk & White 1985, ApJ 292, 371): pairs of neighbouring cells of
 * at least the linking length, union–find, exact distances of fixed-point positions; properties in float64.
 */
import { fromFixedPoint, imageOnAxis } from "../../../physics/particles/fixed-point.ts";

const TURN = 2 ** 32;
/** Float64 decides for itself outside this relative distance from the linking length. */
const DOUBT = 1e-12;

export interface FriendsCase {
  /** [3N, xyzxyz…] fixed point, units of L/2^32. */
  positions: Uint32Array;
  /** [N] packed box images of an isolated box; periodic without. */
  images?: Uint32Array | undefined;
  /** b, rounded to whole units of L/2^32. */
  linkingLength: number;
}

/** [N] the smallest id (place in the arrays) of each particle's group. */
export function friendsOfFriends(given: FriendsCase): Uint32Array {
  const { positions, images, linkingLength: reach } = given;
  const count = positions.length / 3;
  const cells = Math.max(1, Math.min(Math.floor(TURN / reach), Math.ceil(2 * Math.cbrt(count)), 127));
  const parents = Uint32Array.from({ length: count }, (_, i) => i);
  const root = (i: number) => {
    let node = i;
    while (parents[node] !== node) {
      parents[node] = parents[parents[node]];
      node = parents[node];
    }
    return node;
  };
  const difference = (i: number, j: number, axis: number) => {
    const d = positions[3 * i + axis] - positions[3 * j + axis];
    return images ? d + TURN * (imageOnAxis(images[i], axis) - imageOnAxis(images[j], axis)) : d | 0;
  };
  const areFriends = (i: number, j: number) => {
    const d = [0, 1, 2].map((axis) => difference(i, j, axis));
    const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (Math.abs(square - reach * reach) > DOUBT * reach * reach) return square < reach * reach;
    return d.reduce((sum, x) => sum + BigInt(x) ** 2n, 0n) <= BigInt(reach) ** 2n;
  };
  // Cells in all boxes of an isolated run, in one box of a periodic one.
  const cellOnAxis = (i: number, axis: number) =>
    Math.floor((positions[3 * i + axis] * cells) / TURN) + (images ? cells * imageOnAxis(images[i], axis) : 0);
  const span = 2 ** 17; // beyond every cell, of 1023 boxes of 127 cells
  const keyOf = (x: number, y: number, z: number) => ((z + span / 2) * span + (y + span / 2)) * span + (x + span / 2);
  const members = new Map<number, number[]>();
  for (let i = 0; i < count; i++) enter(members, keyOf(cellOnAxis(i, 0), cellOnAxis(i, 1), cellOnAxis(i, 2)), i);
  const wrapped = (cell: number) => (images ? cell : (cell + cells) % cells);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [0, 1, 2].map((axis) => cellOnAxis(i, axis));
    for (let shift = 0; shift < 27; shift++) {
      const key = keyOf(
        wrapped(x + (shift % 3) - 1),
        wrapped(y + (Math.floor(shift / 3) % 3) - 1),
        wrapped(z + Math.floor(shift / 9) - 1),
      );
      for (const j of members.get(key) ?? []) {
        if (j >= i) continue;
        const [a, b] = [root(i), root(j)];
        if (a !== b && areFriends(i, j)) parents[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  return parents.map((_, i) => root(i));
}

export interface GroupCase extends FriendsCase {
  /** [3N, xyzxyz…] [velocity] */
  velocities: Float32Array | Float64Array;
  /** [N] [mass] */
  masses: Float64Array;
  /** L [length] */
  boxSize: number;
  /** Members of the smallest group wanted. */
  minimumMembers: number;
}

/** A group: the entries of a catalogue, as in HaloCatalogue. */
export interface Group {
  id: number;
  members: number;
  mass: number;
  position: [number, number, number];
  velocity: [number, number, number];
  rmsRadius: number;
  maxRadius: number;
  velocityDispersion: number;
}

/** Groups of at least `minimumMembers`, in order of falling mass; of equal masses, rising id. */
export function groupsOf(labels: Uint32Array, given: GroupCase): Group[] {
  const lists = new Map<number, number[]>();
  labels.forEach((label, i) => {
    enter(lists, label, i);
  });
  return [...lists]
    .filter(([, list]) => list.length >= given.minimumMembers)
    .map(([id, list]) => groupOf(id, list, given))
    .sort((a, b) => b.mass - a.mass || a.id - b.id);
}

function enter(lists: Map<number, number[]>, key: number, member: number): void {
  const list = lists.get(key);
  if (list) list.push(member);
  else lists.set(key, [member]);
}

function groupOf(id: number, members: number[], given: GroupCase): Group {
  const { positions, images, velocities, masses, boxSize } = given;
  // To the nearest image, or across the boxes.
  const nearest = (d: number) => (images ? d : d - boxSize * Math.round(d / boxSize));
  const coordinate = (i: number, axis: number) =>
    fromFixedPoint(positions[3 * i + axis], images ? imageOnAxis(images[i], axis) : 0, boxSize);
  const mass = members.reduce((sum, i) => sum + masses[i], 0);
  const mean = (value: (i: number, axis: number) => number) =>
    [0, 1, 2].map(
      (axis) => members.reduce((sum, i) => sum + masses[i] * value(i, axis), 0) / mass,
    ) as Group["position"];
  // From the member whose id is the label.
  const offset = mean((i, axis) => nearest(coordinate(i, axis) - coordinate(id, axis)));
  const centre = offset.map((d, axis) => coordinate(id, axis) + d);
  const velocity = mean((i, axis) => velocities[3 * i + axis]);
  const square = (vector: (axis: number) => number) => [0, 1, 2].reduce((sum, axis) => sum + vector(axis) ** 2, 0);
  const distance2 = (i: number) => square((axis) => nearest(coordinate(i, axis) - centre[axis]));
  const speed2 = (i: number) => square((axis) => velocities[3 * i + axis] - velocity[axis]);
  const meanOf = (value: (i: number) => number) => members.reduce((sum, i) => sum + masses[i] * value(i), 0) / mass;
  const inBox = (x: number) => (images ? x : x - boxSize * Math.floor(x / boxSize));
  return {
    id,
    members: members.length,
    mass,
    position: centre.map(inBox) as Group["position"],
    velocity,
    rmsRadius: Math.sqrt(meanOf(distance2)),
    maxRadius: Math.sqrt(members.reduce((most, i) => Math.max(most, distance2(i)), 0)),
    velocityDispersion: Math.sqrt(meanOf(speed2) / 3),
  };
}
