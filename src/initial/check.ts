/**
 * What initial conditions must satisfy before anything is evolved: finite numbers, masses that are not negative,
 * every particle inside the box, a mass in all that gravity can be computed of and, in an expanding box, that of its
 * matter. Messages name the component, the particle and what to try.
 */
import { type CosmologySettings, matterOf } from "../cosmology/settings.ts";
import { shortest } from "../deck/problems.ts";
import { GravmeshError } from "../errors.ts";
import type { BoxSettings } from "../particles/box.ts";
import { LARGEST_IMAGE } from "../particles/fixed-point.ts";
import type { ComponentRange, ParticleSet } from "../particles/state.ts";
import type { ModelComponent } from "./model.ts";
import { modelOf } from "./models.ts";

const AXES = ["x", "y", "z"];

/** Throws an "input" error that names the first number that is not finite, or the first negative mass. */
export function requireFinite(particles: ParticleSet, { name, first, count }: ComponentRange): void {
  const { positions, velocities, masses } = particles;
  const fail = (id: number, expected: string, quantity: string, found: number): never => {
    throw new GravmeshError(
      "input",
      `initial conditions, component "${name}", particle ${id}: expected ${expected}, found ${quantity} = ${found}. ` +
        "Check the parameters of this component, or the file it is read from.",
    );
  };
  const require = (id: number, value: number, quantity: string, axis = "") => {
    if (!Number.isFinite(value)) fail(id, "a finite number", quantity + axis, value);
  };
  for (let id = first; id < first + count; id++) {
    for (let axis = 0; axis < 3; axis++) {
      require(id, positions[3 * id + axis], "position ", AXES[axis]);
      require(id, velocities[3 * id + axis], "velocity ", AXES[axis]);
    }
    require(id, masses[id], "mass");
    if (masses[id] < 0) fail(id, "a mass that is not negative", "mass", masses[id]);
  }
}

/** Squares of speeds are formed in float32 [velocity]. */
const LARGEST_SPEED = 1e18;
/** Of G M/L, the potential that a run is about [velocity²]: with room for sums of squares within float32. */
const POTENTIALS: readonly [least: number, most: number] = [1e-30, 1e30];

/** Throws "input" for masses, lengths and speeds whose forces and energies no run could hold. */
export function requirePlausible({ count, masses, velocities }: ParticleSet, box: BoxSettings, G: number): void {
  const fail = (expected: string, found: string, hint: string): never => {
    throw new GravmeshError("input", `initial conditions: expected ${expected}, found ${found}. ${hint}`);
  };
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  if (total === 0 && count > 0) {
    fail("particles with mass", `${count} whose masses are all 0`, "Are the masses in the file?");
  }
  const potential = (G * total) / box.size;
  const [least, most] = POTENTIALS;
  if (!(potential >= least && potential <= most)) {
    const found = `${shortest(potential)} for the mass ${shortest(total)} and box.size = ${shortest(box.size)}`;
    fail(`G · mass / box.size from ${least} to ${most}`, found, "Check the units of masses and lengths.");
  }
  for (let k = 0; k < 3 * count; k++) {
    if (Math.abs(velocities[k]) <= LARGEST_SPEED) continue;
    const found = `particle ${Math.floor(k / 3)} with velocity ${AXES[k % 3]} = ${velocities[k]}`;
    fail(`speeds up to ${LARGEST_SPEED.toExponential()}`, found, "Check the unit of velocities.");
  }
}

/** What an expanding box holds and what it should, apart from the rounding of other codes' constants. */
const SAME_MATTER = 3e-3;

/** Throws "input" unless particles that were read from files, with what else there is, are the matter of the box. */
export function requireMatter({ masses }: ParticleSet, box: BoxSettings, { omegaM }: CosmologySettings): void {
  const expected = matterOf(omegaM, box.size);
  const found = masses.reduce((sum, mass) => sum + mass, 0);
  if (Math.abs(found / expected - 1) <= SAME_MATTER) return;
  throw new GravmeshError(
    "input",
    `initial conditions: expected the matter of cosmology.omegaM = ${shortest(omegaM)} in a box of ${shortest(box.size)} Mpc/h, ` +
      `${shortest(expected)} · 1e10 Msun/h in all, found ${shortest(found)}, ${shortest(found / expected)} of it. ` +
      `Is a component missing, or are masses in another unit? They are those of omegaM = ${shortest((omegaM * found) / expected)}.`,
  );
}

