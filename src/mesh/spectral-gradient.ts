/**
 * Last pass of the spectral gradient, a = −∇φ as −ikφ̂ with the Nyquist modes at 0: rows of the half-transformed
 * spectra to the components of the force mesh. The derivative along x is taken here, those along y and z by the
 * passes along their axes.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import rowsToForce from "../../wgsl/mesh/poisson-force.wgsl";
import type { Pass } from "../gpu/batch.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import type { LineShape } from "./fft-plan.ts";
import { forceParts, type MeshBuffers } from "./field.ts";

export interface ForceRows {
  rows: LineShape;
  /** Where the rows lie in the spectra. */
  lines: LineSet;
  /** Spectra along x of φ, −∂φ/∂y and −∂φ/∂z. */
  potential: BufferSlice;
  alongY: BufferSlice;
  alongZ: BufferSlice;
  /** [modes along x] k, 0 at the Nyquist mode. */
  wavenumbers: GPUBuffer;
}

/** Three passes: ax, ay and az of every cell. */
export async function forceRows(kernels: LineKernels, mesh: MeshBuffers, what: ForceRows): Promise<Pass[]> {
  const { lines, potential, alongY, alongZ, wavenumbers, rows } = what;
  const n = mesh.cells;
  const { xy, z } = forceParts(mesh);
  const passes: Pass[] = [];
  for (const [component, spectrum] of [potential, alongY].entries()) {
    const constants = { CELLS: n, COMPONENT: component, DERIVATIVE: component === 0 };
    const kernel = await kernels.kernel(
      `force rows, component ${component}`,
      "realInverse",
      rows,
      [rowsToForce],
      constants,
    );
    passes.push(kernel.on(lines, spectrum, xy, wavenumbers));
  }
  const alone = await kernels.kernel("force rows, component 2", "realInverse", rows, [between]);
  passes.push(alone.on({ ...lines, target: { run: n / 2, stride: 1 } }, alongZ, z));
  return passes;
}
