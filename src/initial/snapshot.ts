/**
 * Particles from a snapshot file as a component: the centre of the file's box, where it has one, goes to the centre of the
 * box, the offset is added to every position and the bulk velocity to every velocity; masses, species and order stay those of the file. Reading the file is the
 * caller's business (io/), so that this works in a page as well.
 */
import { filledText, required } from "../deck/keys.ts";
import { GravmeshError } from "../errors.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { ParticleSet } from "../particles/state.ts";
import { initialModel, type LoadedSnapshot, type ModelComponent, type SnapshotLoader } from "./model.ts";

export const snapshot = initialModel({
  name: "snapshot",
  meaning: "Particles read from a GADGET HDF5 snapshot",
  species: "stars",
  keys: {
    file: required(filledText, {
      meaning: "GADGET HDF5 file, relative to the deck; its masses and particle types are used",
    }),
  },
  files: ["file"],
  massesDiffer: () => true,
  async particles(component, { box, loadSnapshot }) {
    const loaded = await read(component, loadSnapshot);
    const { count, components } = loaded;
    return {
      count,
      ...(components.length > 1 && { ranges: components }),
      ...(components.length === 1 && { ranges: [{ ...components[0], name: component.name }] }),
      place: async (particles, first) => place(component, loaded, box, particles, first),
    };
  },
});

/** Throws a "usage" error without a loader and an "input" error for an empty or inconsistent file. */
async function read(
  { name, file }: { name: string; file: string },
  load: SnapshotLoader | undefined,
): Promise<LoadedSnapshot> {
  if (!load) {
    throw new GravmeshError(
      "usage",
      `component "${name}" is read from ${file}: expected a loadSnapshot option, found none. ` +
        "Pass initialConditions a function that reads the file.",
    );
  }
  const loaded = await load(file);
  const { count, positions, velocities, masses } = loaded;
  const found = `${count} particles, ${positions.length} coordinates, ${velocities.length} velocity components, ${masses.length} masses`;
  if (!(count > 0) || positions.length !== 3 * count || velocities.length !== 3 * count || masses.length !== count) {
    throw new GravmeshError(
      "input",
      `${file} (component "${name}"): expected N > 0 particles with 3N coordinates, 3N velocity ` +
        `components and N masses, found ${found}. The file may be truncated; try another snapshot.`,
    );
  }
  return loaded;
}

/** Copies the particles of the file to `particles` from id `first` on. */
function place(
  { offset, velocity }: ModelComponent,
  { boxSize, ...loaded }: LoadedSnapshot,
  box: BoxSettings,
  particles: ParticleSet,
  first: number,
): void {
  const boxShift = boxSize > 0 ? 0.5 * (box.size - boxSize) : 0;
  const shift = offset.map((distance) => boxShift + distance);
  for (let k = 0; k < 3 * loaded.count; k++) {
    particles.positions[3 * first + k] = loaded.positions[k] + shift[k % 3];
    particles.velocities[3 * first + k] = loaded.velocities[k] + velocity[k % 3];
  }
  particles.masses.set(loaded.masses, first);
}
