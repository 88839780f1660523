/** The table [mesh]: how the particle mesh turns masses into accelerations. */
import { z } from "zod";
import { choice, type DerivedDefault, derived, entry, flag, optional } from "../../foundation/deck/keys.ts";
import { meshSize } from "../../foundation/deck/mesh-sizes.ts";
import type { CosmologySettings } from "../../physics/cosmology/settings.ts";
import type { MondSettings } from "../../physics/mond/settings.ts";
import { assignmentNames, assignments, offsetOrigin } from "../../physics/particles/assignments.ts";
import type { Boundary, BoxSettings } from "../../physics/particles/box.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import { stencilReach } from "./deposit/stencil.ts";
import type { Level } from "./levels/level-settings.ts";
import { type PoissonMethod, poissonMethods, type SolverSettings } from "./poisson/poisson-methods.ts";
import { splitsByDefault } from "./poisson/split-mesh.ts";

export const POISSON_METHODS = Object.keys(poissonMethods) as [PoissonMethod, ...PoissonMethod[]];

/** Direct summation has no mesh; what compares with one takes this. */
const CELLS_WITHOUT_MESH = 64;

const cellsUnlessDirect: DerivedDefault = {
  text: `required, ${CELLS_WITHOUT_MESH} with gravity = "direct"`,
  value: ({ deck }) => (deck.gravity === "direct" ? CELLS_WITHOUT_MESH : undefined),
};

const assignmentByGravity: DerivedDefault = {
  text: '"cic", "tsc" with gravity = "p3m"',
  value: ({ deck }) => (deck.gravity === "p3m" ? "tsc" : "cic"),
};

const kernelByMesh: DerivedDefault = {
  text: `"split" in isolated boxes of 48 cells a side and more with differences and with gravity = "p3m", "cell-integrated" otherwise`,
  value({ deck, table: { cells, gradient = "4-point", poisson = "fft" } }) {
    const isolated = entry(deck, "box", "boundary") !== "periodic" && poisson === "fft" && deck.gravity !== "direct";
    if (deck.gravity === "p3m") return "split";
    const splits = isolated && splitsByDefault({ cells: Number(cells), gradient: String(gradient) });
    return splits ? "split" : "cell-integrated";
  },
};

export const meshTable = z
  .strictObject({
    cells: derived(meshSize, cellsUnlessDirect, { unit: "cells", meaning: "cells per side" }),
    assignment: derived(choice(...assignmentNames), assignmentByGravity, {
      meaning: `mass assignment and interpolation: ${assignmentNames.map((name) => assignments[name].meaning).join(", ")}`,
    }),
    deposit: optional(choice("auto", "sort", "atomic", "host"), "auto", {
      meaning: "how mass is summed into cells; all give the same bits, auto takes the fastest",
    }),
    poisson: optional(choice(...POISSON_METHODS), "fft", {
      meaning: `Poisson solver: ${POISSON_METHODS.map((name) => poissonMethods[name].meaning).join(", or ")}`,
    }),
    green: optional(choice("exact", "discrete"), "exact", {
      meaning: "periodic Green's function: −1/k², or that of the 7-point Laplacian; unused in an isolated box",
    }),
    kernel: derived(choice("split", "cell-integrated", "truncated"), kernelByMesh, {
      meaning:
        "open-space kernel: −1/r and its mean over the cell at the origin, from two meshes without padding (split) or one padded one (cell-integrated), or truncated (Vico et al. 2016: the smaller error of smooth densities, the larger one of point masses); unused in a periodic box",
    }),
    gradient: optional(choice("2-point", "4-point", "spectral"), "4-point", {
      meaning: "differences that turn the potential into accelerations",
    }),
    softenedModels: optional(flag, false, {
      meaning:
        "models of [[particles]] are set up in equilibrium with the mesh's force, which is softer than 1/r² over a cell, instead of that of points",
    }),
  })
  .describe("The particle-mesh force");
export type MeshSettings = z.output<typeof meshTable>;
export type { Assignment } from "../../physics/particles/assignments.ts";
export type DepositMethod = MeshSettings["deposit"];
export type { PoissonMethod } from "./poisson/poisson-methods.ts";
export type GreenFunction = MeshSettings["green"];
export type IsolatedKernel = MeshSettings["kernel"];
export type GradientScheme = MeshSettings["gradient"];

/** P³M's pairs of particles, to which the mesh gives the smooth part alone. */
export interface PairSettings {
  /** ε [length], comoving in an expanding box until it has its largest physical length, if there is one. */
  softening: number;
  maxPhysicalSoftening?: number;
  softeningKernel: "plummer" | "spline";
  /** Distance from which the mesh has the whole force, in splits of 1.25 cells. */
  reach: number;
  /** Kicks by pairs in a step; 1 when left out. */
  substeps?: number;
}

/** What a mesh pipeline is made from. */
export interface PipelineSettings extends Partial<SolverSettings> {
  mesh: MeshSettings;
  /** Undefined where gravity is Newton's. */
  mond?: MondSettings | undefined;
  boundary: Boundary;
  /** Side of the box [length]. */
  boxSize: number;
  /** Gravitational constant in deck units. */
  G: number;
  externalPotentials: readonly ExternalPotential[];
  /** When it begins [time]; 0 unless given. */
  start?: number;
  /** Undefined where the mesh has the whole force. */
  pairs?: PairSettings | undefined;
  /** The background whose massive neutrinos act on the particles by linear response; none when left out. */
  neutrinos?: CosmologySettings | undefined;
  /** Finer meshes in that of the box; none when left out. */
  levels?: readonly Level[];
}

/**
 * Half side of the cube about the box centre in which a particle of an isolated run lies on the mesh with
 * everything that its force needs [length]. Outside it a particle feels the monopole of the rest.
 */
export function meshHalfWidth({ box, mesh }: { box: BoxSettings; mesh: MeshSettings }): number {
  if (box.boundary === "periodic") return box.size / 2;
  // CIC's base cell is floor(x/h − ½): half a cell more on the low side.
  const edge = stencilReach(mesh) + offsetOrigin(mesh.assignment);
  return box.size / 2 - (edge * box.size) / mesh.cells;
}
