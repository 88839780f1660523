/**
 * Last pass of the spectral gradient, a = −∇φ as −ikφ̂ with the Nyquist modes at 0: rows of the half-transformed
 * spectra to the components of the force mesh. The derivative along x is taken here, those along y and z by the
 * passes along their axes.
 */
import rowsToForce from "../../wgsl/mesh/poisson-force.wgsl";
import type { Pass } from "../gpu/batch.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import type { LineShape } from "./fft-plan.ts";
import type { MeshBuffers } from "./field.ts";

export interface ForceRows {
  rows: LineShape;
  lines: LineSet;
  /** Spectra along x of φ, −∂φ/∂y and −∂φ/∂z. */
  potential: BufferSlice;
  alongY: BufferSlice;
  alongZ: BufferSlice;
  /** [modes along x] k, 0 at the Nyquist mode. */
  wavenumbers: GPUBuffer;
}

/** Four passes: ax, ay, az, φ of every cell of the force mesh. */
export async function forceRows(kernels: LineKernels, mesh: MeshBuffers, what: ForceRows): Promise<Pass[]> {
  const { lines, potential, alongY, alongZ, wavenumbers, rows } = what;
  const components: [BufferSlice, boolean][] = [
    [potential, true],
    [alongY, false],
    [alongZ, false],
    [potential, false],
  ];
  const passes: Pass[] = [];
  for (const [component, [spectrum, derivative]] of components.entries()) {
    const constants = { CELLS: mesh.cells, COMPONENT: component, DERIVATIVE: derivative };
    const label = `force rows, component ${component}`;
    const kernel = await kernels.kernel(label, "realInverse", rows, [rowsToForce], constants);
    passes.push(kernel.on(lines, spectrum, mesh.force, wavenumbers));
  }
  return passes;
}
