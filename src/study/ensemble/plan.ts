/** The members of an ensemble from a deck and what varies; every member's deck is checked before anything runs. */
import { basename, resolve } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { version } from "../../foundation/base/version.ts";
import { cut } from "../../foundation/deck/problems.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { withStandardInput } from "../../run/io/standard-input.node.ts";
import { deckTextIn, filesOf, loadScenario, scenarioFile } from "../../run/scenario-source.ts";
import { memoryEstimate } from "../../scenario/estimate.ts";
import { wholeNumbersIn } from "../../scenario/parse.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { ENSEMBLE_FORMAT, type Ensemble, type Member, type VariedKey, type VariedValue } from "./ensemble.ts";
import { enumerated, latinHypercube, MOST_MEMBERS, variedKeyOf, variedValue } from "./variation.ts";

export interface PlanRequest {
  scenario: string;
  /** key=value of all members. */
  overrides: readonly string[];
  vary: readonly string[];
  /** As many members, spread over the ranges; every combination when left out. */
  latin?: number | undefined;
  latinSeed: number;
  backend: Ensemble["backend"];
  extension?: readonly string[] | undefined;
}

export type Plan = Awaited<ReturnType<typeof planOf>>;

const EXAMPLE = "--vary seed=1..16";
const LONGEST_VALUE = 40;

export const overridesOfMember = ({ overrides }: Pick<Ensemble, "overrides">, { values }: Member): string[] => [
  ...overrides,
  ...Object.entries(values).map(([key, value]) => `${key}=${value}`),
];

export function valueText(value: VariedValue): string {
  if (typeof value !== "number") return cut(String(value), LONGEST_VALUE);
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

/** "seed = 3, mesh.cells = 64". */
export const valuesText = ({ values }: Pick<Member, "values">): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} = ${valueText(value)}`)
    .join(", ");

/** `memory`: what a member holds at most [bytes]. Throws "usage", or "scenario" that says which member's deck is wrong, and how. */
export async function planOf(request: PlanRequest, signal?: AbortSignal) {
  const extensions = (request.extension ?? []).map((file) => resolve(file));
  await loadExtensions(extensions);
  const file = await withStandardInput(signal, () => scenarioFile(request.scenario));
  const deck = deckTextIn(file);
  const varied = variedKeys(request, deck, file);
  const sampling: Ensemble["sampling"] =
    request.latin === undefined ? { kind: "grid" } : { kind: "latin", members: request.latin, seed: request.latinSeed };
  const members = membersOf(varied, sampling);
  const { scenario: argument, overrides, backend } = request;
  const filesFrom = resolve(filesOf(argument, file));
  const load = (member: Member) => loadScenario(argument, overridesOfMember({ overrides }, member), filesFrom);
  const { title, memory } = checkMembers(members, load);
  const ensemble: Ensemble = {
    ...{ format: ENSEMBLE_FORMAT, version, title, scenario: argument, filesFrom },
    ...{ backend, extensions, overrides, varied, sampling, members },
  };
  return { ensemble, deck, name: basename(file, ".toml"), memory };
}

function variedKeys({ vary, latin }: PlanRequest, deck: string, file: string): VariedKey[] {
  if (vary.length === 0) {
    throw new GravmeshError("usage", `What do the members differ in? Say it with --vary, as in ${EXAMPLE}.`);
  }
  const varied = vary.map((text) => variedKeyOf(text, (key) => wholeNumbersIn(deck, key, file)));
  const keys = varied.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) {
    throw new GravmeshError("usage", `${twice} varies twice; give all its values in one list, --vary ${twice}=a,b.`);
  }
  if (latin !== undefined) return varied;
  return varied.map((one) => (one.range?.whole === false ? { key: one.key, values: enumerated(one) } : one));
}

/** Every combination, the last key varying fastest; or a Latin hypercube. Throws "usage" for too many. */
export function membersOf(varied: readonly VariedKey[], sampling: Ensemble["sampling"]): Member[] {
  const count =
    sampling.kind === "latin" ? sampling.members : varied.reduce((product, one) => product * enumerated(one).length, 1);
  if (count > MOST_MEMBERS) {
    const most = `expected at most ${MOST_MEMBERS}`;
    throw new GravmeshError("usage", `${count} members: ${most}. Take fewer values, or --latin.`);
  }
  const rows =
    sampling.kind === "latin"
      ? latinHypercube(count, varied.length, sampling.seed).map((places) =>
          places.map((at, k) => variedValue(varied[k], at)),
        )
      : varied
          .map(enumerated)
          .reduce<VariedValue[][]>(
            (found, values) => found.flatMap((row) => values.map((value) => [...row, value])),
            [[]],
          );
  return rows.map((row, index) => ({
    index,
    folder: `member_${String(index).padStart(3, "0")}`,
    values: Object.fromEntries(row.map((value, k) => [varied[k].key, value])),
  }));
}

/** Reads every member's deck. Throws "scenario" for the first that is wrong, "usage" for two that are the same run. */
function checkMembers(members: readonly Member[], load: (member: Member) => { scenario: Scenario }) {
  const wrong: { member: Member; message: string }[] = [];
  const seen = new Map<string, Member>();
  let [title, memory] = ["", 0];
  for (const member of members) {
    let scenario: Scenario;
    try {
      scenario = load(member).scenario;
    } catch (error) {
      if (!(error instanceof GravmeshError)) throw error;
      wrong.push({ member, message: error.message });
      continue;
    }
    if (title === "") title = scenario.title;
    memory = Math.max(memory, memoryEstimate(scenario).total);
    const { title: _, reference, expect, changed, ...physics } = scenario;
    const content = JSON.stringify(physics);
    const same = seen.get(content);
    if (same) {
      throw new GravmeshError(
        "usage",
        `Members ${same.index} (${valuesText(same)}) and ${member.index} (${valuesText(member)}) would be the same run: ` +
          "nothing that is computed follows from what varies.",
      );
    }
    seen.set(content, member);
  }
  if (wrong.length === 0) return { title, memory };
  const [{ member, message }] = wrong;
  const others = wrong.length > 1 ? ` Of ${members.length} members ${wrong.length} are wrong; this is the first.` : "";
  throw new GravmeshError(
    "scenario",
    `Member ${member.index} (${valuesText(member)}): ${message}\nNothing was started.${others}`,
  );
}
