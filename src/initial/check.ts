/**
 * What initial conditions must satisfy before anything is evolved: finite numbers, masses that are not negative,
 * every particle inside the box. Messages name the component, the particle and what to try.
 */
import { shortest } from "../deck/problems.ts";
import { GravmeshError } from "../errors.ts";
import type { BoxSettings } from "../particles/box.ts";
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

/** What rounding may add to a coordinate at the face of a periodic box, in sides of the box. */
const ROUNDING = 1e-6;

/**
 * Throws where particles of a component lie outside [0, L): how many, the first of them, what to try.
 * An isolated run may be continued from a snapshot with particles that have already left the box. In a periodic box
 * each coordinate has to be inside before the offset or after it: an offset may wrap, and it may centre what a file has
 * about its own origin; anything else is no position in this box.
 */
export function requireInsideBox(
  particles: ParticleSet,
  range: ComponentRange,
  component: ModelComponent,
  box: BoxSettings,
): void {
  const { positions } = particles;
  const fromFile = component.count === undefined;
  const periodic = box.boundary === "periodic";
  if (fromFile && !periodic) return;
  const slack = ROUNDING * box.size;
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
  throw new GravmeshError(
    fromFile ? "input" : "scenario",
    `initial conditions, component "${range.name}": expected all ${range.count} particles inside the box [0, ${box.size})³, ` +
      `found ${outside} outside, the first being particle ${first} at (${at.join(", ")}). ` +
      `Try box.size = ${nextUp(farthest)} or more${remedy(component)}${centring(particles, range, component, box)}.`,
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
  { first, count }: ComponentRange,
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
