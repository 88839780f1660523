/**
 * QUMOND in float64 (Milgrom 2010): ∇²Φ = ∇·[ν(|∇Φ_N|/a0) ∇Φ_N] with ∇²Φ_N = 4πGρ, as Φ = Φ_N + φ and
 *   ∇²φ = −∇·F,   F = (ν(|g|/a0) − 1) g,   g = −∇Φ_N + g_Ne,
 * the phantom matter ρ_ph = −∇·F/4πG, by a linear solver before and after. F lies at the faces of cells: its component across
 * one by the difference across, those along it by the mean of the four differences beside it (Lüghausen, Famaey & Kroupa
 * 2015). An isolated solution is the sum of that of a sphere (physics/mond/reference-field.ts) and of the rest, whose source is compact:
 * none in the outermost cells, whose faces have an outside.
 */
import { interpolatingFunctions, phantomShare } from "../../../physics/mond/interpolation.ts";
import { named, unnamed } from "../../../physics/mond/phantom-names.ts";
import {
  newtonianExternal,
  type ReferenceField,
  referenceAt,
  referenceField,
  type SmoothExcess,
  unitVector,
} from "../../../physics/mond/reference-field.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import type { SavedArrays } from "../../../physics/particles/state.ts";
import { addBeyondBox, forEachCell, massOf } from "./beyond-box.ts";
import { wrap } from "./cells.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

export interface QumondMesh {
  cells: number;
  boxSize: number;
  G: number;
  boundary: Boundary;
  mond: MondSettings;
  /** Of the linear solver. */
  excess: SmoothExcess;
}

/** What is done to QUMOND's potential, as AQUAL does. */
export interface Refinement {
  /** Potentials [n³]: the modified one so far, and Newton's; the result may be the first. */
  refine(density: Float64Array, potential: Float64Array, newton: Float64Array): Float64Array;
  /** Bytes held between calls, and besides during one. */
  held: number;
  working: number;
}

export class Qumond implements PoissonSolver {
  readonly cells: number;
  readonly boundary: Boundary;
  private last: Float64Array = new Float64Array(0);
  private reference: { mass: number; field: ReferenceField } | undefined;

  /** Solvers of ∇²φ = 4πGρ for Newton's potential and for the phantom matter's: one where it remembers nothing. */
  constructor(
    private readonly mesh: QumondMesh,
    private readonly newton: PoissonSolver,
    private readonly phantom: PoissonSolver,
    /** In turn. */
    readonly refinements: readonly Refinement[],
  ) {
    this.cells = mesh.cells;
    this.boundary = mesh.boundary;
  }

  potential(density: Float64Array): Float64Array {
    const newton = this.newton.potential(density);
    this.last = newton;
    const own = this.modified(density, newton);
    return this.refinements.reduce((potential, by) => by.refine(density, potential, newton), own);
  }

