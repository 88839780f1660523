/**
 * Galaxies of a scenario at their places: frames.ts with the masses of the scenario's components, and the external
 * potentials, rigid components among them, which stand in a galaxy that doesn't move.
 */
import type { SourceBlock } from "../particles/source.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { placed, withPaths } from "../potentials/settings.ts";
import { type InitialSettings, isRigid } from "./components.ts";
import { type Frame, intoFrame, orientation, type Placed, placeGalaxies, turned } from "./frames.ts";
import { concentric } from "./group.ts";
import type { ModelComponent, ModelMeans } from "./model.ts";
import { modelOf } from "./models.ts";
import { meanForce } from "./monopole.ts";

type Scenario = Pick<InitialSettings, "box" | "particles" | "potential" | "galaxy">;

/** Of rigid components and [[potential]] tables, with the name of their galaxy. */
function fixedOf({ box, particles, potential: tables = [] }: Scenario, G: number) {
  return [
    ...particles.filter(isRigid).map((one) => ({ ...one, potential: rigidPotential(one, box.size), path: undefined })),
    ...tables.flatMap((table) => {
      const parts = placed(table, box, G);
      const nameOf = ({ kind }: ExternalPotential) => (parts.length > 1 ? `${table.name}: ${kind}` : table.name);
      return parts.map((potential) => ({ ...table, name: nameOf(potential), potential }));
    }),
  ];
}

function rigidPotential(component: ModelComponent, boxSize: number): ExternalPotential {
  const [x, y, z] = component.offset.map((offset) => 0.5 * boxSize + offset);
  return { centre: [x, y, z], ...modelOf(component).potential!(component) };
}

/** The external potentials of a scenario by name, in box coordinates, and the files of their centres' paths. */
export function unmovedPotentials(
  scenario: Scenario,
  G: number,
): { name: string; potential: ExternalPotential; path?: string | undefined }[] {
  const { galaxy: galaxies = [], box } = scenario;
  const half = 0.5 * box.size;
  return fixedOf(scenario, G).map(({ name, galaxy: of, potential, path }) => {
    const galaxy = galaxies.find((one) => one.name === of);
    if (!galaxy) return { name, potential, path };
    const offset = potential.centre.map((x) => x - half);
    const [x, y, z] = turned(orientation(galaxy, galaxies), offset).map((d, k) => half + galaxy.centre[k] + d);
    return { name, potential: { ...potential, centre: [x, y, z] }, path };
  });
}

/** The same with the paths. Throws "input" for one that can't be. */
export function externalPotentialsOf(
  scenario: Scenario & Pick<InitialSettings, "time">,
  { G, loadText }: Pick<ModelMeans, "G" | "loadText">,
): Promise<ExternalPotential[]> {
  return withPaths(unmovedPotentials(scenario, G), { end: scenario.time.end ?? 0, loadText });
}

/** Names of the galaxies with rigid parts. */
export function heldGalaxies(scenario: Scenario): Set<string> {
  const { particles, potential: tables = [] } = scenario;
  return new Set([...particles.filter(isRigid), ...tables].flatMap(({ galaxy }) => galaxy ?? []));
}

/** `massOf`: of the live component at a place in the deck [mass]; `G` in deck units. */
export function placedGalaxies(scenario: Scenario, massOf: (index: number) => number, G: number): Placed {
  const { galaxy: galaxies = [], particles } = scenario;
  const fixed = fixedOf(scenario, G);
  const sum = (name: string, radius: number, share: (index: number) => number) => {
    const live = particles.map((one, index) =>
      one.galaxy === name && !isRigid(one) ? massOf(index) * share(index) : 0,
    );
    const rigid = fixed.map(({ galaxy, potential }) => (galaxy === name ? massWithin(potential, radius, G) : 0));
    return [...live, ...rigid].reduce((all, one) => all + one, 0);
  };
  const held = heldGalaxies(scenario);
  const masses = {
    mass: (name: string, radius: number) => sum(name, radius, () => 1),
    within: (name: string, radius: number) => sum(name, radius, shareWithin(scenario, radius, G)),
    isHeld: (name: string) => held.has(name),
  };
  return placeGalaxies(galaxies, masses, G);
}

/** From a live component to the share of its mass within `radius` of its centre; all of one that has no profile. */
function shareWithin(scenario: Scenario, radius: number, G: number): (index: number) => number {
  const about = concentric(scenario, G);
  return (index) => {
    const component = scenario.particles[index];
    const model = modelOf(component);
    const sphere = model.sphere?.(component);
    const profile = sphere ? about[index].equilibrium().profile : model.profile?.(component, G);
    return profile ? profile.mass(radius) / profile.mass(sphere?.cutoff ?? Number.MAX_VALUE) : 1;
  };
}

/** The mass whose pull on a sphere is that of a potential in the mean [mass]. */
function massWithin(potential: ExternalPotential, radius: number, G: number): number {
  return (-(radius ** 2) * meanForce(potential, G)(radius)) / G;
}

/** Moves a block of particles, which are about the centre of the box, into a frame. */
export function blockInFrame(block: SourceBlock, frame: Frame, boxSize: number): SourceBlock {
  const { positions, velocities, count } = block;
  const half = 0.5 * boxSize;
  const point = new Float64Array(6);
  for (let at = 0; at < 3 * count; at += 3) {
    for (let k = 0; k < 3; k++) {
      point[k] = positions[at + k] - half;
      point[3 + k] = velocities[at + k];
    }
    intoFrame(frame, point);
    for (let k = 0; k < 3; k++) {
      positions[at + k] = half + point[k];
      velocities[at + k] = point[3 + k];
    }
  }
  return block;
}
