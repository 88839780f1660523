/** What a renderer draws: particles in buffers of its device, as a simulation has them. */
import type { ParticleMasses } from "../particles/masses.ts";
import type { ComponentRange } from "../particles/state.ts";

/** A range of particles with buffers of its own: `bufferWindows` of a Simulation. */
export interface SceneWindow {
  count: number;
  /** [3·count, xyzxyz…] u32 fixed point, x = L·u/2³². */
  positions: GPUBuffer;
  /** [3·count, xyzxyz…] f32 [velocity] */
  velocities: GPUBuffer;
  /** [count] u32, in any order. */
  ids: GPUBuffer;
  /** [count] u32 packed images of the box (particles/fixed-point.ts); of isolated boxes only. */
  images?: GPUBuffer;
}

export interface Scene {
  /** L [length] */
  boxSize: number;
  periodic: boolean;
  /** Ranges of ids. */
  components: readonly ComponentRange[];
  /** What particles count with, by id. */
  weights: ParticleMasses;
  /** Where the particles are now; asked for anew at every picture. */
  windows(): readonly SceneWindow[];
}
