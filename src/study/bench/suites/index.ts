/** The suites by name: what --help shows, and how the one that is asked for is loaded. */
import type { Suite } from "../../spec.ts";

export interface SuiteEntry {
  /** For the list of commands. */
  summary: string;
  /** For the command's own help. */
  description: string;
  load: () => Promise<{ suite: Suite }>;
  /** Some of it is measured by the ranks that mpirun starts. */
  ranked?: true;
}

export const SUITES: Readonly<Record<string, SuiteEntry>> = {
  aubert2009: {
    summary: "particle-mesh: time per stage, speed-up over the CPU, energy",
    description:
      "Aubert, Amini & David 2009: time per stage and speed-up over the CPU pipeline for a Plummer sphere, a disk and a " +
      "uniform box, with three histograms and two Poisson solvers; energy conservation.",
    load: () => import("./aubert2009/index.ts"),
  },
  "portegies-zwart2007": {
    summary: "direct summation: star clusters with block steps, energy, costs",
    description:
      "Portegies Zwart, Belleman & Geldof 2007: a quarter time unit of Plummer spheres of 256 to 65536 particles with " +
      "Hermite's block steps; blocks against their fits, energy against ν, costs of a force.",
    load: () => import("./portegies-zwart2007/index.ts"),
  },
  sapporo2: {
    summary: "direct summation: kernel variants, few targets, precisions, order 6, GPU against CPU",
    description:
      "Bédorf, Gaburov & Portegies Zwart 2015: kernel variants and 1 to 256 targets of 131072 sources, as many targets as " +
      "sources in each precision and to orders 4 and 6, block steps with Hermite 6, GPU against CPU by targets and sources; " +
      "under mpirun the speed-up of several GPUs, and what a model expects of up to 16.",
    load: () => import("./sapporo2/index.ts"),
    ranked: true,
  },
  fujiwara2009: {
    summary: "direct summation: a force evaluation and 100 steps with unrolled loops",
    description:
      "Fujiwara & Nakasato 2009: the force of all bodies on all and 100 leapfrog steps for 7500 to 100 000 bodies, with loops " +
      "unrolled in three ways; speed-up over one thread of the CPU; rate against the number of bodies.",
    load: () => import("./fujiwara2009/index.ts"),
  },
  petersen2024: {
    summary: "growth rates of the radial-orbit instability against linear response",
    description:
      "Petersen et al. 2024: an isochrone and Plummer spheres with radial orbits (Osipkov–Merritt) from a quiet start, the " +
      "growth rate of their quadrupole on the mesh beside that of linear response theory.",
    load: () => import("./petersen2024/index.ts"),
  },
};
