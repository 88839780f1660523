/**
 * `gravmesh bench mond`: modified gravity where its answer is known in closed form (G = M = 1, box of side 1), by the whole
 * step of a backend, particles to accelerations:
 *   spheres         g = ν(g_N/a0) g_N, Plummer and Hernquist, cut off at the edge of the mesh
 *   Kuzmin's disk   off its plane the field is a point's at (0, 0, ∓a), for which the same law holds (Brada & Milgrom 1995)
 *   external field  a mass in a dominating field: QUMOND φ = −(GM ν_e/r)(1 + ½ L_e sin²θ), L_e = d ln ν/d ln y (Milgrom 2010);
 *                   AQUAL φ = −GM/(μ_e √((1 + L_e) s² + z²)), L_e = d ln μ/d ln x (Milgrom 1986)
 *   two bodies      F = ⅔ √(G a0) [(m1 + m2)^{3/2} − m1^{3/2} − m2^{3/2}]/r, deep regime (Milgrom 1997)
 *   virial          Σ m x·a = −⅔ √(G a0) M^{3/2}, deep regime, any shape (Milgrom 1994)
 */

import { multigridPresets } from "../../engine/mesh/multigrid/multigrid-settings.ts";
import type { IsolatedKernel, PipelineSettings, PoissonMethod } from "../../engine/mesh/settings.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { interpolatingFunctions, modified } from "../../physics/mond/interpolation.ts";
import type { MondSettings } from "../../physics/mond/settings.ts";
import { tableOf } from "../../run/page/text.ts";
import type { TableStudy } from "../table-study.ts";
import { meshBackend, particlesAt, unitBox } from "../validate/law.ts";

type Vector = [number, number, number];

export interface MondProblem {
  name: string;
  mond: Omit<MondSettings, "formulation">;
  /** Masses at places in the box. */
  sources: { at: Vector; mass: number }[];
  /** What is expected at a place seen from the centre, by formulation; targets keep `near` cells from it. */
  field?: (d: Vector, formulation: MondSettings["formulation"]) => Vector;
  near?: number;
  /** Whether a place, seen from the centre, is a target. */
  targets?: (d: Vector) => boolean;
  /** Where no field but a sum is known: of the accelerations of the sources, and its value. */
  sum?: { of: (accelerations: readonly Vector[]) => number; expected: number };
}

export interface MondRequest {
  cells: number;
  formulation: MondSettings["formulation"];
  poisson: PoissonMethod;
  kernel?: IsolatedKernel;
}

export type MondResult = Awaited<ReturnType<typeof measureMond>>;

/** Of pairs of bodies: the distance, off the mesh's axes, and the scale of each [cells]; the formula is of points. */
const PAIRS = [
  [16.3, 1.25],
  [12.3, 1.25],
  [8.3, 0.9],
] as const;
/** Farther apart, as shares of the box, where phantom matter beyond it counts. */
const WIDE = [
  [0.3, 1.25],
  [0.45, 1.9],
  [0.6, 1.9],
] as const;
/** Scale radii of spheres and disk, and r_M = √(GM/a0), over the box. */
const [SCALE, DISK, TRANSITION] = [1 / 16, 1 / 56, 1 / 8];
const TARGETS = 4000;
/** Cells from the centre to the targets, and from the faces, which the outermost particles of a mesh keep. */
const [NEAR, MARGIN] = [3, 3.5];
/** Half a cube, the particles' part of the box. */
const edgeOf = (cells: number) => 0.5 - MARGIN / cells;
/** A smaller mesh has no targets for the external field. */
export const LEAST_MOND_CELLS = 24;
const CENTRE: Vector = [0.5, 0.5, 0.5];

