/**
 * The deck of a run that goes on with other values: `--resume FOLDER key=value …`. A key may change only if nothing that was
 * computed or written depends on it; a run that gets a later end keeps the spacing of its outputs (engine/time/continued.ts).
 */

import { SAME_TIME, type Schedule } from "../engine/time/schedule.ts";
import { isTable, keyInfo } from "../foundation/deck/keys.ts";
import { schemaOf, tablesOf } from "../foundation/deck/kinds.ts";
import { displayPath, mismatch, type Path, type Problem, shortest, shown } from "../foundation/deck/problems.ts";
import type { ExternalPotential } from "../physics/potentials/potential.ts";
import { tomlValue } from "./deck.ts";
import { WRITTEN } from "./expectation.ts";
import { parseScenario } from "./parse.ts";
import { deckValue } from "./problems.ts";
import { deckOrder, headerTable, type Scenario, type Shape, sections } from "./scenario.ts";
import { scheduleOf } from "./timetables.ts";

/** How far a run has come, as its checkpoint says. */
interface Reached {
  step: number;
  output: number;
  /** Adaptive: ticks past it. */
  tick: number;
  /** Whose paths are read only once. */
  externalPotentials?: readonly Pick<ExternalPotential, "path">[];
}

/**
 * The deck `text` of a run, with overrides for its rest: keys that have other values than before, or why the run can't go on
 * so. Throws "scenario" where the deck would be none.
 */
export function continuation(
  text: string,
  { file, overrides, reached }: { file: string; overrides: readonly string[]; reached: Reached },
) {
  const before = parseScenario(text, { file });
  const wanted = parseScenario(text, { file, overrides });
  const [from, to] = [before.time.end, wanted.time.end];
  const paths = (reached.externalPotentials ?? []).flatMap(({ path }) => path ?? []);
  const known = Math.min(...paths.map(({ times }) => times[times.length - 1]));
  const differences = differencesOf(before, wanted);
  const problems = differences.flatMap(({ path, found, now, later }) => {
    const what = WRITTEN.includes(String(path[0]))
      ? "what it has written so far was written"
      : "it was computed so far";
    return later ? [] : [mismatch(path, `${shown(found)}, with which ${what}`, now)];
  });
  if (to < from) {
    const expected = `more than ${shortest(from)}, the end that the run's outputs are spread up to`;
    problems.push(mismatch(["time", "end"], expected, to, "Ctrl-C stops a run at any time, with a report"));
  }
  if (to !== from && before.potential.some(({ orbit, reflex }) => orbit || reflex)) {
    const expected = `${shortest(from)}, up to which the orbits of [[potential]] tables were found`;
    problems.push(mismatch(["time", "end"], expected, to, "Run the deck from the start to the later end"));
  } else if (to > known) {
    const expected = `at most ${shortest(known)}, where the path of a [[potential]] ends`;
    problems.push(mismatch(["time", "end"], expected, to, "Run the deck from the start with a longer path"));
  }
  if (problems.length > 0) return { scenario: before, changes: [], problems };
  const ends = `time.continued=${tomlValue([...before.time.continued, from])}`;
  const scenario = to > from ? parseScenario(text, { file, overrides: [...overrides, ends] }) : wanted;
  const changes = differences.map(({ path, found, now }) => ({
    key: displayPath(path),
    ...{ before: shown(found), now: shown(now) },
  }));
  return { scenario, changes, problems: pastProblems(scheduleOf(before), scheduleOf(scenario), reached) };
}

/** Keys that a run may go on with other values of, as they are written. */
export function laterKeys(): string[] {
  const of = (shape: Shape, prefix: string) =>
    Object.entries(shape).flatMap(([key, schema]) => (keyInfo(schema)?.later ? [`${prefix}${key}`] : []));
  const tables = Object.entries(sections).flatMap(([name, { shape }]) => of(shape, `${name}.`));
  return [...of(headerTable.shape, ""), ...tables];
}

/** The keys that two decks with the same tables have other values of; `later`: they may. */
export function differencesOf(before: Scenario, now: Scenario) {
  const between = (one: object, other: object, shape: Shape, at: Path) =>
    Object.entries(shape).flatMap(([key, schema]) => {
      const [found, next] = [one, other].map((table) => deckValue(table, [key]));
      if (sameValue(found, next)) return [];
      return [{ path: [...at, key] as Path, found, now: next, later: keyInfo(schema)?.later ?? false }];
    });
  const tables = deckOrder.flatMap((section) => {
    if (typeof section === "string") return between(before[section], now[section], sections[section].shape, [section]);
    const [olds, news] = [before, now].map((scenario) => tablesOf({ ...scenario }, section.name));
    return olds.flatMap((table, index) => {
      const at = [section.name, index];
      const other = news[index];
      if (table.kind !== other.kind) {
        return [{ path: [...at, "kind"], found: table.kind, now: other.kind, later: false }];
      }
      return between(table, other, schemaOf(section, table)?.shape ?? {}, at);
    });
  });
  return [...between(before, now, headerTable.shape, []), ...tables];
}

const sameValue = (one: unknown, other: unknown): boolean =>
  isTable(one) && isTable(other) ? JSON.stringify(one) === JSON.stringify(other) : tomlValue(one) === tomlValue(other);

/** Outputs that were written have to be those of the new schedule, and no other may have been due. */
function pastProblems(before: Schedule, now: Schedule, { step, output, tick }: Reached): Problem[] {
  for (const [index, { time, step: at, index: _, ...kinds }] of before.outputs.slice(0, output + 1).entries()) {
    const other = now.outputs[index];
    const same =
      other &&
      Math.abs(other.time - time) <= SAME_TIME * Math.abs(time) &&
      other.step === at &&
      Object.entries(kinds).every(([kind, due]) => other[kind as keyof typeof kinds] === due);
    if (!same) return [outputProblem(Math.min(time, other?.time ?? time))];
  }
  // The stretch that is begun: no fixed step that was taken is cut, and adaptive ones divide the same way to the next output.
  const [next, then] = [before.outputs[output + 1], now.outputs[output + 1]];
  const cut = then?.step !== undefined && step > before.outputs[output].step! && then.step <= step;
  const moved = tick > 0 && Math.abs(next.time - (then?.time ?? 0)) > SAME_TIME * next.time;
  return cut || moved ? [outputProblem(then.time)] : [];
}

const outputProblem = (time: number): Problem => ({
  path: ["output"],
  message:
    `output: expected the outputs up to here as they were written, found others from time ${shortest(time)} on. ` +
    "Times after that can be added",
});
