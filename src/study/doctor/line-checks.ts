/** Check of the transforms of lines and of rows of real numbers, in every algorithm and variant of the kernel. */
import between from "../../../wgsl/engine/mesh/fft/fft-between.wgsl";
import { pseudoRandom } from "../../engine/direct/arithmetic.ts";
import { LineKernels } from "../../engine/mesh/fft/fft-kernel.ts";
import { type FftShape, type LineAlgorithm, shapesFor } from "../../engine/mesh/fft/fft-plan.ts";
import { LineFft } from "../../engine/mesh/fft/line-fft.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type Check, type CheckComparison, close, ofEach } from "./check.ts";

/** Errors over the rms of float32 arithmetic of a few stages of a transform; measured 1.5e-7 to 2.5e-7. */
export const TRANSFORM = 1e-6;

/** [lines, 2n] spectra of interleaved complex lines in float64; unnormalised backwards. */
function exactLines(data: ArrayLike<number>, n: number, backwards: boolean): Float64Array {
  const fft = new LineFft(n);
  const result = new Float64Array(data.length);
  const [input, out] = [new Float64Array(2 * n), new Float64Array(2 * n)];
  const sign = backwards ? -1 : 1;
  for (let line = 0; line < data.length; line += 2 * n) {
    for (let i = 0; i < 2 * n; i++) input[i] = (i % 2 === 1 ? sign : 1) * data[line + i];
    fft.forward(out, input);
    for (let i = 0; i < 2 * n; i++) result[line + i] = (i % 2 === 1 ? sign : 1) * out[i];
  }
  return result;
}

/** Frequency f divided by 1 + f: no two have the same factor. */
const OVER_FREQUENCY: WgslSource = {
  path: "src/study/doctor/line-checks.ts",
  text: [
    "fn prepareTransfer(place: Place) {}",
    "fn transferFactor(place: Place, k: u32) -> f32 { return 1.0 / f32(1u + k); }",
    "fn transferred(factor: f32, k: u32, v: vec2f) -> vec2f { return factor * v; }",
  ].join("\n"),
};

/** Lines of n points, and rows of 2n real numbers: there and back. */
const lines = (gpu: GpuContext, n: number, shape: FftShape): Promise<CheckComparison[]> =>
  releasing(new LineKernels(gpu, shape), async (kernels) => {
    const [count, modes] = [19, n + 1];
    const random = pseudoRandom(n);
    const numbers = () => Float32Array.from({ length: 2 * n * count }, () => 2 * random() - 1);
    const [complex, real] = [numbers(), numbers()];
    const run = async (algorithm: LineAlgorithm, source: GPUBuffer, from = n, to = n) => {
      const more = algorithm === "convolve" ? [OVER_FREQUENCY] : [];
      const about = { length: n, rows: true };
      const kernel = await kernels.kernel(`lines, ${algorithm}`, algorithm, about, [between, ...more]);
      const target = kernels.storage("lines", 8 * to * count);
      const layout = (points: number) => ({ run: points, stride: 1 });
      const pass = kernel.on({ count, lanes: 1, source: layout(from), target: layout(to) }, source, target);
      await gpu.batch("lines").stage("fft").passes([pass]).submit();
      return { target, values: new Float32Array(await gpu.read(target)) };
    };
    const ofComplex = async (what: string, algorithm: LineAlgorithm, expected: ArrayLike<number>) =>
      compared(what, (await run(algorithm, kernels.table("lines", complex))).values, expected);
    const compared = (what: string, found: Float32Array, expected: ArrayLike<number>, allowed = TRANSFORM) =>
      close(`${what}, ${shape}`, found, expected, allowed);
    const spectrum = exactLines(complex, n, false);
    const factored = spectrum.map((value, i) => value / (1 + (Math.floor(i / 2) % n)));
    const rows = await run("realForward", kernels.table("rows", real), n, modes);
    const again = await run("realInverse", rows.target, modes, n);
    const asComplex = Float64Array.from({ length: 2 * real.length }, (_, i) => (i % 2 ? 0 : real[i / 2]));
    const spectra = exactLines(asComplex, 2 * n, false);
    const half = rows.values.map((_, i) => spectra[4 * n * Math.floor(i / (2 * modes)) + (i % (2 * modes))]);
    const doubled = real.map((value) => 2 * n * value);
    return [
      await ofComplex(`${n} points`, "forward", spectrum),
      await ofComplex(`${n} points back`, "inverse", exactLines(complex, n, true)),
      await ofComplex(`${n} points there, times factors, and back`, "convolve", exactLines(factored, n, true)),
      compared(`${2 * n} real numbers`, rows.values, half),
      compared(`${2 * n} real numbers there and back`, again.values, doubled, 2 * TRANSFORM),
    ];
  });

export const transforms: Check = {
  name: "transforms of lines",
  part: "poisson",
  twin: "transforms in float64 (engine/mesh/fft/line-fft.ts)",
  run: (gpu) => ofEach([48, 192], (n) => ofEach(shapesFor(gpu, [n]), (shape) => lines(gpu, n, shape))),
};