/** All of them on a mesh of so many cells. */
export function mondProblems(cells: number): MondProblem[] {
  // So large that phantom matter is nearly all: the law is the same, but for what Newton's part would cancel.
  const deep: MondProblem["mond"] = { interpolation: "deep", a0: 1e6, externalField: [0, 0, 0] };
  const wide = WIDE.map(([share, scale]) => [share * cells, scale] as const);
  const twoBodies = [...PAIRS, ...wide].flatMap((pair) =>
    [1 / 2, 1 / 3, 1 / 5].map((light) => twoBodyProblem(cells, pair, light, deep)),
  );
  const round = ellipsoid(cells, 1);
  const flat = ellipsoid(cells, 0.4);
  return [
    sphereProblem("Plummer sphere", cells, {
      density: (r) => (3 / (4 * Math.PI)) * SCALE ** 2 * (r * r + SCALE ** 2) ** -2.5,
      mass: (r) => r ** 3 / (r * r + SCALE ** 2) ** 1.5,
    }),
    sphereProblem("Hernquist sphere", cells, {
      density: (r) => SCALE / (2 * Math.PI * r * (r + SCALE) ** 3),
      mass: (r) => r ** 2 / (r + SCALE) ** 2,
    }),
    kuzminProblem("Kuzmin disk", cells),
    kuzminProblem("Kuzmin disk, off its plane", cells, 2),
    externalProblem(cells),
    ...twoBodies,
    virialProblem("virial, sphere", round, deep),
    virialProblem("virial, flat ellipsoid", flat, deep),
  ];
}

const transitional: MondProblem["mond"] = {
  ...{ interpolation: "simple", a0: 1 / TRANSITION ** 2, externalField: [0, 0, 0] },
};

function sphereProblem(
  name: string,
  cells: number,
  { density, mass }: { density: (r: number) => number; mass: (r: number) => number },
): MondProblem {
  const edge = edgeOf(cells);
  return {
    ...{ name, mond: transitional },
    sources: sampled(cells, (r) => (r < edge ? density(r) : 0)),
    field(d) {
      const r = Math.hypot(...d);
      return along(d, -modified("simple", transitional.a0, mass(Math.min(r, edge)) / r ** 2));
    },
  };
}

/** Masses at the centres of cells; beside the centre means over smaller cells. */
function sampled(cells: number, density: (r: number) => number, flattening = 1): MondProblem["sources"] {
  const h = 1 / cells;
  const sources: MondProblem["sources"] = [];
  forEachCentre(cells, (at) => {
    const d = fromCentre(at);
    const fine = Math.hypot(...d) < 4 * h ? 8 : 1;
    let sum = 0;
    for (let k = 0; k < fine ** 3; k++) {
      const part = [k % fine, Math.floor(k / fine) % fine, Math.floor(k / fine ** 2)];
      const [x, y, z] = d.map((value, axis) => value + ((part[axis] + 0.5) / fine - 0.5) * h);
      sum += density(Math.hypot(x, y, z / flattening));
    }
    if (sum > 0) sources.push({ at, mass: (sum / fine ** 3) * h ** 3 });
  });
  return sources;
}

/** Targets are so many cells from its plane. */
function kuzminProblem(name: string, cells: number, off = 0): MondProblem {
  const h = 1 / cells;
  const sources: MondProblem["sources"] = [];
  // In one plane of cell centres, as far as the mesh takes particles.
  forEachCentre(cells, (at) => {
    const [x, y, z] = fromCentre(at);
    if (Math.abs(z - 0.5 * h) > 0.1 * h || Math.max(Math.abs(x), Math.abs(y)) > edgeOf(cells)) return;
    sources.push({ at, mass: (DISK / (2 * Math.PI) / (x * x + y * y + DISK ** 2) ** 1.5) * h * h });
  });
  return {
    ...{ name, mond: transitional, sources },
    targets: ([, , z]) => Math.abs(z - 0.5 * h) >= off * h,
    field([x, y, z]) {
      const height = z - 0.5 * h;
      const d: Vector = [x, y, height + (height < 0 ? -DISK : DISK)];
      return along(d, -modified("simple", transitional.a0, 1 / (d[0] ** 2 + d[1] ** 2 + d[2] ** 2)));
    },
  };
}

