/** QUMOND and AQUAL on the GPU as in float64: both linear solvers, isolated and periodic, with an external field; slabs; Newton's bits. */
import { describe, expect, it } from "vitest";
import { type MultigridSettings, multigridPresets } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { solverOf } from "../../src/engine/mesh/poisson/poisson.ts";
import type { PipelineSettings, PoissonMethod } from "../../src/engine/mesh/settings.ts";
import type { Aqual } from "../../src/engine/reference/mesh/aqual.ts";
import { poissonSolvers } from "../../src/engine/reference/mesh/poisson.ts";
import type { Qumond } from "../../src/engine/reference/mesh/qumond.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { type Interpolation, interpolatingFunctions } from "../../src/physics/mond/interpolation.ts";
import type { MondSettings } from "../../src/physics/mond/settings.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { firstDifference } from "../support/compare.ts";
import { useGpu } from "../support/gpu.ts";
import { meshWithMass, readField, relativeErrors, releaseMesh, uniformNumbers } from "../support/mesh-mass.ts";
import { meshSettings } from "../support/point-mass.ts";

const gpu = useGpu();

const [BOX, G, MASS_UNIT] = [20, 43.007, 1.5 / 2 ** 22];
const MOND: MondSettings = { formulation: "qumond", interpolation: "simple", a0: 30, externalField: [0, 0, 0] };

interface Case {
  cells?: number;
  poisson?: PoissonMethod;
  boundary?: Boundary;
  /** null: Newton's gravity. */
  mond?: MondSettings | null;
  multigrid?: Partial<MultigridSettings>;
}

/** A few concentrations in noise, whole numbers of mass units; none in the outermost cells. */
function clumps(n: number): Float64Array {
  const noise = uniformNumbers(n ** 3, n);
  const inside = (i: number) => i > 1 && i < n - 2;
  return noise.map((u, i) => {
    const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n / n)];
    if (![x, y, z].every(inside)) return 0;
    const r2 = (x - 0.4 * n) ** 2 + (y - 0.55 * n) ** 2 + (z - 0.5 * n) ** 2;
    return Math.floor((u + 30 * Math.exp(-r2 / 8)) * 2 ** 24);
  });
}

function settingsOf({ cells = 16, poisson = "fft", boundary = "isolated", mond = MOND, multigrid }: Case) {
  const settings: PipelineSettings = {
    mesh: meshSettings({ cells, poisson, kernel: "cell-integrated" }),
    multigrid: { ...multigridPresets.default, maxCycles: 8, ...multigrid },
    ...{ mond: mond ?? undefined, boundary, boxSize: BOX, G, externalPotentials: [] },
  };
  return settings;
}

async function onGpu(of: Case, context = gpu(), solves = 1) {
  const settings = settingsOf(of);
  const units = clumps(settings.mesh.cells);
  const mesh = meshWithMass(context, settings.mesh.cells, units);
  const totalUnits = units.reduce((sum, u) => sum + u, 0);
  const problem = { boundary: settings.boundary, boxSize: BOX, G, massUnit: MASS_UNIT, totalUnits };
  const solver = await solverOf(context, mesh, problem, settings);
  for (let s = 0; s < solves; s++) await (await context.batch("test").through(solver)).submit();
  const potential = await readField(context, mesh);
  solver.destroy();
  releaseMesh(context, mesh);
  return potential;
}

async function inFloat64(of: Case) {
  const settings = settingsOf(of);
  const n = settings.mesh.cells;
  const solver = await poissonSolvers[settings.mesh.poisson](settings);
  return solver.potential(clumps(n).map((u) => u * MASS_UNIT * (n / BOX) ** 3));
}

const external: MondSettings = { ...MOND, interpolation: "standard", externalField: [10, -20, 15] };

