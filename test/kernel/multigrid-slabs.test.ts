import { describe, expect, it } from "vitest";
import { meshBytes } from "../../src/engine/mesh/field.ts";
import type { MultigridSettings } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { poissonMethods } from "../../src/engine/mesh/poisson/poisson-methods.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { rangeLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { type ArraysInPieces, wholeArrays } from "../../src/physics/particles/saved-arrays.ts";
import type { SavedArrays } from "../../src/physics/particles/state.ts";
import { firstDifference } from "../support/compare.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { randomMass, withMultigrid } from "../support/multigrid-solver.ts";

const gpu = useGpu();

interface Case {
  cells: number;
  boundary: Boundary;
  changes: Partial<MultigridSettings>;
}

/** What three solves yield, the first cold, and what is left of them. */
interface Solved {
  slabs: number;
  potentials: Float32Array[];
  residuals: number[][];
  state: SavedArrays;
}

/** A context of its own whose meshes lie in slabs of at most so many planes. */
function limited(planes: number | undefined): GpuContext {
  return new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows: { planes } });
}

async function solved(given: Case, planes?: number, earlier?: ArraysInPieces): Promise<Solved> {
  const context = limited(planes);
  const found: Solved = { slabs: 0, potentials: [], residuals: [], state: {} };
  await withMultigrid(context, { ...given, run: 8 }, async (solve, multigrid, mesh) => {
    found.slabs = mesh.slabs.length;
    const limits = rangeLimits(context);
    const { all } = poissonMethods.multigrid.bytes(
      { cells: given.cells, gradient: "2-point", kernel: "split" },
      given.boundary,
      limits,
    );
    const share = (context.buffers.bytes().mesh - meshBytes(limits, given.cells)) / all;
    // The estimate counts the most Gaussians that a boundary's sums may take.
    expect(share).toBeLessThanOrEqual(1);
    expect(share).toBeGreaterThan(given.boundary === "periodic" ? 0.9999 : 0.85);
    if (earlier) await multigrid.restoreState(earlier);
    for (const seed of [1, 2]) {
      found.potentials.push(await solve(randomMass(given.cells, seed)));
      found.residuals.push([...multigrid.residuals]);
    }
    found.state = await wholeArrays(multigrid.saveState());
  });
  expect(context.buffers.bytes().total).toBe(0);
  return found;
}

function expectSame(found: Solved, expected: Solved): void {
  found.potentials.forEach((potential, i) => {
    expect(firstDifference(potential, expected.potentials[i])).toBe("same");
  });
  expect(found.residuals).toEqual(expected.residuals);
  expect(found.state).toEqual(expected.state);
}

const tolerance = { tolerance: 1e-4, maxCycles: 20 };

/**
 * Sides and planes of slabs: several levels in slabs that don't match the finer ones, the finest alone, uneven ones; the
 * boundary's sums from the halved source of a large mesh.
 */
const cuts = [
  [32, 2],
  [32, 6],
  [32, 16],
  [24, 10],
  [64, 22],
] as const;

describe("a mesh in slabs has the bits of one in a piece", () => {
  const cases = inFull<readonly [number, number, Boundary, Partial<MultigridSettings>]>(
    cuts.flatMap(([cells, planes]) =>
      (["periodic", "isolated"] as const).flatMap((boundary) =>
        ([2, 4] as const).flatMap((order) =>
          [{}, tolerance, { levels: 2 }].map((rest) => [cells, planes, boundary, { order, ...rest }] as const),
        ),
      ),
    ),
    [
      [32, 2, "periodic", { order: 4 }],
      [32, 2, "isolated", { order: 2, ...tolerance }],
      [32, 6, "isolated", { order: 4 }],
      [32, 16, "periodic", { order: 2, ...tolerance }],
      [24, 10, "isolated", { order: 4, ...tolerance }],
      [32, 6, "periodic", { order: 2, levels: 2 }],
    ],
  );

  it.each(cases)("%i cells a side, %i planes a slab, %s, %o", async (cells, planes, boundary, changes) => {
    const given = { cells, boundary, changes };
    const expected = await solved(given);
    const found = await solved(given, planes);
    expect(expected.slabs).toBe(1);
    expect(found.slabs).toBeGreaterThan(1);
    expectSame(found, expected);
  });

  it("goes on from the state of the other", async () => {
    const given = { cells: 24, boundary: "isolated" as const, changes: {} };
    const { state } = await solved(given);
    const { multigridPotential: potential } = state;
    const inPieces: ArraysInPieces = {
      ...state,
      multigridPotential: {
        ...{ type: "Float32Array", length: potential.length },
        async *pieces() {
          for (let at = 0; at < potential.length; at += 999) yield potential.subarray(at, at + 999);
        },
      },
    };
    expectSame(await solved(given, 10, inPieces), await solved(given, undefined, state));
  });
});
