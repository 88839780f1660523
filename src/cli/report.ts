/** What report.html is made from. */
import type { Simulation } from "../simulation.ts";
import type { ResultFolder } from "./result-folder.ts";
import type { Summary } from "./summary.ts";

export async function reportOf(folder: ResultFolder, simulation: Simulation, summary: Summary): Promise<string> {
  return `<!doctype html><title>${simulation.scenario.title}</title><pre>${JSON.stringify({ folder: folder.path, summary }, null, 2)}</pre>`;
}
