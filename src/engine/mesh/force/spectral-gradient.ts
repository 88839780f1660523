/**
 * Last pass of the spectral gradient, a = −∇φ as −ikφ̂ with the Nyquist modes at 0: rows of the half-transformed
 * spectra to the components of the force mesh. The derivative along x is taken here, those along y and z by the
 * passes along their axes.
 */
import between from "../../../../wgsl/engine/mesh/fft/fft-between.wgsl";
import rowsToForce from "../../../../wgsl/engine/mesh/poisson/poisson-force.wgsl";
import type { Pass } from "../../../foundation/gpu/batch.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import type { LineShape } from "../fft/fft-plan.ts";
import { type SpectrumSlab, slabRows } from "../fft/mode-blocks.ts";
import type { MeshBuffers } from "../field.ts";
import { ownForceParts } from "./force-mesh.ts";

export interface ForceRows {
  rows: LineShape;
  /** Spectra along x of φ, −∂φ/∂y and −∂φ/∂z, by the slabs of the mesh. */
  potential: readonly SpectrumSlab[];
  alongY: readonly SpectrumSlab[];
  alongZ: readonly SpectrumSlab[];
  /** [modes along x] k, 0 at the Nyquist mode. */
  wavenumbers: GPUBuffer;
}

/** Three passes a slab: ax, ay and az of every cell. */
export async function spectralForceRows(kernels: LineKernels, mesh: MeshBuffers, what: ForceRows): Promise<Pass[]> {
  const { potential, alongY, alongZ, wavenumbers, rows } = what;
  const n = mesh.cells;
  const passes: Pass[] = [];
  const parts = mesh.slabs.map((slab) => ownForceParts(slab, n));
  for (const [component, spectrum] of [potential, alongY].entries()) {
    const constants = { CELLS: n, COMPONENT: component, DERIVATIVE: component === 0 };
    const kernel = await kernels.kernel(
      `force rows, component ${component}`,
      "realInverse",
      rows,
      [rowsToForce],
      constants,
    );
    for (const [s, slab] of spectrum.entries())
      passes.push(kernel.on(slabRows(n, slab), slab.buffer, parts[s][0], wavenumbers));
  }
  const alone = await kernels.kernel("force rows, component 2", "realInverse", rows, [between]);
  for (const [s, slab] of alongZ.entries()) {
    const { source: target } = slabRows(n, { ...slab, before: 0, row: n / 2 });
    passes.push(alone.on({ ...slabRows(n, slab), target }, slab.buffer, parts[s][1]));
  }
  return passes;
}
