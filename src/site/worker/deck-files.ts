/** What a deck reads besides itself, in a page: files that were given with it, by name. */
import { GravmeshError } from "../../errors.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { SimulationOptions } from "../../simulation.ts";

/** A deck's name of a file without its folder. */
const bare = (name: string) => name.split(/[\\/]/).at(-1) ?? name;

function found(name: string, files: readonly File[]): File {
  const file = files.find((one) => one.name === bare(name));
  if (file) return file;
  const there = files.length > 0 ? `: there are ${files.map((one) => one.name).join(", ")}` : "";
  throw new GravmeshError(
    "input",
    `the deck reads the file ${bare(name)}, which the page doesn't have${there}. Drop it onto the page together with the deck`,
  );
}

export function pageFiles(
  _scenario: Scenario,
  files: readonly File[],
): Pick<SimulationOptions, "loadText" | "loadSnapshot"> {
  return {
    loadText: (name) => found(name, files).text(),
  };
}
