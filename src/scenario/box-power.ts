/**
 * What a mesh makes of the clustering in a box that expands, by wavenumber in radians a cell, kh. Nonlinear: power at z = 0
 * against GADGET-4's from the same start (docs/examples/box-beside-reference.py). Linear: growth of a lattice on as many
 * cells from z = 49 to 3 against that on four times as many a side (docs/examples/lattice-growth.mjs); on twice as many a lattice's
 * linear growth is hardly damped. Tables: docs/power-spectrum.md.
 */
import { meshSizes } from "../foundation/deck/mesh-sizes.ts";
import { rounded } from "../foundation/deck/problems.ts";
import { isFromFile } from "../physics/initial/components.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import type { Scenario } from "./scenario.ts";

/** kh up to which power is right to 1 and to 10 %. */
type Right = Readonly<Record<"nonlinear" | "linear", readonly [number, number]>>;

const RIGHT: Readonly<Record<string, Right>> = {
  "cic 2-point": { nonlinear: [0.07, 0.65], linear: [0.1, 0.43] },
  "cic 4-point": { nonlinear: [0.08, 0.65], linear: [0.12, 0.58] },
  "tsc 2-point": { nonlinear: [0.12, 0.51], linear: [0.1, 0.36] },
  "tsc 4-point": { nonlinear: [0.14, 0.57], linear: [0.12, 0.42] },
};

/** Cells a side that a lattice wants, over its particles a side. */
const ENOUGH_CELLS = 2;

/** Particles a side of the largest lattice, 0 where a file has them; undefined without either on a comoving mesh. */
function perSideOf({ particles, gravity, time }: Scenario): number | undefined {
  if (gravity !== "mesh" || time.clock !== "comoving") return undefined;
  const lattices = particles.filter((one: ModelComponent) => one.kind === "lattice" || isFromFile(one));
  return lattices.length === 0 ? undefined : Math.max(...lattices.map((one) => ("perSide" in one ? one.perSide : 0)));
}

/**
 * Wavenumbers up to which the power at the end is right to 1 and to 10 % [1/length], at most the particles' Nyquist wavenumber.
 * `linear` where a lattice lacks cells for its linear growth. Undefined where nothing was measured.
 */
export function rightWavenumbers(scenario: Scenario): { nonlinear: number[]; linear?: number[] } | undefined {
  const { mesh, box } = scenario;
  const perSide = perSideOf(scenario);
  const right = RIGHT[`${mesh.assignment} ${mesh.gradient}`];
  if (perSide === undefined || !right || mesh.poisson !== "fft" || mesh.green !== "exact") return undefined;
  const most = perSide > 0 ? (Math.PI * perSide) / box.size : Number.POSITIVE_INFINITY;
  const of = (kh: readonly number[]) => kh.map((one) => Math.min(most, (one * mesh.cells) / box.size));
  const few = mesh.cells < ENOUGH_CELLS * perSide;
  return { nonlinear: of(right.nonlinear), ...(few && { linear: of(right.linear) }) };
}

/** The wavenumbers up to which a box is right. */
export function boxNotes(scenario: Scenario): string[] {
  const right = rightWavenumbers(scenario);
  if (!right) return [];
  const { mesh, box } = scenario;
  const upTo = (both: readonly number[]) => {
    const [one, ten] = both.map((k) => rounded(k, 2));
    return `to 1 % up to k = ${one} h/Mpc and to 10 % up to ${ten}`;
  };
  const more = meshSizes.find((size) => size >= ENOUGH_CELLS * (perSideOf(scenario) ?? 0));
  const linear = right.linear && `, while it is linear only ${upTo(right.linear)}: try mesh.cells = ${more}`;
  const cell = rounded(box.size / mesh.cells, 3);
  return [
    `with cells of ${cell} Mpc/h power is right ${upTo(right.nonlinear)} where clustering is nonlinear${linear ?? ""}`,
  ];
}

/** On the spectral gradient over a lattice that has fewer points than the mesh has cells: it makes too much of its growth. */
export function boxWarnings(scenario: Scenario): string[] {
  const { cells, gradient } = scenario.mesh;
  const perSide = perSideOf(scenario);
  if (gradient !== "spectral" || perSide === undefined || cells <= perSide) return [];
  return [
    'mesh.gradient = "spectral" rings between the particles of a lattice that is coarser than the mesh: power at half of their ' +
      'Nyquist wavenumber grows to 1.3 to 2.5 times what it should by z = 3. Try mesh.gradient = "4-point"',
  ];
}
