/**
 * The variants of a comparison: every combination of the lists of `--vary KEY=a,b` (and of `--poisson a,b` and the like). What
 * would change the initial conditions, or how long is run, can't vary: there would be nothing to compare particle by particle.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { loadScenario } from "../../run/scenario-source.ts";
import { softenedAsPairs } from "../../scenario/resolution.ts";
import type { Scenario } from "../../scenario/scenario.ts";

export interface Variation {
  key: string;
  values: string[];
}

export interface Variant {
  label: string;
  /** Deck key → value, for the keys that vary. */
  settings: Record<string, string>;
  scenario: Scenario;
}

/** The variation that `--levels` is: of the deck's [[level]] tables, with all of them or without. */
const LEVELS = "level";
const WITH_OR_WITHOUT = ["with", "without"];

const MOST_VARIANTS = 15;
const EXAMPLE = "--vary mesh.assignment=cic,tsc";

const FIXED: [RegExp, string][] = [
  [
    /^(particles\b|units\b|box\.size$)/,
    "it changes the initial conditions, and all variants start from the same particles",
  ],
  [/^time\.end$/, "the variants are compared at the same end"],
  [/^(output\b|title$|reference$|expect$)/, "it changes what is written, not what is computed"],
];

export function variationOf(text: string): Variation {
  const equals = text.indexOf("=");
  const key = text.slice(0, Math.max(0, equals)).trim();
  const values = Array.from(text.slice(equals + 1).split(","), (value) => value.trim());
  if (key === "" || values.includes("")) {
    const expected = "expected a deck key and its values, separated by commas";
    throw new GravmeshError("usage", `--vary ${text}: ${expected}, as in ${EXAMPLE}.`);
  }
  const fixed = FIXED.find(([pattern]) => pattern.test(key));
  if (fixed) {
    throw new GravmeshError(
      "usage",
      `--vary ${text}: ${key} can't vary: ${fixed[1]}. Give it once for all variants, as ${key}=VALUE. ` +
        "What can vary: mesh.* (assignment, poisson, gradient, cells …), multigrid.*, time.step and its accuracy.",
    );
  }
  const twice = values.find((value, i) => values.indexOf(value) < i);
  if (twice !== undefined) throw new GravmeshError("usage", `--vary ${text}: ${twice} is given twice.`);
  return { key, values };
}

export function combinations(variations: readonly Variation[]): Record<string, string>[] {
  return variations.reduce<Record<string, string>[]>(
    (found, { key, values }) => found.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  );
}

/** "tsc, 2-point"; numbers come with the last part of their key, "cells 64". */
export function labelOf(settings: Readonly<Record<string, string>>, variations: readonly Variation[]): string {
  const isWord = (value: string) => Number.isNaN(Number(value)) && value !== "true" && value !== "false";
  const parts = variations.map(({ key, values }) =>
    key === "mond.formulation" && settings[key] === "none"
      ? "newton"
      : key === LEVELS
        ? `${settings[key]} levels`
        : values.every(isWord)
          ? settings[key]
          : `${key.split(".").at(-1)} ${settings[key]}`,
  );
  return parts.join(", ");
}

/** Reads the deck once a variant. Throws "usage" or "scenario" before anything is computed. */
export function variantsOf(
  argument: string,
  overrides: readonly string[],
  options: { poisson?: string; gravity?: string; levels?: string; vary: readonly string[] },
) {
  const { poisson, gravity, levels, vary } = options;
  const variations = [
    ...(poisson === undefined ? [] : [`mesh.poisson=${poisson}`]),
    ...(gravity === undefined ? [] : [gravityVariation(gravity)]),
    ...(levels === undefined ? [] : [`${LEVELS}=${levels}`]),
    ...vary,
  ].map(variationOf);
  const ofLevels = variations.find(({ key }) => key === LEVELS)?.values ?? [];
  if (ofLevels.some((value) => !WITH_OR_WITHOUT.includes(value))) {
    throw new GravmeshError("usage", `--levels: expected with and without, found ${ofLevels.join(",")}.`);
  }
  const keys = variations.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) {
    throw new GravmeshError("usage", `${twice} varies twice; give all its values in one list, --vary ${twice}=a,b.`);
  }
  const settings = combinations(variations);
  if (settings.length < 2) {
    throw new GravmeshError("usage", `What is to be compared? Give at least two variants, as in ${EXAMPLE}.`);
  }
  if (settings.length > MOST_VARIANTS) {
    throw new GravmeshError(
      "usage",
      `${variations.map(({ values }) => values.length).join(" × ")} = ${settings.length} variants: expected at most ${MOST_VARIANTS}. Leave out some values, or compare in parts.`,
    );
  }
  let name = "";
  const variants = settings.map((one): Variant => {
    const { [LEVELS]: kept, ...entries } = one;
    const own = Object.entries(entries).map(([key, value]) => `${key}=${value}`);
    const loaded = loadScenario(argument, [...overrides, ...own]);
    const scenario = kept === "without" ? { ...loaded.scenario, level: [] } : loaded.scenario;
    name = loaded.name;
    return { label: labelOf(one, variations), settings: one, scenario };
  });
  if (ofLevels.length > 0 && variants.every(({ scenario }) => scenario.level.length === 0)) {
    throw new GravmeshError("usage", `--levels: expected a deck with [[level]] tables, found none.`);
  }
  requireSameParticles(variants);
  // Direct sums without a softening of their own have that of the pairs.
  const pairs = variants.find(({ scenario }) => scenario.gravity === "p3m")?.scenario.p3m;
  const like = ({ scenario, ...variant }: Variant): Variant => {
    const { gravity: own, p3m, direct } = scenario;
    const leave = !pairs || direct.softening > 0 || keys.includes("direct.softening");
    return { ...variant, scenario: leave ? scenario : softenedAsPairs(scenario, own === "p3m" ? p3m : pairs) };
  };
  return { name, variations, variants: variants.map(like) };
}

/** Of ways to sum, or of field equations: the deck's word for Newton's is that for no modified one. */
const gravityVariation = (list: string): string =>
  /\b(mesh|p3m|direct)\b/.test(list) ? `gravity=${list}` : `mond.formulation=${list.replace(/\bnewton\b/, "none")}`;

/** Defaults may depend on other keys: a boundary, for one, decides how far a sphere may reach. */
function requireSameParticles(variants: readonly Variant[]): void {
  const drawn = ({ scenario: { particles, units, box } }: Variant) => JSON.stringify([particles, units, box.size]);
  const other = variants.find((variant) => drawn(variant) !== drawn(variants[0]));
  if (!other) return;
  throw new GravmeshError(
    "usage",
    `The variants "${variants[0].label}" and "${other.label}" would start from different particles: a default of a component ` +
      "follows from what varies. Set it in the deck or for all variants, as in particles.0.cutoff=5.",
  );
}

/** Entries of mesh, box, time … with each variant's value, where they differ. */
export function deckDifferences(variants: readonly Variant[]): { key: string; values: string[] }[] {
  const flat = variants.map(({ scenario: { changed: _, ...deck } }) => new Map(entries(deck, "")));
  const keys = [...new Set(flat.flatMap((map) => [...map.keys()]))];
  return keys
    .map((key) => ({ key, values: flat.map((map) => map.get(key) ?? "–") }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
}

function entries(value: unknown, path: string): [string, string][] {
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => entries(inner, path === "" ? key : `${path}.${key}`));
}