describe("QUMOND on the GPU is that of float64", () => {
  // Isolated ones by FFT, and AQUAL without a tolerance, are among the doctor's checks.
  it.each<[string, Case]>([
    ["FFT, periodic in an external field", { boundary: "periodic", mond: external }],
    ["multigrid, isolated", { poisson: "multigrid" }],
    [
      "multigrid, periodic, to a tolerance",
      { poisson: "multigrid", boundary: "periodic", multigrid: { tolerance: 1e-4 } },
    ],
    ...(["deep", "mcgaugh2016"] as const).map((interpolation): [string, Case] => {
      return [interpolation, { mond: { ...MOND, interpolation } }];
    }),
  ])("%s", async (_, of) => {
    const { rms, worst } = relativeErrors(await onGpu(of), await inFloat64(of));
    // Measured: 1e-7 to 3e-7, and 2e-7 to 1.2e-6. Solves to a tolerance may end a cycle apart.
    const reach = Math.max(1e-6, of.multigrid?.tolerance ?? 0);
    expect(rms).toBeLessThan(reach);
    expect(worst).toBeLessThan(5 * reach);
  });

  const aqual: MondSettings = { ...MOND, formulation: "aqual" };
  it.each<[string, Case]>([
    ["after multigrid", { mond: { ...aqual, interpolation: "standard" }, poisson: "multigrid" }],
    ["to a tolerance", { mond: aqual, multigrid: { tolerance: 1e-3 } }],
  ])("AQUAL, %s", async (_, of) => {
    const { rms, worst } = relativeErrors(await onGpu(of), await inFloat64(of));
    // Measured: 1e-7 to 5e-7, and 3e-7 to 2e-6.
    const reach = Math.max(1e-6, of.multigrid?.tolerance ?? 0);
    expect(rms).toBeLessThan(reach);
    expect(worst).toBeLessThan(5 * reach);
  });

  it("AQUAL's residual falls by more than a factor of three a cycle, whatever fills the box, and is Newton's where a0 is next to nothing", async () => {
    for (const a0 of [MOND.a0, 1e-20]) {
      const multigrid = { tolerance: 2e-6, maxCycles: 9 };
      const settings = settingsOf({ cells: 32, mond: { ...aqual, a0 }, multigrid });
      const solver = (await poissonSolvers.fft(settings)) as Qumond;
      const [aqualOnly] = solver.refinements as readonly Aqual[];
      solver.potential(clumps(32).map((u) => u * MASS_UNIT * (32 / BOX) ** 3));
      const { residuals } = aqualOnly;
      expect(residuals.at(-1)! / residuals[0]).toBeLessThan(0.3 ** (residuals.length - 1));
    }
  });

  it("has the same bits in slabs", async () => {
    const whole = await onGpu({});
    const windows = { planes: 6 };
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
    expect(firstDifference(await onGpu({}, context), whole)).toBe("same");
    context.destroy();
  });

  it("refuses AQUAL in slabs", async () => {
    const context = new GpuContext(gpu().device, gpu().adapter, {
      owned: false,
      parent: gpu(),
      windows: { planes: 6 },
    });
    await expect(onGpu({ mond: aqual }, context)).rejects.toThrow(
      'mond.formulation = "aqual": expected a mesh in one piece, which this device doesn\'t bind, found 3 slabs; try fewer mesh.cells, or "qumond"',
    );
    context.destroy();
  });

  it.each(["fft", "multigrid"] as const)("has Newton's bits where a0 is next to nothing: %s", async (poisson) => {
    const mond = { ...MOND, a0: 1e-30 };
    for (const boundary of ["isolated", "periodic"] as const) {
      const newton = await onGpu({ poisson, boundary, mond: null });
      expect(firstDifference(await onGpu({ poisson, boundary, mond }), newton)).toBe("same");
    }
  });
});

describe("an interpolating function", () => {
  const names = Object.keys(interpolatingFunctions) as Interpolation[];
  it.each(names)("%s: ν and μ are inverse to one another, with the slope that is said", (name) => {
    const { nuMinusOne, mu, muSlope } = interpolatingFunctions[name];
    for (const y of [1e-8, 1e-3, 0.3, 1, 7, 200]) {
      const x = y * (1 + nuMinusOne(y));
      expect(x * mu(x)).toBeCloseTo(y, 12);
      expect((x * mu(x)) / y).toBeCloseTo(1, 9);
      const slope = Math.log(mu(x * 1.0001) / mu(x * 0.9999)) / Math.log(1.0001 / 0.9999);
      expect(muSlope(x)).toBeCloseTo(slope, 5);
    }
  });
});
