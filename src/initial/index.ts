/**
 * Initial conditions of a scenario: every component drawn about its own centre, then put at its offset from the centre
 * of the box with its bulk velocity. Ids are consecutive, components in deck order; rigid components become external
 * fields. The samples are left as drawn: their own centre of mass and momentum are not subtracted, which would make
 * particle i depend on the count.
 */
import { GravmeshError } from "../errors.ts";
import type { ComponentRange, ExternalField, ParticleSet } from "../particles/state.ts";
import { requireFinite, requireInsideBox } from "./check.ts";
import type { InitialSettings, ParticleComponent } from "./components.ts";
import { componentDraws, isRigid } from "./group.ts";
import { type DisplacementMaker, isLattice, placeLattice } from "./lattice.ts";
import type { TextLoader } from "./linear-power.ts";
import type { Draw } from "./model.ts";
import { ParticleRandom } from "./philox.ts";
import { type LoadedSnapshot, loadComponent, placeSnapshot, type SnapshotLoader } from "./snapshot.ts";

export type { DisplacementMaker, DisplacementRequest, Displacements } from "./lattice.ts";
export { linearPowerOf, type TextLoader } from "./linear-power.ts";
export type { LoadedSnapshot, SnapshotLoader } from "./snapshot.ts";

export interface InitialConditionsOptions {
  /** Gravitational constant in deck units. */
  G: number;
  /** Reads a snapshot file; needed where a component has kind "snapshot". */
  loadSnapshot?: SnapshotLoader;
  /** Particles to use instead of drawing the scenario's own; only its external fields are made then. */
  particles?: ParticleSet;
  /** Makes the displacements of a component of kind "lattice". */
  displacements?: DisplacementMaker;
  /** Reads a power spectrum's table; needed with cosmology.transfer = "file". */
  loadText?: TextLoader;
  /** Called now and then with the particles drawn so far, of all components together. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

export interface InitialConditions {
  particles: ParticleSet;
  externalFields: ExternalField[];
}

type SampledComponent = Exclude<ParticleComponent, { kind: "snapshot" | "lattice" | "plane-wave" }>;

/** Particles drawn between two looks at the clock. */
const CHUNK = 8192;
/** The event loop gets its turn this often [ms]. */
const YIELD_MS = 50;

/**
 * Particles (box coordinates, deck units) and external fields of a scenario.
 * Throws "input" for numbers that are not finite, "scenario" for particles outside the box and for components that
 * have no equilibrium, "usage" for a snapshot without a loader, "aborted" after an abort.
 */
export async function initialConditions(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<InitialConditions> {
  const { box, particles: components } = scenario;
  const externalFields = components.filter(isRigid).map((component) => externalField(component, box.size));
  if (options.particles) {
    for (const range of options.particles.components) requireFinite(options.particles, range);
    options.onProgress?.(options.particles.count, options.particles.count);
    return { particles: options.particles, externalFields };
  }
  const draws = componentDraws(components, options.G);
  const loaded: (LoadedSnapshot | null)[] = [];
  for (const component of components) {
    loaded.push(component.kind === "snapshot" ? await loadComponent(component, options.loadSnapshot) : null);
  }
  const counts = components.map((component, i) => {
    if (component.kind === "snapshot") return loaded[i]!.count;
    return draws[i] || isLattice(component) ? component.count : 0;
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const particles = emptyParticles(total);
  const pause = pauses(options, total);

  let first = 0;
  for (let i = 0; i < components.length; i++) {
    const component = components[i];
    const draw = draws[i];
    let ranges: ComponentRange[] = [];
    if (component.kind === "snapshot") {
      ranges = placeSnapshot(component, loaded[i]!, box, particles, first);
    } else if (isLattice(component)) {
      await placeLattice(component, scenario, particles, first, options);
      ranges = [{ name: component.name, species: component.species, first, count: component.count }];
    } else if (draw) {
      const centre = component.offset.map((offset) => 0.5 * box.size + offset);
      const random = new ParticleRandom(component.seed, i);
      await sample(component as SampledComponent, draw, random, centre, particles, first, pause);
      ranges = [{ name: component.name, species: component.species, first, count: component.count }];
    }
    for (const range of ranges) {
      requireFinite(particles, range);
      requireInsideBox(particles, range, component, box);
    }
    particles.components.push(...ranges);
    first += counts[i];
    await pause(first);
  }
  options.onProgress?.(total, total);
  return { particles, externalFields };
}

function emptyParticles(count: number): ParticleSet {
  return {
    count,
    positions: new Float64Array(3 * count),
    velocities: new Float32Array(3 * count),
    masses: new Float64Array(count),
    components: [],
  };
}

async function sample(
  component: SampledComponent,
  draw: Draw,
  random: ParticleRandom,
  centre: readonly number[],
  particles: ParticleSet,
  first: number,
  pause: (done: number) => Promise<void>,
): Promise<void> {
  const { positions, velocities, masses } = particles;
  const point = new Float64Array(6);
  if (draw.massShares) {
    masses.set(
      draw.massShares.map((share) => share * component.mass),
      first,
    );
  } else masses.fill(component.mass / component.count, first, first + component.count);
  for (let start = 0; start < component.count; start += CHUNK) {
    const end = Math.min(component.count, start + CHUNK);
    for (let i = start; i < end; i++) {
      random.seek(i);
      draw(random, point);
      const at = 3 * (first + i);
      for (let axis = 0; axis < 3; axis++) {
        positions[at + axis] = centre[axis] + point[axis];
        velocities[at + axis] = component.velocity[axis] + point[3 + axis];
      }
    }
    await pause(first + end);
  }
}

function externalField(component: Extract<ParticleComponent, { rigid: boolean }>, boxSize: number): ExternalField {
  const [x, y, z] = component.offset;
  const half = 0.5 * boxSize;
  const { kind, mass, scale } = component;
  return { kind, centre: [half + x, half + y, half + z], mass, scale };
}

/** Lets the event loop run, reports progress and looks at the abort signal, every YIELD_MS. */
function pauses(options: InitialConditionsOptions, total: number): (done: number) => Promise<void> {
  let last = performance.now();
  return async (done) => {
    if (options.signal?.aborted) {
      throw new GravmeshError("aborted", `initial conditions: aborted after ${done} of ${total} particles`);
    }
    if (performance.now() - last < YIELD_MS) return;
    options.onProgress?.(done, total);
    await new Promise((resolve) => setTimeout(resolve, 0));
    last = performance.now();
  };
}
