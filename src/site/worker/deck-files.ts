/** What a deck reads besides itself, in a page: files that were given with it, by name. */
import { GravmeshError } from "../../base/errors.ts";
import { partOfName } from "../../io/snapshot-parts.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { SimulationOptions } from "../../simulation/simulation.ts";

const bare = (name: string) => name.split(/[\\/]/).at(-1) ?? name;

function found(name: string, files: readonly File[]): File {
  const wanted = bare(name);
  const file = files.find((one) => one.name === wanted) ?? files.find((one) => partOfName(one.name)?.whole === wanted);
  if (file) return file;
  const there = files.length > 0 ? `: there are ${files.map((one) => one.name).join(", ")}` : "";
  throw new GravmeshError(
    "input",
    `the deck reads the file ${wanted}, which the page doesn't have${there}. Drop it onto the page together with the deck`,
  );
}

export function pageFiles(
  { units, time, cosmology }: Scenario,
  files: readonly File[],
): Pick<SimulationOptions, "loadText" | "loadSnapshot"> {
  const comoving = time.clock === "comoving";
  const reading = { units: units.system, comoving, ...(comoving && { scaleFactor: time.start, h: cosmology.h }) };
  return {
    loadText: async (name) => found(name, files).text(),
    loadSnapshot: async (name, as) => {
      const file = found(name, files);
      const { droppedSnapshot } = await import("./dropped-snapshots.ts");
      return droppedSnapshot(files, file.name, { ...reading, ...(as && { as }) });
    },
  };
}
