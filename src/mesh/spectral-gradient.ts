/**
 * Last pass of the spectral gradient, a = −∇φ as −ikφ̂ with the Nyquist modes at 0: rows of the half-transformed
 * spectra to the planes of the force mesh. The derivative along x is taken here, those along y and z by the passes
 * along their axes.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import derivative from "../../wgsl/mesh/fft-derivative.wgsl";
import type { Pass } from "../gpu/batch.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import type { LineShape } from "./fft-plan.ts";
import type { MeshBuffers } from "./field.ts";

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
  const { potential, alongY, alongZ, wavenumbers, rows } = what;
  const n = mesh.cells;
  const lines: LineSet = { ...what.lines, target: { run: n / 2, stride: 1 } };
  const plane = (component: number) => ({ buffer: mesh.force, offset: component * 4 * n ** 3, size: 4 * n ** 3 });
  const alongX = await kernels.kernel("force rows, derivative", "realInverse", rows, [derivative]);
  const others = await kernels.kernel("force rows", "realInverse", rows, [between]);
  return [
    alongX.on(lines, potential, plane(0), wavenumbers),
    others.on(lines, alongY, plane(1)),
    others.on(lines, alongZ, plane(2)),
  ];
}
