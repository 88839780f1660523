/** mesh.poisson = "fft" as a deck has it: see poisson-methods.ts. */
import { FIELD_BYTES, fieldPitch } from "./field.ts";
import type { PoissonMethodRecord } from "./poisson-methods.ts";

/** One octant of the isolated kernel, float32. */
const KERNEL_BYTES = 4;
/** Complex float32 of the spectra that the spectral gradient keeps apart. */
const COMPLEX_BYTES = 8;

export const fftMethod: PoissonMethodRecord = {
  meaning: "Fourier transform",
  greenFunction: true,
  problems: () => [],
  bytes({ cells: n, gradient }, boundary) {
    const isolated = boundary === "isolated";
    const kernel = isolated ? KERNEL_BYTES * (n + 1) ** 3 : 0;
    if (gradient !== "spectral") return { all: kernel, binding: 0 };
    if (!isolated) return { all: 2 * FIELD_BYTES * n * n * fieldPitch(n), binding: 0 };
    // Half-transformed spectra of φ and of the derivatives along y and z; slabs lie in the mesh's own buffers.
    const spectrum = COMPLEX_BYTES * (n + 1) * n * n;
    return { all: kernel + 3 * spectrum, binding: 0 };
  },
};
