/** Isolated FFT solvers in float64, their kernels made at once. */
import { isolatedKernelSteps, type PaddedKernel } from "../../src/engine/mesh/poisson/greens.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";

/** Octant [(n+1)³] of the kernel's transfer function. */
export function kernelSpectrum(n: number, h: number, kind: PaddedKernel): Float64Array {
  const steps = isolatedKernelSteps(n, h, kind);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function isolatedFft(cells: number, boxSize: number, G: number, kernel: PaddedKernel): PoissonFft {
  const h = boxSize / cells;
  return PoissonFft.withKernel({ cells, period: 2 * cells, h, G, spectrum: kernelSpectrum(cells, h, kernel) });
}
