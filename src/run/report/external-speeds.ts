/**
 * Parts of a rotation curve: v² = −⟨R a_R⟩ over a ring about the z axis, of external potentials each by itself and the rest for
 * the particles, or of Newton's gravity and of phantom matter. Speeds of what pushes outwards are 0.
 */
import { unitSystem } from "../../foundation/deck/units.ts";
import { unmovedPotentials } from "../../physics/initial/placing.ts";
import { externalField } from "../../physics/potentials/external.ts";
import type { PhantomMatter } from "../../scenario/simulation/phantom-matter.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import type { ReportRotation } from "./model.ts";

const POINTS = 24;
/** More potentials are drawn as one curve. */
const MOST = 5;

/** Mean of −R a_R on a ring [velocity²]. */
type Square = (R: number) => number;

/** Curves over the radii of a rotation curve of the present state; none without external potentials. */
export function externalSpeeds(
  { scenario, externalPotentials, time }: Pick<Simulation, "scenario" | "externalPotentials" | "time">,
  { radius, circular, centre }: Pick<ReportRotation, "radius" | "circular" | "centre">,
  /** Together, for a curve of all particles. */
  particles = true,
): NonNullable<ReportRotation["parts"]> {
  if (externalPotentials.length === 0 || !centre) return [];
  const { G } = unitSystem(scenario.units.system);
  const names = unmovedPotentials(scenario, G).map(({ name }) => name);
  const squareOf =
    (potentials: typeof externalPotentials): Square =>
    (R) => {
      const angles = Array.from({ length: POINTS }, (_, i) => (2 * Math.PI * i) / POINTS);
      const positions = Float64Array.from(angles.flatMap((angle) => [R * Math.cos(angle), R * Math.sin(angle), 0]));
      const at = positions.map((x, k) => x + centre[k % 3]);
      const { accelerations } = externalField({ G, externalPotentials: potentials }, at, time);
      return -accelerations.reduce((sum, a, k) => sum + a * positions[k], 0) / POINTS;
    };
  const all = squareOf(externalPotentials);
  const speed = (square: number) => Math.sqrt(Math.max(0, square));
  const curve = (name: string, square: Square) => ({ name, speed: radius.map((R) => speed(square(R))) });
  const single = externalPotentials.length <= MOST;
  return [
    ...(circular && particles
      ? [{ name: "particles", speed: circular.map((v, i) => speed(v * v - all(radius[i]))) }]
      : []),
    ...(single
      ? externalPotentials.map((one, i) => curve(names[i] ?? one.kind, squareOf([one])))
      : [curve("external", all)]),
  ];
}

/** Where gravity is modified: Newton's in the plane of the rings, and what phantom matter has in it. */
export function modifiedSpeeds(
  phantom: PhantomMatter | undefined,
  { radius, centre }: ReportRotation,
): NonNullable<ReportRotation["parts"]> {
  if (!phantom || !centre) return [];
  const speeds = phantom.circularSpeeds(centre, radius);
  return [
    { name: "Newton's gravity alone", speed: speeds.newton },
    { name: "phantom matter", speed: speeds.phantom },
  ];
}