/** A compact sphere in a field 2000 times its own where targets begin: what is odd in the angle falls with the root of that. */
function externalProblem(cells: number): MondProblem {
  const near = 8;
  const inner = (near / cells) ** -2;
  const external = 2000 * inner;
  const a0 = 4 * external;
  const { nuMinusOne, mu, muSlope } = interpolatingFunctions.simple;
  const y = (external * mu(external / a0)) / a0;
  const nu = 1 + nuMinusOne(y);
  const step = 1e-4;
  const slope = (Math.log(1 + nuMinusOne(y * (1 + step))) - Math.log(1 + nuMinusOne(y * (1 - step)))) / (2 * step);
  const scale = 1 / cells;
  // A Gaussian: what is outside of it is a point's.
  const density = (r: number) => Math.exp(-0.5 * (r / scale) ** 2) / (2 * Math.PI * scale ** 2) ** 1.5;
  return {
    ...{ name: "external field", near },
    mond: { interpolation: "simple", a0, externalField: [0, 0, external] },
    sources: sampled(cells, (r) => (r < 5 * scale ? density(r) : 0)),
    field([x, y, z], formulation) {
      const r2 = x * x + y * y + z * z;
      const sine2 = (x * x + y * y) / r2;
      const r = Math.sqrt(r2);
      if (formulation === "aqual") {
        const slopeMu = muSlope(external / a0);
        const factor = -1 / (mu(external / a0) * ((1 + slopeMu) * (x * x + y * y) + z * z) ** 1.5);
        return [factor * (1 + slopeMu) * x, factor * (1 + slopeMu) * y, factor * z];
      }
      // φ = −GMν (1/r + ½L (x² + y²)/r³)
      const common = -nu * (1 / r ** 3 + 1.5 * slope * (sine2 / r ** 3) - slope / r ** 3);
      return [common * x, common * y, -nu * (1 / r ** 3 + 1.5 * slope * (sine2 / r ** 3)) * z];
    },
  };
}

/** Gaussian bodies, off the mesh's axes and centres. */
function twoBodyProblem(
  cells: number,
  [apart, scale]: readonly [number, number],
  light: number,
  mond: MondProblem["mond"],
): MondProblem {
  const separation = apart / cells;
  const direction: Vector = [0.6, 0.48, 0.64];
  const masses = [1 - light, light];
  const bodies = [-light, 1 - light].map((share, body) => {
    const centre: Vector = [0.507, 0.496, 0.502];
    const at = centre.map((x, axis) => x + share * separation * direction[axis]) as Vector;
    return gaussianBody(at, masses[body], scale / cells);
  });
  const count = bodies[0].length;
  const alone = masses.reduce((sum, mass) => sum + mass ** 1.5, 0);
  return {
    ...{ name: `two bodies ${Math.floor(apart)} cells apart, ${masses.map((m) => m.toFixed(2)).join(" and ")}`, mond },
    sources: bodies.flat(),
    sum: {
      // The mean of the two forces along the line between them.
      of: (accelerations) =>
        accelerations.reduce((sum, acceleration, i) => {
          const { mass } = bodies[i < count ? 0 : 1][i % count];
          return sum + 0.5 * (i < count ? mass : -mass) * dot(acceleration, direction);
        }, 0),
      expected: ((2 / 3) * Math.sqrt(mond.a0) * (1 - alone)) / separation,
    },
  };
}

/** Particles half a scale apart, out to three. */
function gaussianBody(centre: Vector, mass: number, scale: number): MondProblem["sources"] {
  const places: { at: Vector; weight: number }[] = [];
  for (let k = 0; k < 12 ** 3; k++) {
    const d = [k % 12, Math.floor(k / 12) % 12, Math.floor(k / 144)].map((i) => 0.5 * (i - 5.5)) as Vector;
    const r2 = dot(d, d);
    const at = centre.map((x, axis) => x + scale * d[axis]) as Vector;
    if (r2 < 9) places.push({ at, weight: Math.exp(-0.5 * r2) });
  }
  const total = places.reduce((sum, { weight }) => sum + weight, 0);
  return places.map(({ at, weight }) => ({ at, mass: (mass * weight) / total }));
}

/** A Gaussian ellipsoid with its short axis along z. */
function ellipsoid(cells: number, flattening: number): MondProblem["sources"] {
  const scale = 1 / 14;
  const density = (r: number) => Math.exp(-0.5 * (r / scale) ** 2);
  const sources = sampled(cells, (r) => (r < 5 * scale ? density(r) : 0), flattening);
  const total = sources.reduce((sum, { mass }) => sum + mass, 0);
  return sources.map(({ at, mass }) => ({ at, mass: mass / total }));
}

