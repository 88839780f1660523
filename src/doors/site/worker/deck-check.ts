/** What is wrong with a deck that is edited, how large it is, and what of it a slider can change. */

import { parse } from "smol-toml";
import type { z } from "zod";
import { solverTableNames } from "../../../engine/mesh/poisson/poisson-methods.ts";
import { isTable, type KeyInfo, keyInfo, type RawTable } from "../../../foundation/deck/keys.ts";
import { namesOf, schemaOf, tablesOf } from "../../../foundation/deck/kinds.ts";
import { type UnitSystem, unitSystem } from "../../../foundation/deck/units.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { isFromFile, sampledCount } from "../../../physics/initial/components.ts";
import { memoryEstimate } from "../../../scenario/estimate.ts";
import { outputTableNames } from "../../../scenario/output-tables.ts";
import { applyOverrides } from "../../../scenario/overrides.ts";
import { parseScenario } from "../../../scenario/parse.ts";
import { arraySections, type Scenario, type Shape, sections } from "../../../scenario/scenario.ts";
import type { DeckCheck, DeckSlider, StageProblem } from "../stage.ts";
import { requireFit, tabLimits } from "./fit.ts";
import { isForkable } from "./fork.ts";
import { problemsIn } from "./problem.ts";
import { rangeOf, unitOf } from "./vocabulary.ts";

export function checkDeck(text: string, overrides: readonly string[], gpu: GpuContext | undefined): DeckCheck {
  const parsed = (entries: readonly string[]) => tried(() => parseScenario(text, { file: "deck", overrides: entries }));
  const { made: scenario, problems } = parsed(overrides);
  if (!scenario) {
    // Sliders stay where one of them is what is wrong.
    const before = overrides.length > 0 ? parsed([]).made : undefined;
    return { problems, sliders: before ? slidersOf(text, [], before) : [] };
  }
  const { gravity, mesh } = scenario;
  return {
    problems: tried(() => requireFit(scenario, gpu)).problems,
    // What files hold is known when they are read.
    ...(!scenario.particles.some(isFromFile) && { particles: sampledCount(scenario) }),
    ...(gravity !== "direct" && { cells: mesh.cells }),
    bytes: memoryEstimate(scenario, gpu && tabLimits(gpu)).total,
    sliders: slidersOf(text, overrides, scenario),
  };
}

function tried<T>(work: () => T): { made?: T; problems: StageProblem[] } {
  try {
    return { made: work(), problems: [] };
  } catch (error) {
    return { problems: problemsIn(error) };
  }
}

/** Tables whose numbers say what is written, or how a solver is built. */
const LEFT_OUT: readonly string[] = ["units", ...outputTableNames, ...solverTableNames];
/** Keys that a slider can't set to any number between two, or that no slider is useful for. */
const NO_SLIDERS: readonly string[] = ["mesh.cells", "time.start", "time.maxEnergyError", "box.size"];
const SEED = "seed";

const TENFOLD = 10;
/** Particles that a page moves well, and too few to see anything. */
const [FEWEST, MOST] = [100, 4_000_000];

/** Sliders of the numbers that a deck's author wrote, as far as the schema allows, and ten times more or less at most. */
function slidersOf(text: string, overrides: readonly string[], scenario: Scenario): DeckSlider[] {
  const deck = parse(text) as RawTable;
  applyOverrides(overrides, deck);
  const complete: Readonly<Record<string, unknown>> = { ...scenario };
  const system = unitSystem(scenario.units.system);
  const about = { system, boxSize: scenario.box.size };
  const tables = Object.entries(sections).flatMap(([name, { shape }]) => {
    const [written, values] = [deck[name], complete[name]];
    if (LEFT_OUT.includes(name) || !isTable(written) || !isTable(values)) return [];
    return slidersIn(name, { written, values, shape }, about);
  });
  const arrays = arraySections.flatMap(({ name: section }, at) => {
    const written = tablesOf(deck, section);
    const values = tablesOf({ ...complete }, section);
    const names = namesOf(written);
    return written.flatMap((table, index) => {
      const shape = schemaOf(arraySections[at], table)?.shape;
      if (!shape || !values[index]) return [];
      // By name, as people write overrides: the same number has one path.
      return slidersIn(`${section}.${names[index]}`, { written: table, values: values[index], shape }, about);
    });
  });
  return [...arrays, ...tables];
}

interface Written {
  written: RawTable;
  values: RawTable;
  shape: Shape;
}

interface About {
  system: UnitSystem;
  boxSize: number;
}

function slidersIn(path: string, { written, values, shape }: Written, about: About): DeckSlider[] {
  const name = path.slice(path.indexOf(".") + 1);
  return Object.keys(written).flatMap((key) => {
    const [schema, value] = [shape[key], values[key]];
    const info = schema && keyInfo(schema);
    const full = `${path}.${key}`;
    if (!info || typeof value !== "number" || !Number.isFinite(value)) return [];
    if (NO_SLIDERS.includes(full) || key === SEED) return [];
    const range = sliderRange(key, value, { schema, info }, about);
    if (!(range.most > range.least)) return [];
    const unit = unitOf(info, about.system);
    return [
      {
        ...{ path: full, label: `${name} ${spoken(key)}`, meaning: info.meaning, value, ...range },
        ...(unit !== undefined && unit !== "" && { unit }),
        integer: info.integer ?? false,
        ...(isForkable(path.split(".")[0], key) && { later: true }),
      },
    ];
  });
}

/** "scaleLength" → "scale length", "toomreQ" → "toomre Q" */
const spoken = (key: string) =>
  key.replace(/([a-z])([A-Z])([a-z]?)/g, (_, a: string, b: string, c: string) => `${a} ${c ? b.toLowerCase() : b}${c}`);

function sliderRange(
  key: string,
  value: number,
  { schema, info }: { schema: z.ZodType; info: KeyInfo },
  { boxSize }: About,
): { least: number; most: number } {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, above } = rangeOf(schema);
  const within = (low: number, high: number) => ({ least: Math.max(least, low), most: Math.min(most, high) });
  if (info.unit === "degrees") return within(Math.min(-180, value), Math.max(180, value));
  if (key === "count") return within(Math.min(FEWEST, value), Math.max(Math.min(MOST, TENFOLD * value), value));
  const bounded = Number.isFinite(least) && Number.isFinite(most) && most - least <= 1000;
  if (bounded) return within(least, most);
  const size = Math.abs(value);
  const farthest = info.unit === "length" ? boxSize : Number.POSITIVE_INFINITY;
  if (above === 0 || (least === 0 && size > 0)) {
    const low = info.integer ? Math.max(1, Math.floor(size / TENFOLD)) : least === 0 ? 0 : size / TENFOLD;
    return within(low, Math.max(size, Math.min(farthest, TENFOLD * size)));
  }
  const reach = size > 0 ? 2 * size : info.unit === "length" ? boxSize / 2 : 1;
  return within(-reach, reach);
}
