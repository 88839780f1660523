/**
 * The particles of a scenario in blocks: every component is drawn about the centre of the box, then moved by its offset
 * (which wraps in a periodic box) and given its bulk velocity. Ids are consecutive, components in deck order; rigid
 * components become external potentials. Of a sample, whose mean place and velocity are noise, both are taken off in groups
 * of consecutive ids that depend on the component's count alone: the component then rests at its centre, nothing is drawn
 * twice, and any rank or thread finds the same bits. Blocks are checked as they come; their size changes no particle.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { blockRanges } from "../particles/blocks.ts";
import { type MassRun, ParticleMasses } from "../particles/masses.ts";
import type { IdRange } from "../particles/reductions.ts";
import { blockOfShare, collected, type ParticleSource, type SourceBlock, sourceOf } from "../particles/source.ts";
import type { ComponentRange, ParticleSet } from "../particles/state.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { BoxCheck, requireFiniteParticles, requireMasses, requireMatter, requirePlausibleMass } from "./check.ts";
import { type InitialSettings, isFromFile, isRigid } from "./components.ts";
import type { Draw } from "./draw.ts";
import type { Frame } from "./frames.ts";
import { type GivenParticles, givenParticles } from "./given.ts";
import type { ModelComponent, ModelMeans, Placement } from "./model.ts";
import { modelOf } from "./models.ts";
import { blockInFrame, externalPotentialsOf, placedGalaxies } from "./placing.ts";
import { type SphericalProfile, sampledProfile } from "./profiles.ts";
import { contextsOf, drawingOf, drawnByCrew, roomFor, type WorkerPool, type WorkerPoolMaker } from "./worker-pool.ts";

export interface InitialConditionsOptions extends ModelMeans {
  /** Particles to use instead of drawing the scenario's own; only its external potentials are made then. */
  particles?: GivenParticles | undefined;
  /** Called now and then with the particles drawn so far, of all components together. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Starts threads that draw, to the same bits; without it the caller's draws alone. */
  crew?: WorkerPoolMaker | undefined;
  /** Particles of a block at most; no particle depends on it. */
  block?: number | undefined;
}

/** Components that are all drawn from models: any range of their particles can be drawn (share.ts). */
export interface DrawnParts {
  scenario: InitialSettings;
  options: InitialConditionsOptions;
  parts: readonly SourcePart[];
}

export interface InitialParticles extends ParticleSource {
  readonly drawn?: DrawnParts | undefined;
}

/** Particles in blocks and external potentials of a scenario. */
export interface InitialSource {
  source: InitialParticles;
  externalPotentials: ExternalPotential[];
  /** Mass profiles of components from files that are in galaxies, where galaxies are on orbits; by place in the deck. */
  fileProfiles?: ReadonlyMap<number, SphericalProfile> | undefined;
}

/** Particles of a block that is drawn at a time, by one thread; groups at rest have as many, or up to twice as many. */
const BLOCK = 2 ** 17;
/** Particles drawn between two looks at the clock. */
const CHUNK = 8192;
/** The event loop gets its turn this often [ms]. */
const YIELD_MS = 50;

/** A component that has particles, from id `first` on. */
export interface SourcePart {
  component: ModelComponent;
  index: number;
  first: number;
  count: number;
  particles: Draw | Placement;
  ranges: ComponentRange[];
  /** Frame of its galaxy; set when the masses of all are known. */
  frame?: Frame | undefined;
}

/**
 * The particles of a scenario (box coordinates, deck units), ready to be asked for blocks. Throws "input" for numbers that
 * are not finite, "scenario" for particles outside the box and for components that have no equilibrium, "usage" for a
 * snapshot without a loader, "aborted" after an abort. Faults of single particles are thrown when their block comes.
 */
