/** Deck text and overrides → Scenario, or one error that lists everything wrong with them. Reads no files. */
import { parse, TomlError } from "smol-toml";
import type { RawTable } from "../foundation/deck/keys.ts";
import { tablesOf } from "../foundation/deck/kinds.ts";
import { cut } from "../foundation/deck/problems.ts";
import { rawComponentProblems } from "../physics/initial/components.ts";
import { crossProblems, sizeProblems } from "./checks.ts";
import { changedKeys } from "./expectation.ts";
import { locate } from "./locate.ts";
import { applyOverrides, takesWholeNumbers } from "./overrides.ts";
import { DeckError, type Origin, problemsOf, scenarioError } from "./problems.ts";
import { type Deck, fillDerivedDefaults, type RegisteredRecord, type Scenario, scenarioSchema } from "./scenario.ts";

export interface ParseOptions {
  /** Name of the deck in messages. */
  file?: string;
  /** `key=value`, applied in order. */
  overrides?: readonly string[];
}

const UNNAMED = "scenario";
const LONGEST_REASON = 200;
/** A deck is checked once or twice: to compile the checks, as zod does otherwise, takes longer than to make them. */
const ONCE = { jitless: true };

/**
 * The scenario that a deck describes, defaults filled in.
 * @throws GravmeshError "scenario": one message with file, line, key, expected, found and what to try, a line each.
 */
export function parseScenario(text: string, options: ParseOptions = {}): Scenario {
  const file = options.file ?? UNNAMED;
  const deck = parsedToml(text, file);
  const { overrides, faults } = applyOverrides(options.overrides ?? [], deck);
  const scenario = checked(deck, { file, locator: locate(text), overrides }, faults);
  if (overrides.length === 0) return scenario;
  const own = parsedToml(text, file);
  fillDerivedDefaults(own);
  const before = scenarioSchema().safeParse(own, ONCE).data;
  return { ...scenario, changed: changedKeys(before, scenario, overrides) };
}

/** Whether `key`, as in an override, takes whole numbers alone; undefined where there is none. Throws "scenario". */
export function wholeNumbersIn(text: string, key: string, file = UNNAMED): boolean | undefined {
  return takesWholeNumbers(key, parsedToml(text, file));
}

/** The same from a plain object, for programs that build scenarios. @throws GravmeshError "scenario" */
export function completeScenario<R extends RegisteredRecord = never>(
  deck: Deck<R>,
  options: Pick<ParseOptions, "file"> = {},
): Scenario {
  return checked(structuredClone<unknown>(deck) as RawTable, { file: options.file ?? UNNAMED, overrides: [] }, []);
}

function checked(deck: RawTable, origin: Origin, faults: { text: string; message: string }[]): Scenario {
  const many = sizeProblems(deck);
  // Each of them would be looked at next to each other one.
  if (many.length > 0) throw scenarioError(many, origin, faults);
  // On the raw deck, before the schema's verdict, so that they are listed with the others.
  const unusual = tablesOf(deck, "particles").flatMap(rawComponentProblems);
  fillDerivedDefaults(deck);
  const result = scenarioSchema().safeParse(deck, ONCE);
  const others = result.success ? crossProblems(result.data) : problemsOf(result.error.issues, deck);
  const problems = [...unusual, ...others];
  if (problems.length > 0 || faults.length > 0 || !result.success) throw scenarioError(problems, origin, faults);
  return result.data;
}

/** What usually lies behind a syntax message of the parser. */
const SYNTAX_HINTS: [RegExp, string][] = [
  [
    /invalid value|incomplete key-value|unfinished (string|value)/,
    'Texts need quotes: key = "text"; numbers are written 0.5, not .5',
  ],
  [/redefine/, "Each table and each key may stand only once; components are [[particles]] with double brackets"],
  [/end-of-line/, "Each key = value stands on a line of its own; comments begin with #"],
  [/illegal character in key|end of key|empty bare key/, "Expected [table], [[particles]] or key = value"],
  [/leading zero|underscore|numeric/, "Numbers are written 100, 1_000, 0.5 or 1e6"],
  [/losslessly/, "So large a number is written with an exponent, 1e20"],
  [/array|table|comma/, "Brackets and braces have to be closed, and their entries separated by commas"],
];

function parsedToml(text: string, file: string): RawTable {
  try {
    return parse(text, { unsafeKeyBehaviour: "throw" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split("\n")[0].replace(/^Invalid TOML document: /, "");
    const line = text.split(/\r?\n/)[error.line - 1]?.trim() ?? "";
    const hint = SYNTAX_HINTS.find(([pattern]) => pattern.test(what))?.[1] ?? "Decks are TOML: https://toml.io";
    const found = line === "" ? "the end of the text" : `\`${cut(line)}\``;
    const message = `expected TOML, found ${found}: ${cut(what, LONGEST_REASON)}. ${hint}`;
    throw new DeckError(`${file}:${error.line}:${error.column}: ${message}`, [{ message, line: error.line }], {
      cause: error,
    });
  }
}
