/**
 * Poisson's equation of an isolated box from two meshes, float64: mesh.kernel = "split" (src/engine/mesh/poisson/split-kernels.ts).
 *   mass → fine potential on a periodic mesh; mass → restricted → coarse potential → prolonged, added.
 */
import { runYielding } from "../../mesh/poisson/greens.ts";
import { coarseSpectrum, fineSpectrum, type SplitMesh } from "../../mesh/poisson/split-kernels.ts";
import { type Coarsening, coarseCells, reachedCells, SPLIT, splitPeriod } from "../../mesh/poisson/split-mesh.ts";
import { PoissonFft } from "./poisson-fft.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

export class SplitPoisson implements PoissonSolver {
  readonly boundary = "isolated";

  private constructor(
    readonly cells: number,
    private readonly fine: PoissonFft,
    private readonly coarse: PoissonFft,
  ) {}

  /** `short`: the fine mesh's kernel, where it isn't that of the whole force. Building them gives way to the event loop. */
  static async create(
    mesh: SplitMesh,
    boxSize: number,
    G: number,
    short?: (h: number) => Generator<void, Float64Array>,
  ) {
    const { cells } = mesh;
    const h = boxSize / cells;
    const period = splitPeriod(cells);
    const fine = await runYielding(short?.(h) ?? fineSpectrum(mesh, h));
    const coarse = await runYielding(coarseSpectrum(mesh, h));
    return new SplitPoisson(
      cells,
      PoissonFft.withKernel({ cells, period, h, G, spectrum: fine }),
      PoissonFft.withKernel({ cells: coarseCells(cells), period, h: SPLIT.ratio * h, G, spectrum: coarse }),
    );
  }

  /** [n³] potential [velocity²] of a density [n³] [mass/length³]. */
  potential(density: Float64Array): Float64Array {
    const { cells, fine, coarse } = this;
    const between = (values: Float64Array, restricts: boolean) => betweenMeshes(values, cells, SPLIT, restricts);
    const smooth = between(coarse.potential(between(density, true)), false);
    return addTo(fine.potential(density), smooth);
  }

  memory(): { held: number; working: number } {
    const [fine, coarse] = [this.fine.memory(), this.coarse.memory()];
    return { held: fine.held + coarse.held, working: Math.max(fine.working, coarse.working) };
  }
}

/** `sum` with `other` added. */
export function addTo(sum: Float64Array, other: Float64Array): Float64Array {
  for (let i = 0; i < sum.length; i++) sum[i] += other[i];
  return sum;
}

/** Densities [n³] restricted to a mesh of longer cells [coarseCells³], or values prolonged from these. */
export function betweenMeshes(values: Float64Array, n: number, by: Coarsening, restricts: boolean): Float64Array {
  return [0, 1, 2].reduce((result, axis) => alongAxis(result, { n, by, axis }, restricts), values);
}

/** The same along an axis; those before it have been taken. */
function alongAxis(
  values: Float64Array,
  { n, by, axis }: { n: number; by: Coarsening; axis: number },
  restricts: boolean,
): Float64Array {
  const coarse = coarseCells(n, by);
  const [before, after] = restricts ? [coarse, n] : [n, coarse];
  const stride = before ** axis;
  const rest = after ** (2 - axis);
  const result = new Float64Array(stride * (restricts ? coarse : n) * rest);
  for (let i = 0; i < n; i++) {
    for (const { cell, weight } of reachedCells(i, by)) {
      const share = restricts ? weight / by.ratio : weight;
      for (let outer = 0; outer < rest; outer++) {
        const fineAt = (outer * n + i) * stride;
        const coarseAt = (outer * coarse + cell) * stride;
        const to = restricts ? coarseAt : fineAt;
        const from = restricts ? fineAt : coarseAt;
        for (let inner = 0; inner < stride; inner++) result[to + inner] += share * values[from + inner];
      }
    }
  }
  return result;
}