export async function initialSource(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<InitialSource> {
  const { box, cosmology, time, particles: components } = scenario;
  const externalPotentials = await externalPotentialsOf(scenario, options);
  const external = externalPotentials.length > 0;
  if (options.particles) {
    return { source: await givenSource(options.particles, { box, external }, options), externalPotentials };
  }
  const { parts, fileProfiles } = await placedParts(scenario, options);
  try {
    const masses = new ParticleMasses(parts.flatMap(massRuns));
    for (const { first, ranges, particles } of parts)
      if ("masses" in particles) requireMasses(particles.masses, ranges, first);
    requirePlausibleMass(masses, { box, external, G: options.G });
    if (time.clock === "comoving" && components.some(isFromFile)) requireMatter(masses, box, cosmology);
    const allDrawn = parts.every(({ particles }) => !("blocks" in particles));
    const source: InitialParticles = {
      ...aboutParts(parts, masses),
      bits: bitsOf(scenario),
      drawn: allDrawn ? { scenario, options, parts } : undefined,
      blocks: () => checkedBlocks(scenario, options, parts),
      release: () => release(parts),
    };
    return { source, externalPotentials, fileProfiles };
  } catch (error) {
    release(parts);
    throw error;
  }
}

export interface InitialConditions {
  particles: ParticleSet;
  externalPotentials: ExternalPotential[];
}

/** Particles and external potentials of a scenario all at once, in arrays. Throws what initialSource() and its blocks do. */
export async function initialConditions(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<InitialConditions> {
  const { source, externalPotentials } = await initialSource(scenario, options);
  return { particles: await collected(source), externalPotentials };
}

/** Particles that are summed directly keep velocities in float64; the mesh works with float32. */
const bitsOf = ({ gravity }: InitialSettings) => (gravity === "direct" ? 64 : 32);

export const aboutParts = (parts: readonly SourcePart[], masses = new ParticleMasses(parts.flatMap(massRuns))) => ({
  ...{ count: masses.count, components: parts.flatMap(({ ranges }) => ranges), masses },
});

const countOf = (parts: readonly SourcePart[]) => parts.reduce((sum, { count }) => sum + count, 0);

/** Components with particles, set up and each in its galaxy's frame, and profiles of those from files. */
export async function placedParts(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<{ parts: SourcePart[]; fileProfiles: ReadonlyMap<number, SphericalProfile> }> {
  const about = contextsOf(scenario, options);
  const parts: SourcePart[] = [];
  let first = 0;
  try {
    for (const [index, component] of scenario.particles.entries()) {
      if (isRigid(component)) continue;
      const particles = await modelOf(component).particles(component, about[index]);
      const count = "blocks" in particles ? particles.count : (component.count ?? 0);
      const ranges = rangesOf(component, particles, count).map((range) => ({ ...range, first: first + range.first }));
      parts.push({ component, index, first, count, particles, ranges });
      first += count;
    }
    const massOf = (index: number) => {
      const part = parts.find((one) => one.index === index);
      if (!part) return 0;
      return "blocks" in part.particles ? part.particles.masses.total : drawnMass(part.component, part.particles);
    };
    const files = await profilesOfFiles(scenario, parts);
    const { frames } = placedGalaxies(scenario, massOf, options.G, { about, files });
    for (const part of parts) part.frame = frames.get(part.component.galaxy ?? "");
    return { parts, fileProfiles: files };
  } catch (error) {
    release(parts);
    throw error;
  }
}

/** Mass of components from files about the centre of their galaxy, where galaxies are on orbits; by place in the deck. */
async function profilesOfFiles(
  { galaxy: galaxies = [], box }: InitialSettings,
  parts: readonly SourcePart[],
): Promise<Map<number, SphericalProfile>> {
  const profiles = new Map<number, SphericalProfile>();
  if (!galaxies.some(({ orbit }) => orbit?.field === "actual")) return profiles;
  for (const { component, index, particles } of parts) {
    if (component.galaxy === undefined || !isFromFile(component) || !("blocks" in particles)) continue;
    profiles.set(index, await sampledProfile(particles, box.size));
  }
  return profiles;
}

function release(parts: readonly SourcePart[]): void {
  for (const { particles } of parts) if ("blocks" in particles) particles.release?.();
}

async function givenSource(
  given: GivenParticles,
  about: Pick<InitialSettings, "box"> & { external: boolean },
  { G, onProgress }: InitialConditionsOptions,
): Promise<ParticleSource> {
  const source = sourceOf(givenParticles(given));
  const { count, components, masses } = source;
  for await (const block of source.blocks()) requireFiniteParticles(block, components, 0);
  requireMasses(masses, components, 0);
  requirePlausibleMass(masses, { ...about, G });
  onProgress?.(count, count);
  return source;
}

/** The runs of particles that a component makes, ids from 0. */
function rangesOf(
  { name, species, galaxy }: ModelComponent,
  source: Draw | Placement,
  count: number,
): ComponentRange[] {
  const of = galaxy === undefined ? {} : { galaxy };
  if ("blocks" in source && source.ranges) return source.ranges.map((range) => ({ ...range, ...of }));
  if (species === "file") throw new Error(`component "${name}" has the species of a file and names none`);
  return [{ name, species, ...of, first: 0, count }];
}

/** The mass of a component that is drawn [mass]. */
const drawnMass = (component: ModelComponent, draw: Draw) => draw.mass ?? component.mass ?? 0;

function massRuns({ component, first, count, particles }: SourcePart): MassRun[] {
  if ("blocks" in particles) return particles.masses.runs.map((run) => ({ ...run, first: first + run.first }));
  const mass = drawnMass(component, particles);
  const { massShares } = particles;
  const each = massShares && Float64Array.from({ length: count }, (_, i) => massShares[i] * mass);
  return [{ first, count, mass: each ?? mass / count }];
}

/**
 * The blocks of all parts, or of the ids asked for, checked and wrapped. After a particle outside its component has no
 * more blocks; its error comes once all are looked at, unless `done` gets the check, where others look at the rest.
 */
export async function* checkedBlocks(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
  parts: readonly SourcePart[],
  asked?: { ids: IdRange; done: (part: SourcePart, check: BoxCheck) => void },
): AsyncGenerator<SourceBlock> {
  const { ids, done } = asked ?? {
    ids: { first: 0, count: countOf(parts) },
    done: (_: SourcePart, check: BoxCheck) => check.finish(),
  };
  const pause = pauses(options, ids);
  const { box } = scenario;
  const { block: most = BLOCK } = options;
  const drawn = parts.filter(({ particles }) => !("blocks" in particles));
  const components = drawn.map(({ index, frame }) => ({ index, frame }));
  const count = Math.min(ids.count, countOf(drawn));
  const threads = count > 0 ? options.crew : undefined;
  const crew = await threads?.({ scenario, G: options.G, components, bits: bitsOf(scenario), count });
  try {
    for (const part of parts) {
      const { component, first, count, ranges } = part;
      const from = Math.max(0, ids.first - first);
      const own = { first: from, count: Math.min(count, ids.first + ids.count - first) - from };
      if (own.count <= 0) continue;
      const check = new BoxCheck({ name: component.name, first, count }, component, box);
      for await (const whole of blocksOf(part, own, scenario, { crew, pause, block: most })) {
        requireFiniteParticles(whole, ranges, first);
        const centre = isCentred(part) ? recentred(whole, part, box.size) : undefined;
        const end = Math.min(whole.first + whole.count, own.first + own.count);
        for (let at = Math.max(whole.first, own.first); at < end; at += most) {
          const block = blockOfShare(whole, { first: at, count: Math.min(most, end - at) })!;
          const inside = check.look({ ...block, first: at });
          centre?.(block);
          if (box.boundary === "periodic") wrap(block, box.size);
          if (inside) yield { ...block, first: first + at };
          await pause(first + at + block.count);
        }
      }
      const alone = scenario.time.clock === "comoving" && parts.length === 1 && isFromFile(component);
      if (alone && count > 1) check.requireSpread();
      done(part, check);
    }
  } finally {
    crew?.dismiss();
    release(parts);
  }
  options.onProgress?.(ids.count, ids.count);
}

/** Tracers pull nothing along, and a few of them aren't a sample of anything. */
const isCentred = ({ particles, component: { centre, mass } }: SourcePart) =>
  centre === true && mass !== 0 && !("blocks" in particles);

/** The groups of a component's particles that are each at rest, of those that have any of `own`. */
function groupsOf(count: number, own: IdRange): IdRange[] {
  const groups = Math.max(1, Math.floor(count / BLOCK));
  const start = (group: number) => Math.floor((group * count) / groups);
  return Array.from({ length: groups }, (_, k) => ({ first: start(k), count: start(k + 1) - start(k) })).filter(
    (one) => one.first < own.first + own.count && one.first + one.count > own.first,
  );
}

/** Mean of positions or velocities [3·count] by axis, less what they are of a particle at rest at the component's centre. */
function meanOf(values: Float32Array | Float64Array, rest: ArrayLike<number>): number[] {
  return [0, 1, 2].map((k) => {
    let sum = 0;
    for (let i = k; i < values.length; i += 3) sum += values[i] - rest[k];
    return (3 * sum) / values.length;
  });
}

/** Takes the noise of a sample's mean from each of its blocks. */
function recentred({ positions, velocities }: SourceBlock, { component, index, frame }: SourcePart, boxSize: number) {
  const rest = roomFor(3, 64);
  drawingOf((_, point) => point.fill(0), component, index, boxSize, frame)(rest, 0, 1);
  const [place, drift] = [meanOf(positions, rest.positions), meanOf(velocities, rest.velocities)];
  return (block: SourceBlock) => {
    for (let i = 0; i < 3 * block.count; i++) {
      block.positions[i] -= place[i % 3];
      block.velocities[i] -= drift[i % 3];
    }
  };
}

/** Blocks of one component, ids from 0; of drawn ones those of `own`, and all of any group that has some of them. */
async function* blocksOf(
  part: SourcePart,
  own: IdRange,
  scenario: InitialSettings,
  { crew, pause, block }: { crew: WorkerPool | undefined; pause: Pause; block: number },
): AsyncGenerator<SourceBlock> {
  const { component, index, first, particles, frame } = part;
  if ("blocks" in particles) {
    for await (const one of particles.blocks()) yield frame ? blockInFrame(one, frame, scenario.box.size) : one;
    return;
  }
  const ranges = isCentred(part)
    ? groupsOf(part.count, own)
    : Array.from(blockRanges(own.count, block), (range) => ({ ...range, first: own.first + range.first }));
  if (crew) {
    yield* drawnByCrew(crew, index, ranges);
    return;
  }
  const draw = drawingOf(particles, component, index, scenario.box.size, frame);
  const { positions, velocities } = roomFor(3 * Math.max(...ranges.map((range) => range.count)), bitsOf(scenario));
  for (const range of ranges) {
    for (const { first: at, count: n } of blockRanges(range.count, CHUNK)) {
      const into = { positions: positions.subarray(3 * at), velocities: velocities.subarray(3 * at) };
      draw(into, range.first + at, n);
      await pause(first + range.first + at + n);
    }
    const end = 3 * range.count;
    yield { ...range, positions: positions.subarray(0, end), velocities: velocities.subarray(0, end) };
  }
}

/** Into [0, L): what an offset has moved out, and coordinates of exactly L. */
function wrap({ positions, count }: SourceBlock, boxSize: number): void {
  for (let k = 0; k < 3 * count; k++) {
    const wrapped = positions[k] - boxSize * Math.floor(positions[k] / boxSize);
    positions[k] = wrapped < boxSize ? wrapped : 0;
  }
}

type Pause = (until: number) => Promise<void>;

/** Lets the event loop run, reports progress and looks at the abort signal, every YIELD_MS. */
function pauses(options: InitialConditionsOptions, ids: IdRange): Pause {
  let last = performance.now();
  return async (until) => {
    const [done, total] = [until - ids.first, ids.count];
    if (options.signal?.aborted) {
      throw new GravmeshError("aborted", `initial conditions: aborted after ${done} of ${total} particles`);
    }
    if (performance.now() - last < YIELD_MS) return;
    options.onProgress?.(done, total);
    await new Promise((resolve) => setTimeout(resolve, 0));
    last = performance.now();
  };
}
