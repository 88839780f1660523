/** The isolated solution from two meshes: with the same bits in slabs, and its force beside that of one padded mesh. */
import { describe, expect, it } from "vitest";
import { PoissonFft } from "../../src/engine/mesh/poisson/poisson-fft.ts";
import type { PoissonSettings } from "../../src/engine/mesh/poisson/poisson-solver.ts";
import { poissonSolvers } from "../../src/engine/reference/mesh/poisson.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { forceErrorsByPart, subCellOffsets } from "../../src/study/validate/law.ts";
import { firstDifference } from "../support/compare.ts";
import { density } from "../support/fft-solver.ts";
import { useGpu } from "../support/gpu.ts";
import { meshWithMass, readField, uniformNumbers } from "../support/mesh-mass.ts";
import { meshSettings, referencePointMass } from "../support/point-mass.ts";

const gpu = useGpu();

const SETTINGS: PoissonSettings = {
  boundary: "isolated",
  green: "discrete",
  kernel: "split",
  assignment: "cic",
  gradient: "4-point",
  boxSize: 20,
  G: 43.007,
  massUnit: 1.5 / 2 ** 22,
};

const random = (n: number) => uniformNumbers(n ** 3, n).map((u) => Math.floor(u ** 8 * 2 ** 24));

function twin(n: number, kernel: "split" | "cell-integrated", more: Partial<PoissonSettings> = {}) {
  const { boxSize, G, assignment, gradient } = { ...SETTINGS, ...more };
  const mesh = meshSettings({ cells: n, kernel, assignment, gradient });
  return poissonSolvers.fft({ mesh, boundary: "isolated", boxSize, G });
}

describe("a split solution", () => {
  it.each([2, 6, 14])("has the same bits in slabs of %i planes", async (planes) => {
    const n = 24;
    const fields = [];
    for (const windows of [{}, { planes }]) {
      const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
      const mesh = meshWithMass(context, n, random(n));
      const solver = await PoissonFft.create(context, mesh, SETTINGS);
      await solver.encode(context.batch("split")).submit();
      fields.push(new Uint32Array((await readField(context, mesh)).buffer));
      context.destroy();
    }
    expect(firstDifference(fields[1], fields[0])).toBe("same");
  });

  it("of masses in opposite corners and faces: nothing wraps around", async () => {
    const n = 48;
    const units = new Float64Array(n ** 3);
    const last = n - 1;
    units[0] = 2 ** 30;
    units[n ** 3 - 1] = 2 ** 28;
    units[(20 * n + 20) * n + last] = 2 ** 29;
    const rho = density(units, n, SETTINGS);
    const found = (await twin(n, "split")).potential(rho);
    const padded = (await twin(n, "cell-integrated")).potential(rho);
    const scale = Math.max(...padded.map(Math.abs));
    const at = (x: number, y: number, z: number) => (z * n + y) * n + x;
    for (const cell of [at(last, 0, 0), at(0, last, last), at(0, 20, 20), at(last, 30, 0), at(24, 24, 24)]) {
      expect(Math.abs(found[cell] / padded[cell] - 1)).toBeLessThan(1e-3);
    }
    expect(Math.max(...found.map((value, i) => Math.abs(value - padded[i]) / scale))).toBeLessThan(0.02);
  });

  it.each([
    ["cic", "4-point"],
    ["tsc", "4-point"],
    ["cic", "2-point"],
  ] as const)("has the force of one padded mesh: %s, %s", async (assignment, gradient) => {
    const of = async (kernel: "split" | "cell-integrated") => {
      const forces = referencePointMass(meshSettings({ cells: 32, assignment, gradient, kernel }), "isolated");
      const at = { cells: 32, boundary: "isolated", sources: subCellOffsets(32, 2) } as const;
      return (await forceErrorsByPart(forces, at))[0];
    };
    const padded = await of("cell-integrated");
    for (const [i, { meanRadial, scatter }] of (await of("split")).entries()) {
      expect(scatter).toBeLessThan(1.02 * padded[i].scatter + 2e-3);
      expect(Math.abs(meanRadial - padded[i].meanRadial)).toBeLessThan(0.01);
    }
  });
});
