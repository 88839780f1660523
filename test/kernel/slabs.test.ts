/** A mesh in slabs against the same mesh in one piece: Poisson, gradient and ghosts, to the last bit. */
import { describe, expect, it } from "vitest";
import { FORCE_GHOSTS, slabForceParts } from "../../src/engine/mesh/force/force-mesh.ts";
import { MeshGradient } from "../../src/engine/mesh/force/gradient.ts";
import { encodeFieldGhosts, encodeForceGhosts } from "../../src/engine/mesh/ghosts.ts";
import { PoissonFft } from "../../src/engine/mesh/poisson/poisson-fft.ts";
import type { PoissonSettings } from "../../src/engine/mesh/poisson/poisson-solver.ts";
import type { GradientScheme } from "../../src/engine/mesh/settings.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { firstDifference } from "../support/compare.ts";
import { useGpu } from "../support/gpu.ts";
import { meshWithMass, readForce, uniformNumbers } from "../support/mesh-mass.ts";

const gpu = useGpu();
const CELLS = 32;

const SETTINGS: Omit<PoissonSettings, "boundary"> = {
  green: "discrete",
  kernel: "cell-integrated",
  boxSize: 20,
  G: 43.007,
  massUnit: 1.5 / 2 ** 22,
  assignment: "cic",
  gradient: "4-point",
};
const UNITS = uniformNumbers(CELLS ** 3, 5).map((u) => Math.floor(u ** 8 * 2 ** 34));
const TOTAL = UNITS.reduce((sum, units) => sum + units, 0);

interface Case {
  boundary: "periodic" | "isolated";
  gradient: GradientScheme;
  /** Cells along x that an invocation of the gradient takes. */
  run?: number;
  shape?: PoissonSettings["shape"];
  /** The force in vectors. */
  vectors?: boolean;
}

/** Words of force and potential, ax|ay|az|φ a cell, and the ghost planes that aren't their neighbours'. */
async function forces({ boundary, gradient, run, shape, vectors = false }: Case, windows: WindowLimits) {
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
  const mesh = meshWithMass(context, CELLS, UNITS, { vectors });
  const given = { ...SETTINGS, boundary, totalUnits: TOTAL, gradient, ...(shape && { shape }) };
  const solver = await PoissonFft.create(context, mesh, given);
  const batch = context.batch("force");
  solver.encode(batch);
  encodeFieldGhosts(batch, mesh);
  if (gradient !== "spectral") {
    const settings = { gradient, boundary, boxSize: SETTINGS.boxSize, ...(run && { run }) };
    (await MeshGradient.create(context, mesh, settings)).encode(batch);
  }
  await encodeForceGhosts(batch, mesh).submit();
  const words = new Uint32Array((await readForce(context, mesh)).buffer);
  const wrongGhosts: string[] = [];
  for (const slab of mesh.slabs.filter(({ cut }) => cut)) {
    const { first, planes } = slab;
    const [xy, z] = await Promise.all(
      slabForceParts(slab, CELLS).map(async ({ buffer, offset, size }) => {
        return new Uint32Array(await context.read(buffer, offset, size));
      }),
    );
    /** As a cell of the slab with its ghosts has it. */
    const forceIn = (cell: number) => {
      if (!slab.vectors) return [xy[2 * cell], xy[2 * cell + 1], z[cell]];
      const upper = 4 * cell - xy.length;
      return upper < 0 ? xy.subarray(4 * cell, 4 * cell + 3) : z.subarray(upper, upper + 3);
    };
    for (const [at, plane] of [
      [0, first - 1],
      [planes + FORCE_GHOSTS, first + planes],
    ]) {
      for (let i = 0; i < CELLS ** 2; i++) {
        const cell = ((plane + CELLS) % CELLS) * CELLS ** 2 + i;
        const ghost = forceIn(at * CELLS ** 2 + i);
        if (firstDifference(ghost, words.subarray(4 * cell, 4 * cell + 3)) !== "same")
          wrongGhosts.push(`${plane}/${i}`);
      }
    }
  }
  solver.destroy();
  const { length } = mesh.slabs;
  context.destroy();
  return { words, wrongGhosts, slabs: length };
}

describe.each(["periodic", "isolated"] as const)(
  "the force of a mesh in slabs, %s, is bit for bit that of one piece",
  (boundary) => {
    it.each([
      ["2-point", 1, [10]],
      ["4-point", 16, [2, 16]],
      ["spectral", undefined, [10]],
    ] as const)("%s", async (gradient, run, planesOfSlab) => {
      const test = { boundary, gradient, ...(run && { run }) };
      const whole = await forces(test, {});
      expect(whole.slabs).toBe(1);
      expect(whole.words.some((word) => word !== 0)).toBe(true);
      for (const planes of planesOfSlab) {
        const { words, wrongGhosts, slabs } = await forces(test, { planes });
        expect(slabs).toBe(Math.ceil(CELLS / planes));
        expect(firstDifference(words, whole.words)).toBe("same");
        expect(wrongGhosts).toEqual([]);
      }
    });

    it("in vectors", async () => {
      const test = { boundary, gradient: "4-point", run: 16 } as const;
      const whole = await forces(test, {});
      for (const planes of [2, 10]) {
        const { words, wrongGhosts } = await forces({ ...test, vectors: true }, { planes });
        expect(firstDifference(words, whole.words)).toBe("same");
        expect(wrongGhosts).toEqual([]);
      }
    });

    it("in the other shape of transform", async () => {
      const test = { boundary, gradient: "2-point", run: 1, shape: "workgroup" } as const;
      const whole = await forces(test, {});
      expect(firstDifference((await forces(test, { planes: 10 })).words, whole.words)).toBe("same");
    });
  },
);
