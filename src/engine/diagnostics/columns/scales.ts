/**
 * What relative errors are taken against. The first energy or momentum may cancel or vanish (a parabolic encounter, a cold
 * start, particles at rest at one point), and a rounding error over it would say nothing or be no number:
 *   energy    max(|E₀|, 0.1 (K₀ + |W₀|), 0.1 (K + |W|), 10⁻⁶ GM²/L)
 *   momentum  √(2M max(K₀, K, 10⁻⁶ |W₀|, 10⁻⁶ GM²/L))
 * with the box's side L. Both are above zero where there is mass.
 */

interface Energies {
  kinetic: number;
  potential: number;
}

/** Where kinetic and potential energy cancel, or have grown from next to nothing, their drift is measured against this share. */
const SHARE_OF_PARTS = 0.1;
/** An energy below this share of GM²/L is rounding in single precision. */
const NEGLIGIBLE = 1e-6;

/** [mass velocity²]; `boxEnergy` = GM²/L. */
export function energyScale(initial: Energies, now: Energies, boxEnergy: number): number {
  const parts = ({ kinetic, potential }: Energies) => Math.abs(kinetic) + Math.abs(potential);
  const total = Math.abs(initial.kinetic + initial.potential);
  return Math.max(total, SHARE_OF_PARTS * Math.max(parts(initial), parts(now)), NEGLIGIBLE * boxEnergy);
}

/** [mass velocity]; K is `kinetic` now. */
export function momentumScale(mass: number, initial: Energies, kinetic: number, boxEnergy: number): number {
  const potential = NEGLIGIBLE * Math.max(Math.abs(initial.potential), boxEnergy);
  return Math.sqrt(2 * mass * Math.max(initial.kinetic, kinetic, potential));
}

/** An error over its scale; 0 where there is neither. */
export function relativeTo(scale: number, error: number): number {
  return scale === 0 && error === 0 ? 0 : error / scale;
}
