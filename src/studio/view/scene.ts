/** What a renderer draws: particles in buffers of its device, as a simulation has them. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";

/** A range of particles with buffers of its own: `bufferWindows` of a Simulation. */
export interface SceneWindow {
  count: number;
  /** [3·count, xyzxyz…] u32 fixed point, x = L·u/2³². */
  positions: GPUBuffer;
  /** [3·count, xyzxyz…] f32 [velocity] */
  velocities: GPUBuffer;
  /** [count] u32, in any order. */
  ids: GPUBuffer;
  /** [count] u32 packed images of the box (physics/particles/fixed-point.ts); of isolated boxes only. */
  images?: GPUBuffer;
}

/** What particles are, wherever they lie. */
export interface SceneContent {
  /** L [length] */
  boxSize: number;
  periodic: boolean;
  /** Ranges of ids. */
  components: readonly ComponentRange[];
  /** Weights of the particles, by id. */
  weights: ParticleMasses;
  /** Only the particles whose ids are multiples of this are there, and each stands for so many: 1 when left out. */
  thinned?: number;
}

export interface Scene extends SceneContent {
  /** Where the particles are now; asked for anew at every picture. */
  windows(): readonly SceneWindow[];
}

export interface DrawnSimulation {
  readonly scenario: { box: { size: number; boundary: "isolated" | "periodic" } };
  readonly components: readonly ComponentRange[];
  readonly weights: ParticleMasses;
  readonly bufferWindows: readonly SceneWindow[] | undefined;
}

export function contentOf({ scenario, components, weights }: Omit<DrawnSimulation, "bufferWindows">): SceneContent {
  const { size: boxSize, boundary } = scenario.box;
  return { boxSize, periodic: boundary === "periodic", components, weights };
}

/**
 * The particles of a simulation where they lie on the GPU: nothing is copied. Renderer and simulation must share a device,
 * which `Simulation.create(scenario, { device })` or `{ gpu }` sees to. Throws "usage" where the particles aren't on the GPU
 * as a renderer wants them, on the CPU and in direct sums: those are uploaded (uploaded-scene.ts) or drawn by a HostRenderer.
 */
export function sceneOf(simulation: DrawnSimulation): Scene {
  const windows = () => {
    const { bufferWindows } = simulation;
    if (bufferWindows) return bufferWindows;
    throw new GravmeshError(
      "usage",
      "sceneOf: expected a mesh simulation on the GPU, found one whose particles are on the CPU or summed directly; upload them with UploadedScene, or take a HostRenderer",
    );
  };
  windows();
  return { ...contentOf(simulation), windows };
}
