/** What is wrong with a deck that is edited, how large it is, and what of it a slider can change. */

import type { GpuContext } from "../../gpu/context.ts";
import { isFromFile, sampledCount } from "../../initial/components.ts";
import { memoryEstimate } from "../../scenario/estimate.ts";
import { parseScenario } from "../../scenario/parse.ts";
import type { DeckCheck, Problem } from "../stage.ts";
import { requireRoom, tabLimits } from "./fit.ts";
import { problemsIn } from "./problem.ts";
import { slidersOf } from "./sliders.ts";

/** Checks a deck that is to run on `gpu`, or on the CPU without. */
export function checkDeck(text: string, overrides: readonly string[], gpu: GpuContext | undefined): DeckCheck {
  const parsed = (entries: readonly string[]) => tried(() => parseScenario(text, { file: "deck", overrides: entries }));
  const { made: scenario, problems } = parsed(overrides);
  if (!scenario) {
    // Sliders stay where one of them is what is wrong.
    const before = overrides.length > 0 ? parsed([]).made : undefined;
    return { problems, sliders: before ? slidersOf(text, [], before) : [] };
  }
  const { gravity, mesh, title } = scenario;
  return {
    problems: tried(() => requireRoom(scenario, gpu)).problems,
    title,
    // What files hold is known when they are read.
    ...(!scenario.particles.some(isFromFile) && { particles: sampledCount(scenario) }),
    ...(gravity === "mesh" && { cells: mesh.cells }),
    bytes: memoryEstimate(scenario, gpu && tabLimits(gpu)).total,
    sliders: slidersOf(text, overrides, scenario),
  };
}

/** What work makes, or the problems for which it can't. */
function tried<T>(work: () => T): { made?: T; problems: Problem[] } {
  try {
    return { made: work(), problems: [] };
  } catch (error) {
    return { problems: problemsIn(error) };
  }
}
