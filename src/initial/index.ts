/**
 * Initial conditions of a scenario: every component drawn about the centre of the box, then moved by its offset (which
 * wraps in a periodic box) and given its bulk velocity. Ids are consecutive, components in deck order; rigid components become external
 * potentials. The samples are left as drawn: their own centre of mass and momentum are not subtracted, which would make
 * particle i depend on the count.
 */
import { GravmeshError } from "../errors.ts";
import type { ParticleSource } from "../particles/source.ts";
import { type ComponentRange, emptyParticles, type ParticleSet } from "../particles/state.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { placed } from "../potentials/settings.ts";
import { requireFinite, requireInsideBox, requireMatter, requirePlausible } from "./check.ts";
import { type InitialSettings, isFromFile, isRigid } from "./components.ts";
import { type GivenParticles, givenParticles } from "./given.ts";
import { concentric } from "./group.ts";
import type { Draw, ModelComponent, ModelMeans, Placement } from "./model.ts";
import { modelOf } from "./models.ts";
import { ParticleRandom } from "./philox.ts";

export type { GivenParticles } from "./given.ts";
export type { DisplacementMaker, DisplacementRequest, Displacements, LoadedSnapshot, SnapshotLoader } from "./model.ts";

export interface InitialConditionsOptions extends ModelMeans {
  /** Particles to use instead of drawing the scenario's own; only its external potentials are made then. */
  particles?: GivenParticles | undefined;
  /** Called now and then with the particles drawn so far, of all components together. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal;
}

export interface InitialConditions {
  particles: ParticleSet;
  externalPotentials: ExternalPotential[];
}

/** The same, the particles in blocks. */
export interface InitialSource {
  source: ParticleSource;
  externalPotentials: readonly ExternalPotential[];
}

/** Particles drawn between two looks at the clock. */
const CHUNK = 8192;
/** The event loop gets its turn this often [ms]. */
const YIELD_MS = 50;

/**
 * Particles (box coordinates, deck units) and external potentials of a scenario.
 * Throws "input" for numbers that are not finite, "scenario" for particles outside the box and for components that
 * have no equilibrium, "usage" for a snapshot without a loader, "aborted" after an abort.
 */
export async function initialConditions(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<InitialConditions> {
  const { box, cosmology, time, particles: components, potential: tables = [] } = scenario;
  const externalPotentials = [
    ...components.filter(isRigid).map((component) => rigidPotential(component, box.size)),
    ...tables.map((table) => placed(table, box)),
  ];
  if (options.particles) {
    const particles = givenParticles(options.particles);
    for (const range of particles.components) requireFinite(particles, range);
    requirePlausible(particles, box, options.G);
    options.onProgress?.(particles.count, particles.count);
    return { particles, externalPotentials };
  }
  const about = concentric(scenario, options.G);
  const sources: { component: ModelComponent; index: number; source: Draw | Placement; count: number }[] = [];
  for (const [index, component] of components.entries()) {
    if (isRigid(component)) continue;
    const context = { ...options, box, cosmology, clock: time.clock, start: time.start, ...about[index] };
    const source = await modelOf(component).particles(component, context);
    sources.push({ component, index, source, count: "place" in source ? source.count : (component.count ?? 0) });
  }
  const total = sources.reduce((sum, { count }) => sum + count, 0);
  const particles = emptyParticles(total, [], scenario.gravity === "direct" ? 64 : 32);
  const pause = pauses(options, total);

  let first = 0;
  for (const { component, index, source, count } of sources) {
    if ("place" in source) await source.place(particles, first);
    else {
      const drawn = { component, draw: source, count, random: new ParticleRandom(component.seed, index) };
      await sample(drawn, box.size, particles, first, pause);
    }
    const whole = { name: component.name, first, count };
    const ranges = rangesOf(component, source, count).map((range) => ({ ...range, first: first + range.first }));
    for (const range of ranges) requireFinite(particles, range);
    requireInsideBox(particles, whole, component, box);
    if (box.boundary === "periodic") wrap(particles, whole, box.size);
    particles.components.push(...ranges);
    first += count;
    await pause(first);
  }
  requirePlausible(particles, box, options.G);
  if (time.clock === "comoving" && components.some(isFromFile)) requireMatter(particles, box, cosmology);
  options.onProgress?.(total, total);
  return { particles, externalPotentials };
}

/** The runs of particles that a component makes, ids from 0. */
function rangesOf({ name, species }: ModelComponent, source: Draw | Placement, count: number): ComponentRange[] {
  if ("place" in source && source.ranges) return [...source.ranges];
  if (species === "file") throw new Error(`component "${name}" has the species of a file and names none`);
  return [{ name, species, first: 0, count }];
}

async function sample(
  { component, draw, count, random }: { component: ModelComponent; draw: Draw; count: number; random: ParticleRandom },
  boxSize: number,
  { positions, velocities, masses }: ParticleSet,
  first: number,
  pause: (done: number) => Promise<void>,
): Promise<void> {
  const { velocity, offset } = component;
  const mass = draw.mass ?? component.mass ?? 0;
  const centre = offset.map((distance) => 0.5 * boxSize + distance);
  const point = new Float64Array(6);
  for (let i = 0; i < count; i++) masses[first + i] = draw.massShares ? draw.massShares[i] * mass : mass / count;
  for (let start = 0; start < count; start += CHUNK) {
    const end = Math.min(count, start + CHUNK);
    for (let i = start; i < end; i++) {
      random.seek(i);
      draw(random, point);
      const at = 3 * (first + i);
      for (let axis = 0; axis < 3; axis++) {
        positions[at + axis] = centre[axis] + point[axis];
        velocities[at + axis] = velocity[axis] + point[3 + axis];
      }
    }
    await pause(first + end);
  }
}

/** Into [0, L): what an offset has moved out, and coordinates of exactly L. */
function wrap(
  { positions }: ParticleSet,
  { first, count }: Pick<ComponentRange, "first" | "count">,
  boxSize: number,
): void {
  for (let k = 3 * first; k < 3 * (first + count); k++) {
    const wrapped = positions[k] - boxSize * Math.floor(positions[k] / boxSize);
    positions[k] = wrapped < boxSize ? wrapped : 0;
  }
}

function rigidPotential(component: ModelComponent, boxSize: number): ExternalPotential {
  const [x, y, z] = component.offset.map((offset) => 0.5 * boxSize + offset);
  return { centre: [x, y, z], ...modelOf(component).potential!(component) };
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
