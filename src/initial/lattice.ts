/**
 * Particles on a lattice, displaced by Lagrangian perturbation theory: comoving positions and canonical momenta
 *   x = q + D₁ ψ₁ + D₂ ψ₂      p = a² dx/dt = P₁ ψ₁ + P₂ ψ₂      P = a³ H dD/da
 * (Bouchet et al. 1995, eqs 6, 17; Scoccimarro 1998, appendix D). q lie at the centres of the lattice's cells. The
 * displacement fields come from whoever can make them, a GPU or the float64 oracle.
 * A single plane wave has ψ₁ = −sin(kq)/(k D₁(crossing)) along x, and no second order.
 */
import { Background } from "../cosmology/background.ts";
import { Growth } from "../cosmology/growth.ts";
import { GravmeshError } from "../errors.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { InitialSettings, LatticeComponent, ParticleComponent, PlaneWaveComponent } from "./components.ts";
import { linearPowerOf, type TextLoader } from "./linear-power.ts";

/** What a random displacement field is made from. */
export interface DisplacementRequest {
  /** Points per side of the lattice. */
  perSide: number;
  /** Side of the box [length]. */
  boxSize: number;
  seed: number;
  order: 1 | 2;
  fixedAmplitudes: boolean;
  opposite: boolean;
  /** Linear power spectrum [length³] at k [1/length], in the normalisation D₁ = 1. */
  power: (k: number) => number;
}

/**
 * Displacements [length], [3·n³, xyzxyz…] in lattice order, x fastest: ψ₁ = −∇φ₁ with ∇²φ₁ = δ at D₁ = 1, and
 * ψ₂ = ∇φ₂ with ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²), for order 2.
 */
export interface Displacements {
  first: Float32Array | Float64Array;
  second?: Float32Array | Float64Array;
}

export type DisplacementMaker = (request: DisplacementRequest) => Promise<Displacements>;

export function isLattice(component: ParticleComponent): component is LatticeComponent | PlaneWaveComponent {
  return component.kind === "lattice" || component.kind === "plane-wave";
}

/** Writes the component's particles at `first` … . Throws "usage" without a maker of displacements. */
export async function placeLattice(
  component: LatticeComponent | PlaneWaveComponent,
  { cosmology, box, time }: InitialSettings,
  particles: ParticleSet,
  first: number,
  makers: { displacements?: DisplacementMaker | undefined; loadText?: TextLoader | undefined },
): Promise<void> {
  const growth = new Growth(new Background(cosmology));
  const { perSide, offset, velocity } = component;
  const a = time.start;
  let factors: { D1: number; D2: number; P1: number; P2: number };
  let fields: Displacements;
  if (component.kind === "plane-wave") {
    factors = { D1: growth.D1(a), D2: 0, P1: growth.momentum1(a), P2: 0 };
    fields = { first: planeWave(component, box.size, growth.D1(component.crossing)) };
  } else {
    if (!makers.displacements) {
      throw new GravmeshError(
        "usage",
        `initial conditions, component "${component.name}": a lattice needs what makes displacement fields; pass options.displacements`,
      );
    }
    const { seed, order, fixedAmplitudes, opposite } = component;
    const linear = await linearPowerOf(cosmology, makers.loadText);
    linear.requireModes((2 * Math.PI) / box.size, (Math.sqrt(3) * Math.PI * perSide) / box.size);
    const unity = growth.D1(1);
    fields = await makers.displacements({
      ...{ perSide, seed, order, fixedAmplitudes, opposite },
      boxSize: box.size,
      power: (k) => linear.power(k) / unity ** 2,
    });
    factors = { D1: growth.D1(a), D2: growth.D2(a), P1: growth.momentum1(a), P2: growth.momentum2(a) };
  }
  const spacing = box.size / perSide;
  const { positions, velocities, masses } = particles;
  masses.fill(component.mass / component.count, first, first + component.count);
  const { D1, D2, P1, P2 } = factors;
  const { first: psi1, second: psi2 } = fields;
  for (let i = 0; i < component.count; i++) {
    const cell = [i % perSide, Math.floor(i / perSide) % perSide, Math.floor(i / perSide ** 2)];
    for (let axis = 0; axis < 3; axis++) {
      const [from, to] = [3 * i + axis, 3 * (first + i) + axis];
      const [one, two] = [psi1[from], psi2 ? psi2[from] : 0];
      const x = (cell[axis] + 0.5) * spacing + offset[axis] + D1 * one + D2 * two;
      const wrapped = x - box.size * Math.floor(x / box.size);
      positions[to] = wrapped < box.size ? wrapped : 0;
      velocities[to] = velocity[axis] + P1 * one + P2 * two;
    }
  }
}

/** −sin(kq)/(k D₁(crossing)) along x [3·n³]. */
function planeWave({ perSide, waves }: PlaneWaveComponent, boxSize: number, growthAtCrossing: number): Float64Array {
  const k = (2 * Math.PI * waves) / boxSize;
  const field = new Float64Array(3 * perSide ** 3);
  for (let i = 0; i < perSide ** 3; i++) {
    const q = ((i % perSide) + 0.5) * (boxSize / perSide);
    field[3 * i] = -Math.sin(k * q) / (k * growthAtCrossing);
  }
  return field;
}