  private modified(density: Float64Array, newton: Float64Array): Float64Array {
    const { cells: n, boxSize, G, boundary } = this.mesh;
    const h = boxSize / n;
    const source = phantomDensity(this.mesh, newton);
    if (boundary === "periodic") return plus(newton, this.phantom.potential(source));
    const { mass, centre } = massOf(density, n, h);
    if (mass === 0) return newton;
    const reference = this.referenceOf(mass);
    const axis = unitVector(this.mesh.mond.externalField);
    const smooth = new Float64Array(n ** 3);
    forEachCell(n, (i, x, y, z) => {
      const d = [(x + 0.5) * h - centre[0], (y + 0.5) * h - centre[1], (z + 0.5) * h - centre[2]];
      const r = Math.hypot(...d);
      const cosine = r === 0 ? 0 : (d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2]) / r;
      const found = referenceAt(reference, r, cosine);
      smooth[i] = found.potential;
      source[i] = isEdge(n, x, y, z) ? 0 : source[i] - found.source / (4 * Math.PI * G);
    });
    addBeyondBox(smooth, density, this.mesh);
    return plus(plus(newton, this.phantom.potential(source)), smooth);
  }

  private referenceOf(mass: number): ReferenceField {
    if (this.reference?.mass !== mass) {
      const { G, mond } = this.mesh;
      this.reference = { mass, field: referenceField(mond, G * mass, this.mesh) };
    }
    return this.reference.field;
  }

  newtonPotential(): Float64Array {
    return this.last;
  }

  saveState(): SavedArrays {
    const { newton, phantom } = this;
    return { ...newton.saveState?.(), ...(phantom !== newton && named(phantom.saveState?.())) };
  }

  restoreState(arrays: SavedArrays): void {
    const { newton, phantom } = this;
    newton.restoreState?.(arrays);
    if (phantom !== newton) phantom.restoreState?.(unnamed(arrays));
  }

  memory(): { held: number; working: number } {
    const [first, second] = [this.newton, this.phantom].map((solver) => solver.memory());
    let held = first.held + (this.phantom === this.newton ? 0 : second.held);
    let working = Math.max(first.working, second.working) + 3 * 8 * this.cells ** 3;
    for (const refinement of this.refinements) {
      held += refinement.held;
      working = Math.max(working, refinement.working);
    }
    return { held, working };
  }
}

/**
 * [n³] density of phantom matter, 0 in the outermost cells of an isolated mesh: ∇·[(ν − 1) ∇Φ_N]/4πG of Newton's potential, or
 * of AQUAL's ∇·[(1 − μ) ∇Φ]/4πG.
 */
export function phantomDensity(
  { cells: n, boxSize, G, boundary, mond }: Omit<QumondMesh, "excess">,
  potential: Float32Array | Float64Array,
  of: MondSettings["formulation"] = "qumond",
): Float64Array {
  const h = boxSize / n;
  const aqual = of === "aqual";
  const external = aqual ? mond.externalField : newtonianExternal(mond);
  const { mu } = interpolatingFunctions[mond.interpolation];
  const share = (g: number) => (aqual ? 1 - mu(g / mond.a0) : phantomShare(mond.interpolation, mond.a0, g));
  const density = new Float64Array(n ** 3);
  const isolated = boundary === "isolated";
  const unit = 1 / (4 * Math.PI * G * h);
  /** By axis and coordinate: how far the neighbours' places in memory are. */
  const steps = [1, n, n * n].map((pitch) => ({
    up: Int32Array.from({ length: n }, (_, i) => (wrap(i + 1, n) - i) * pitch),
    down: Int32Array.from({ length: n }, (_, i) => (wrap(i - 1, n) - i) * pitch),
  }));
  for (let axis = 0; axis < 3; axis++) {
    const [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
    forEachCell(n, (here, x, y, z) => {
      const cell = [x, y, z];
      // The upper face along the axis, unless it or what lies beside it is an isolated mesh's outside.
      if (isolated && (cell[axis] === n - 1 || isEdge(n, cell[second], cell[third]))) return;
      const there = here + steps[axis].up[cell[axis]];
      const beside = (other: number) => {
        const [up, down] = [steps[other].up[cell[other]], steps[other].down[cell[other]]];
        return (
          (potential[here + up] - potential[here + down] + potential[there + up] - potential[there + down]) / (4 * h)
        );
      };
      const across = external[axis] - (potential[there] - potential[here]) / h;
      const g = Math.hypot(across, external[second] - beside(second), external[third] - beside(third));
      const flux = unit * share(g) * across;
      density[here] -= flux;
      density[there] += flux;
    });
  }
  if (isolated) {
    forEachCell(n, (i, x, y, z) => {
      if (isEdge(n, x, y, z)) density[i] = 0;
    });
  }
  return density;
}

const isEdge = (n: number, ...cell: number[]) => cell.some((i) => i === 0 || i === n - 1);

const plus = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]);