function virialProblem(name: string, sources: MondProblem["sources"], mond: MondProblem["mond"]): MondProblem {
  return {
    ...{ name, mond, sources },
    sum: {
      of: (accelerations) =>
        sources.reduce((sum, { at, mass }, i) => sum + mass * dot(fromCentre(at), accelerations[i]), 0),
      expected: -(2 / 3) * Math.sqrt(mond.a0),
    },
  };
}

/** Rms and largest error over the expectation, of fields at targets; of sums the error alone. Without an adapter in float64. */
export async function measureMond(
  gpu: GpuContext | undefined,
  problem: MondProblem,
  { cells, formulation, poisson, kernel = "split" }: MondRequest,
) {
  const settings: PipelineSettings = {
    ...unitBox("isolated", { cells, assignment: "cic", poisson, green: "discrete", kernel, gradient: "4-point" }),
    // Cycles that take AQUAL to the rounding of float32, or a linear solve to its tolerance.
    multigrid: {
      ...multigridPresets.default,
      ...(formulation === "aqual" ? { maxCycles: 4 } : { tolerance: 1e-4, maxCycles: 20 }),
    },
    mond: { ...problem.mond, formulation },
  };
  const { sources, sum, field } = problem;
  const targets = field ? targetsOf(cells, problem) : [];
  const positions = Float64Array.from([...sources.map(({ at }) => at), ...targets].flat());
  const masses = Float64Array.from([...sources.map(({ mass }) => mass), ...targets.map(() => 0)]);
  return releasing(meshBackend(gpu, settings, particlesAt(positions, masses)), async (pipeline) => {
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    const at = (i: number): Vector => [accelerations![3 * i], accelerations![3 * i + 1], accelerations![3 * i + 2]];
    const errors = sum
      ? [Math.abs(sum.of(sources.map((_, i) => at(i))) / sum.expected - 1)]
      : targets.map((target, t) => {
          const expected = field!(fromCentre(target), formulation);
          const off = at(sources.length + t).map((value, axis) => value - expected[axis]);
          return Math.hypot(...off) / Math.hypot(...expected);
        });
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    return { name: problem.name, rms, worst: Math.max(...errors), targets: targets.length };
  });
}

/** All problems. */
export const mondStudy = (request: MondRequest): TableStudy<MondProblem, MondResult> => ({
  cases: mondProblems(request.cells),
  label: ({ name }) => name,
  measure: (problem, { gpu }) => measureMond(gpu, problem, request),
});

/** Places in the box, spread evenly, to MARGIN cells from the faces. */
function targetsOf(cells: number, { near = NEAR, targets = () => true }: MondProblem): Vector[] {
  const found: Vector[] = [];
  const share = (i: number, step: number) => (0.5 + i * step) % 1;
  const side = 1 - (2 * MARGIN) / cells;
  // A sequence of low discrepancy (Roberts 2018): powers of the root of x⁴ = x + 1.
  const root = 1.2207440846057596;
  for (let i = 1; found.length < TARGETS; i++) {
    const at = [1, 2, 3].map((power) => 0.5 + (share(i, root ** -power) - 0.5) * side) as Vector;
    const d = fromCentre(at);
    if (Math.hypot(...d) > near / cells && targets(d)) found.push(at);
  }
  return found;
}

export function mondText(results: readonly MondResult[]): string {
  const percent = (value: number) => (100 * value).toFixed(2);
  return tableOf(results, {
    problem: ({ name }) => name,
    "rms error %": ({ rms }) => percent(rms),
    "largest %": ({ worst, targets }) => (targets > 0 ? percent(worst) : ""),
  });
}

function forEachCentre(cells: number, use: (at: Vector) => void): void {
  const at = (i: number) => (i + 0.5) / cells;
  for (let z = 0; z < cells; z++) {
    for (let y = 0; y < cells; y++) for (let x = 0; x < cells; x++) use([at(x), at(y), at(z)]);
  }
}

const fromCentre = (at: Vector): Vector => [at[0] - CENTRE[0], at[1] - CENTRE[1], at[2] - CENTRE[2]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** A vector of that size along another. */
function along(d: Vector, size: number): Vector {
  const share = size / Math.hypot(...d);
  return [share * d[0], share * d[1], share * d[2]];
}
