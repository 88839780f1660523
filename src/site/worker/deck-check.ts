/** What is wrong with a deck that is edited, how large it is, and what of it a slider can change. */

import type { GpuContext } from "../../gpu/context.ts";
import { isFromFile, sampledCount } from "../../initial/components.ts";
import { memoryEstimate } from "../../scenario/estimate.ts";
import { parseScenario } from "../../scenario/parse.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { DeckCheck, Problem } from "../stage.ts";
import { requireRoom, tabLimits } from "./fit.ts";
import { problemsIn } from "./problem.ts";
import { slidersOf } from "./sliders.ts";

/** Checks a deck that is to run on `gpu`, or on the CPU without. */
export function checkDeck(text: string, overrides: readonly string[], gpu: GpuContext | undefined): DeckCheck {
  const { scenario, problems } = parsed(text, overrides);
  if (!scenario) {
    // Sliders stay where one of them is what is wrong.
    const before = overrides.length > 0 ? parsed(text, []).scenario : undefined;
    return { problems, sliders: before ? slidersOf(text, [], before) : [] };
  }
  const { gravity, mesh, title } = scenario;
  return {
    problems: roomProblems(scenario, gpu),
    title,
    // What files hold is known when they are read.
    ...(!scenario.particles.some(isFromFile) && { particles: sampledCount(scenario) }),
    ...(gravity === "mesh" && { cells: mesh.cells }),
    bytes: memoryEstimate(scenario, gpu && tabLimits(gpu)).total,
    sliders: slidersOf(text, overrides, scenario),
  };
}

function parsed(text: string, overrides: readonly string[]): { scenario?: Scenario; problems: Problem[] } {
  try {
    return { scenario: parseScenario(text, { file: "deck", overrides }), problems: [] };
  } catch (error) {
    return { problems: problemsIn(error) };
  }
}

function roomProblems(scenario: Scenario, gpu: GpuContext | undefined): Problem[] {
  try {
    requireRoom(scenario, gpu);
    return [];
  } catch (error) {
    return problemsIn(error);
  }
}
