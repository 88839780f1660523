/**
 * An axisymmetric potential from a table φ(R, z), as a sum of Miyamoto–Nagai disks whose masses have both signs. Fitted are the
 * differences of φ between neighbouring points, mean forces along the line between them, in units of the force there; the zero
 * of φ drops out. Disks of scales in equal steps of ln a and ln b are added one at a time, each time that which with those
 * before leaves the least sum of squares: orthogonal least squares (Chen, Billings & Luo 1989, Int. J. Control 50, 1873).
 */
import { once } from "../../foundation/base/once.ts";
import { anyNumbers, numbers, optional, positive, required } from "../../foundation/deck/keys.ts";
import { mismatch, mismatchIf, type Path, type Problem, rounded, shortest } from "../../foundation/deck/problems.ts";
import { miyamotoNagai } from "./miyamoto-nagai.ts";
import { type CompositePart, compositePotential } from "./potential.ts";

/** Radii, and heights: of 8 each there are 112 differences for 40 disks. */
const [FEWEST_POINTS, MOST_POINTS] = [8, 64];
const MOST_DISKS = 40;
/** Error that is allowed anywhere, over the rms; disks are added until it is reached, too. */
const LARGEST = 10;
/** From one scale to the next, from half the least distance in the table to twice the largest; larger where it is wide. */
const STEP = 1.5;
const MOST_SCALES = 32;
/** Square of the sine between a disk and those before from which on it is no new one; float32 then keeps five digits. */
const NEW = 1e-8;

interface Table {
  readonly radii: readonly number[];
  readonly heights: readonly number[];
  readonly potentials: readonly number[];
  readonly tolerance: number;
}

/** `mass` is G·M. */
type Disk = Record<"mass" | "scaleLength" | "scaleHeight", number>;

/** Neighbouring points of the table, along R or z. */
interface Edge {
  ends: readonly [number, number];
  length: number;
  alongR: boolean;
}

function edgesOf({ radii, heights }: Table): Edge[] {
  const n = heights.length;
  return radii.flatMap((R, i) =>
    heights.flatMap((z, j): Edge[] => {
      const k = i * n + j;
      return [
        ...(i + 1 < radii.length ? [{ ends: [k, k + n] as const, length: radii[i + 1] - R, alongR: true }] : []),
        ...(j + 1 < n ? [{ ends: [k, k + 1] as const, length: heights[j + 1] - z, alongR: false }] : []),
      ];
    }),
  );
}

