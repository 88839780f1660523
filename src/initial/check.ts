/**
 * What initial conditions must satisfy before anything is evolved: finite numbers, masses that are not negative,
 * every particle inside the box. Messages name the component, the particle and what to try.
 */
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

/**
 * Throws where particles of a component lie outside [0, L): how many, the first of them, what to try.
 * An isolated run may be continued from a snapshot with particles that have already left the box.
 */
export function requireInsideBox(
  particles: ParticleSet,
  range: ComponentRange,
  component: ModelComponent,
  box: BoxSettings,
): void {
  const { positions } = particles;
  const fromFile = component.count === undefined;
  if (fromFile && box.boundary === "isolated") return;
  let outside = 0;
  let first = -1;
  let farthest = 0;
  for (let id = range.first; id < range.first + range.count; id++) {
    let inside = true;
    for (let axis = 0; axis < 3; axis++) {
      const position = positions[3 * id + axis];
      if (position >= 0 && position < box.size) continue;
      inside = false;
      farthest = Math.max(farthest, 2 * Math.abs(position - 0.5 * box.size));
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
      `Try box.size = ${nextUp(farthest)} or more${remedy(component)}.`,
  );
}

/** Three digits, rounded up. */
function nextUp(value: number): string {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return ((Math.floor(value / unit) + 1) * unit).toPrecision(3);
}

function remedy(component: ModelComponent): string {
  if (component.count === undefined) return " (the box of the run that wrote the file)";
  const lower = modelOf(component).extent?.keys.map((key) => `a lower ${key} (now ${component[key]})`);
  return lower ? `, ${lower.join(", ")} or an offset nearer to the centre` : "";
}
