/**
 * Particles from a snapshot file as a component: the centre of the file's box goes to the centre of the box plus the
 * offset, the bulk velocity is added; masses, species and order stay those of the file. Reading the file is the
 * caller's business (io/), so that this works in a page as well.
 */
import { GravmeshError } from "../errors.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { ComponentRange, ParticleSet } from "../particles/state.ts";
import type { SnapshotComponent } from "./components.ts";

/** What a snapshot file holds, in deck units. */
export type LoadedSnapshot = ParticleSet & {
  /** Side of the box of the file [length]; 0 if the file has none: positions are then taken as they are. */
  boxSize: number;
  /** [time] */
  time: number;
};

export type SnapshotLoader = (file: string) => Promise<LoadedSnapshot>;

/** Throws a "usage" error without a loader and an "input" error for an empty or inconsistent file. */
export async function loadComponent(
  component: SnapshotComponent,
  load: SnapshotLoader | undefined,
): Promise<LoadedSnapshot> {
  if (!load) {
    throw new GravmeshError(
      "usage",
      `component "${component.name}" is read from ${component.file}: expected a loadSnapshot option, found none. ` +
        "Pass initialConditions a function that reads the file.",
    );
  }
  const loaded = await load(component.file);
  const { count, positions, velocities, masses } = loaded;
  const found = `${count} particles, ${positions.length} coordinates, ${velocities.length} velocity components, ${masses.length} masses`;
  if (!(count > 0) || positions.length !== 3 * count || velocities.length !== 3 * count || masses.length !== count) {
    throw new GravmeshError(
      "input",
      `${component.file} (component "${component.name}"): expected N > 0 particles with 3N coordinates, 3N velocity ` +
        `components and N masses, found ${found}. The file may be truncated; try another snapshot.`,
    );
  }
  return loaded;
}

/** Copies the particles of the file to `particles` from id `first` on, and returns their ranges of ids. */
export function placeSnapshot(
  component: SnapshotComponent,
  loaded: LoadedSnapshot,
  box: BoxSettings,
  particles: ParticleSet,
  first: number,
): ComponentRange[] {
  const boxShift = loaded.boxSize > 0 ? 0.5 * (box.size - loaded.boxSize) : 0;
  const shift = component.offset.map((offset) => boxShift + offset);
  // A periodic box of the same size has no preferred origin, and files may hold x = L.
  const wraps = box.boundary === "periodic" && loaded.boxSize === box.size;
  for (let k = 0; k < 3 * loaded.count; k++) {
    const shifted = loaded.positions[k] + shift[k % 3];
    const wrapped = wraps ? shifted - box.size * Math.floor(shifted / box.size) : shifted;
    particles.positions[3 * first + k] = wraps && wrapped >= box.size ? 0 : wrapped;
    particles.velocities[3 * first + k] = loaded.velocities[k] + component.velocity[k % 3];
  }
  particles.masses.set(loaded.masses, first);
  const whole = { name: component.name, species: component.species, first: 0, count: loaded.count };
  const ranges = loaded.components.length > 0 ? loaded.components : [whole];
  return ranges.map((range) => ({
    name: ranges.length === 1 ? component.name : range.name,
    species: range.species,
    first: first + range.first,
    count: range.count,
  }));
}