/** 1/|F| at each edge, the mean of its ends: at a point |F|² = F_R² + F_z², each the mean size along the edges that meet there. */
function weightsOf(edges: readonly Edge[], potentials: readonly number[]): number[] {
  const mean = (alongR: boolean) => {
    const sums = potentials.map(() => [0, 0]);
    for (const edge of edges) {
      if (edge.alongR !== alongR) continue;
      const [from, to] = edge.ends;
      const size = Math.abs(potentials[to] - potentials[from]) / edge.length;
      for (const end of edge.ends) sums[end] = [sums[end][0] + size, sums[end][1] + 1];
    }
    return sums.map(([sum, count]) => sum / count);
  };
  const [planar, vertical] = [mean(true), mean(false)];
  return edges.map(({ ends }) => {
    const force = ends.reduce((sum, k) => sum + Math.hypot(planar[k], vertical[k]) / 2, 0);
    return force > 0 ? 1 / force : 0;
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function subtract(from: Float64Array, factor: number, row: Float64Array): void {
  for (let i = 0; i < row.length; i++) from[i] -= factor * row[i];
}

/** The disks, and the rms and the largest error of the mean forces over the force. */
const fitted = once((table: Table) => {
  const { radii, heights, potentials, tolerance } = table;
  const edges = edgesOf(table);
  const weights = weightsOf(edges, potentials);
  const forces = (phi: readonly number[]) =>
    Float64Array.from(edges, ({ ends: [from, to], length }, e) => (weights[e] * (phi[to] - phi[from])) / length);
  const points = radii.flatMap((R) => heights.map((z) => Float64Array.of(R, 0, z)));
  const ofDisk = (disk: Disk) => forces(points.map((x) => miyamotoNagai.formula.potential(disk, x)));
  const wanted = forces(potentials);
  const left = wanted.slice();
  const rms = () => Math.sqrt(dot(left, left) / left.length);
  const largest = () => left.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

  const candidates = scalesOf(table).map((scales) => {
    const row = ofDisk({ mass: 1, ...scales });
    const norm = Math.sqrt(dot(row, row));
    return { scales, norm, row: row.map((x) => x / norm), square: 1, shares: [] as number[] };
  });
  const chosen: { candidate: (typeof candidates)[number]; share: number }[] = [];
  while (chosen.length < MOST_DISKS && (rms() > tolerance || largest() > LARGEST * tolerance)) {
    let best = { gain: 0, at: -1 };
    candidates.forEach(({ row, square }, at) => {
      const gain = square > NEW ? dot(row, left) ** 2 / square : 0;
      if (gain > best.gain) best = { gain, at };
    });
    if (best.at < 0) break;
    const [candidate] = candidates.splice(best.at, 1);
    const length = Math.sqrt(dot(candidate.row, candidate.row));
    const direction = candidate.row.map((x) => x / length);
    candidate.shares.push(length);
    for (const other of candidates) {
      const share = dot(other.row, direction);
      other.shares.push(share);
      other.square -= share * share;
      subtract(other.row, share, direction);
    }
    const share = dot(left, direction);
    subtract(left, share, direction);
    chosen.push({ candidate, share });
  }
  // The shares are a triangle: back from the last disk.
  const masses: number[] = [];
  for (let k = chosen.length - 1; k >= 0; k--) {
    const later = chosen.slice(k + 1).reduce((sum, one, m) => sum + one.candidate.shares[k] * masses[k + 1 + m], 0);
    masses[k] = (chosen[k].share - later) / chosen[k].candidate.shares[k];
  }
  const disks = chosen.map(({ candidate: { scales, norm } }, k): Disk => ({ mass: masses[k] / norm, ...scales }));

  left.set(wanted);
  for (const disk of disks) subtract(left, 1, ofDisk(disk));
  return { disks, rms: rms(), largest: largest() };
});

function scalesOf({ radii, heights }: Table): Omit<Disk, "mass">[] {
  const least = Math.min(...[radii, heights].flatMap(([first, second]) => first || second)) / 2;
  const largest = 2 * Math.max(radii[radii.length - 1], heights[heights.length - 1]);
  const steps = Math.min(MOST_SCALES - 1, Math.ceil(Math.log(largest / least) / Math.log(STEP)));
  const scales = Array.from({ length: steps + 1 }, (_, k) => least * (largest / least) ** (k / steps));
  return [0, ...scales].flatMap((scaleLength) => scales.map((scaleHeight) => ({ scaleLength, scaleHeight })));
}

const percent = (share: number) => `${rounded(100 * share, 2)} %`;

export const axisymmetricTable = compositePotential({
  name: "axisymmetric-table",
  meaning: "Potential from a table of φ(R, z), as a sum of Miyamoto–Nagai disks that is fitted to it",
  keys: {
    radii: required(numbers, { unit: "length", meaning: "radii R, ascending from 0 or above; 8 to 64" }),
    heights: required(numbers, { unit: "length", meaning: "heights |z|, likewise: above the plane as below" }),
    potentials: required(anyNumbers, {
      meaning: "φ [velocity²] up to a constant: at the first radius for all heights, then at the next",
    }),
    tolerance: optional(positive, 0.002, {
      meaning: "error of the force, rms, over the force: up to 40 disks are taken until it is reached",
    }),
  },
  problems(table: Table, at: Path): Problem[] {
    const { radii, heights, potentials, tolerance } = table;
    const unfit = (values: readonly number[]) =>
      values.length < FEWEST_POINTS ||
      values.length > MOST_POINTS ||
      !values.every((x, i) => i === 0 || x > values[i - 1]);
    const sizes = [radii, heights].map(({ length }) => length);
    const found = potentials.length;
    const problems = [
      ...mismatchIf(
        unfit(radii),
        [...at, "radii"],
        `${FEWEST_POINTS} to ${MOST_POINTS} ascending radii from 0 up`,
        radii,
      ),
      ...mismatchIf(
        unfit(heights),
        [...at, "heights"],
        `${FEWEST_POINTS} to ${MOST_POINTS} ascending heights from 0 up`,
        heights,
      ),
      ...mismatchIf(
        found !== sizes[0] * sizes[1],
        [...at, "potentials"],
        `${sizes[0]} × ${sizes[1]} numbers, one for each radius and height`,
        found,
      ),
    ];
    if (problems.length > 0) return problems;
    const { disks, rms } = fitted(table);
    if (disks.length > 0 && rms <= tolerance) return [];
    const expected = `a table to which ${MOST_DISKS} disks fit with an error of the force of tolerance = ${shortest(tolerance)} of it`;
    const hint =
      "Check the order of the numbers; leave out heights far below the thickness of a disk, or raise tolerance";
    return [mismatch([...at, "potentials"], expected, Number(rounded(rms, 3)), hint)];
  },
  parts: (table: Table, G): CompositePart[] =>
    fitted(table).disks.map(({ mass, ...scales }) => ({
      kind: miyamotoNagai.name,
      parameters: { mass: mass / G, ...scales },
    })),
  note(table: Table) {
    const { disks, rms, largest } = fitted(table);
    const [R, z] = [table.radii, table.heights].map((values) => shortest(values[values.length - 1]));
    return `${disks.length} Miyamoto–Nagai disks are fitted to its table up to R = ${R}, z = ${z}, with errors of ${percent(rms)} of the force, rms, ${percent(largest)} at most`;
  },
});
