/**
 * Poisson's equation ∇²φ = 4πGρ by Fourier transform, float64.
 *   periodic: φ̂ = −4πG ρ̂ / (Kx + Ky + Kz), 0 at k = 0 (greens.ts: exact and discrete)
 *   isolated: φ̂ = G·Ĝ·ρ̂ on the doubled mesh (greens.ts: truncated and cell-integrated)
 * and, for the spectral gradient, the acceleration −∇φ as −ik φ̂ with the Nyquist modes at 0.
 */

import type { Boundary } from "../../../physics/particles/box.ts";
import { responseAt } from "../../mesh/neutrino-force.ts";
import { gradientFrequencies, periodicGreens } from "../../mesh/poisson/greens.ts";
import type { GreenFunction } from "../../mesh/settings.ts";
import { type LineFilter, RealFft3 } from "./fft3.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

/** Writes the transfer function φ̂/ρ̂ along z at modes (kx, ky), the inverse transform's 1/n³ included. */
type TransferLine = (transfer: Float64Array, kx: number, ky: number) => void;

/** A mesh of `cells` of side h in one of `period`. */
interface PaddedMesh {
  cells: number;
  period: number;
  /** [length] */
  h: number;
  G: number;
  /** Transfer function [(period/2 + 1)³] in the layout of isolatedKernelSteps. */
  spectrum: Float64Array;
}

export class PoissonFft implements PoissonSolver {
  readonly boundary: Boundary;
  response: Float64Array | undefined;
  private readonly transfer: Float64Array;
  /** [modes] wavenumbers of the derivative [1/length]. */
  private readonly wavenumbers: Float64Array;

  private constructor(
    readonly cells: number,
    readonly fft: RealFft3,
    length: number,
    readonly transferLine: TransferLine,
  ) {
    this.boundary = fft.n > cells ? "isolated" : "periodic";
    this.transfer = new Float64Array(fft.n);
    this.wavenumbers = gradientFrequencies(fft.n, length);
  }

  static periodic(cells: number, boxSize: number, G: number, green: GreenFunction): PoissonFft {
    const laplacian = periodicGreens(cells, boxSize, green);
    const factor = (-4 * Math.PI * G) / cells ** 3;
    return new PoissonFft(cells, new RealFft3(cells), boxSize, (transfer, kx, ky) => {
      const xy = laplacian[kx] + laplacian[ky];
      for (let kz = 0; kz < cells; kz++) transfer[kz] = factor / (xy + laplacian[kz]);
      if (kx === 0 && ky === 0) transfer[0] = 0;
    });
  }

  /** Isolated, with any kernel. */
  static withKernel({ cells, period, h, G, spectrum }: PaddedMesh): PoissonFft {
    const pitch = period / 2 + 1;
    return new PoissonFft(cells, new RealFft3(period, cells), period * h, (transfer, kx, ky) => {
      const column = Math.min(ky, period - ky) * pitch + kx;
      for (let kz = 0; kz < pitch; kz++) transfer[kz] = G * spectrum[kz * pitch * pitch + column];
      for (let kz = pitch; kz < period; kz++) transfer[kz] = transfer[period - kz];
    });
  }

  /** [n³] potential [velocity²] of a density [n³] [mass/length³]. */
  potential(density: Float64Array): Float64Array {
    return this.fft.convolve(density, this.filter(null));
  }

  /** [n³] component of −∇φ along an axis (0 x, 1 y, 2 z) [velocity/time], differentiated in Fourier space. */
  acceleration(density: Float64Array, axis: 0 | 1 | 2): Float64Array {
    return this.fft.convolve(density, this.filter(axis));
  }

  private filter(axis: 0 | 1 | 2 | null): LineFilter {
    const { transfer, wavenumbers: k } = this;
    const n = this.fft.n;
    return (line, kx, ky) => {
      this.transferLine(transfer, kx, ky);
      for (let kz = 0; this.response && kz < n; kz++) {
        const square = kx * kx + Math.min(ky, n - ky) ** 2 + Math.min(kz, n - kz) ** 2;
        transfer[kz] *= responseAt(this.response, square);
      }
      if (axis === null) {
        for (let kz = 0; kz < n; kz++) {
          line[2 * kz] *= transfer[kz];
          line[2 * kz + 1] *= transfer[kz];
        }
        return;
      }
      for (let kz = 0; kz < n; kz++) {
        // −ik(a + ib) = k(b − ia)
        const factor = transfer[kz] * (axis === 0 ? k[kx] : axis === 1 ? k[ky] : k[kz]);
        const re = line[2 * kz];
        line[2 * kz] = factor * line[2 * kz + 1];
        line[2 * kz + 1] = -factor * re;
      }
    };
  }

  /** Bytes held between calls, and at most during one. */
  memory(): { held: number; working: number } {
    const { n, filled, half } = this.fft;
    return { held: n > filled ? 8 * half ** 3 : 8 * n, working: 16 * filled * n * half };
  }
}