/** Throws "input" for a particle farther from an isolated box than can be kept account of. */
function requireReach(
  { positions }: ParticleSet,
  { name, first, count }: Omit<ComponentRange, "species">,
  { size }: BoxSettings,
): void {
  for (let k = 3 * first; k < 3 * (first + count); k++) {
    if (Math.abs(Math.floor(positions[k] / size)) <= LARGEST_IMAGE) continue;
    throw new GravmeshError(
      "input",
      `initial conditions, component "${name}": expected positions at most ${LARGEST_IMAGE} boxes of ${shortest(size)} away, ` +
        `found particle ${Math.floor(k / 3)} at ${AXES[k % 3]} = ${positions[k]}. ` +
        "Check the unit of lengths, or try a larger box.size.",
    );
  }
}

/** What rounding may add to a coordinate at the face of a periodic box, in sides of the box. */
const ROUNDING = 1e-6;
/** In files: codes wrap positions now and then, and particles drift on meanwhile. */
const NOT_YET_WRAPPED = 1e-2;
/** A coordinate this many boxes away is in another unit of length, and a larger box no remedy. */
const OTHER_UNIT = 10;

/**
 * Throws where particles of a component lie outside [0, L): how many, the first of them, what to try.
 * An isolated run may be continued from a snapshot with particles that have already left the box. In a periodic box
 * each coordinate has to be inside before the offset or after it: an offset may wrap, and it may centre what a file has
 * about its own origin; anything else is no position in this box.
 */
export function requireInsideBox(
  particles: ParticleSet,
  range: Omit<ComponentRange, "species">,
  component: ModelComponent,
  box: BoxSettings,
): void {
  const { positions } = particles;
  const fromFile = component.count === undefined;
  const periodic = box.boundary === "periodic";
  if (fromFile && !periodic) {
    requireReach(particles, range, box);
    return;
  }
  const slack = (fromFile ? NOT_YET_WRAPPED : ROUNDING) * box.size;
  const about = (x: number) => x >= -slack && x <= box.size + slack;
  let outside = 0;
  let first = -1;
  let farthest = 0;
  for (let id = range.first; id < range.first + range.count; id++) {
    let inside = true;
    for (let axis = 0; axis < 3; axis++) {
      const position = positions[3 * id + axis];
      const unmoved = periodic ? position - component.offset[axis] : position;
      if (periodic ? about(unmoved) || about(position) : position >= 0 && position < box.size) continue;
      inside = false;
      farthest = Math.max(farthest, 2 * Math.abs(unmoved - 0.5 * box.size));
    }
    if (inside) continue;
    if (outside === 0) first = id;
    outside++;
  }
  if (outside === 0) return;
  const at = Array.from(positions.subarray(3 * first, 3 * first + 3), (value) => Number(value.toPrecision(6)));
  const advice =
    fromFile && farthest > OTHER_UNIT * box.size
      ? "Check the unit of lengths in the file"
      : `Try box.size = ${nextUp(farthest)} or more${remedy(component)}`;
  throw new GravmeshError(
    fromFile ? "input" : "scenario",
    `initial conditions, component "${range.name}": expected all ${range.count} particles inside the box [0, ${box.size})³, ` +
      `found ${outside} outside, the first being particle ${first} at (${at.join(", ")}). ` +
      `${advice}${centring(particles, range, component, box)}.`,
  );
}

/** Three digits, rounded up. */
function nextUp(value: number): string {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return ((Math.floor(value / unit) + 1) * unit).toPrecision(3);
}

function remedy(component: ModelComponent): string {
  if (component.count === undefined) return " (that of the run that wrote the file)";
  const lower = modelOf(component).extent?.keys.map((key) => `a lower ${key} (now ${component[key]})`);
  return lower ? `, ${lower.join(", ")} or an offset nearer to the centre` : "";
}

/** For a file whose particles would fit the box: the offset that moves their middle to its centre. */
function centring(
  { positions }: ParticleSet,
  { first, count }: Omit<ComponentRange, "species">,
  { count: drawn, offset }: ModelComponent,
  { size }: BoxSettings,
): string {
  if (drawn !== undefined) return "";
  const moved = [0, 1, 2].map((axis) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let id = first; id < first + count; id++) {
      low = Math.min(low, positions[3 * id + axis]);
      high = Math.max(high, positions[3 * id + axis]);
    }
    return high - low <= size ? shortest(offset[axis] + 0.5 * (size - low - high)) : undefined;
  });
  return moved.includes(undefined) ? "" : `, or offset = [${moved.join(", ")}], which centres them`;
}
