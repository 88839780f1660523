/** Lagrangian radii from the GPU's histogram of mass over r², linear in r within a bin (1.1 to 1.6 % wide). */
import { LAGRANGIAN_FRACTIONS } from "../../physics/particles/sums.ts";
import { BIN_SHIFT, FIRST_BIN } from "./layout.ts";

/** Radius of the lower edge of a bin, in boxes: bins are the leading bits of r² as float32. */
function lowerEdge(bin: number): number {
  if (bin === 0) return 0;
  const bits = Uint32Array.of((FIRST_BIN + bin) << BIN_SHIFT);
  return Math.sqrt(new Float32Array(bits.buffer)[0]);
}

/** Radii [length] that hold `fractions` of the mass in `histogram`; all 0 without mass. */
export function lagrangianRadiiFromHistogram(
  histogram: Float64Array,
  boxSize: number,
  fractions: readonly number[] = LAGRANGIAN_FRACTIONS,
): number[] {
  const total = histogram.reduce((sum, mass) => sum + mass, 0);
  return fractions.map((fraction) => {
    const wanted = fraction * total;
    let below = 0;
    for (let bin = 0; bin < histogram.length; bin++) {
      const mass = histogram[bin];
      if (mass > 0 && below + mass >= wanted) {
        const inner = lowerEdge(bin);
        return boxSize * (inner + ((wanted - below) / mass) * (lowerEdge(bin + 1) - inner));
      }
      below += mass;
    }
    return 0;
  });
}
