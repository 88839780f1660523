/** External potentials in WGSL: the snippets of the kinds in use, and the function that chooses among them. */
import pathDerivatives from "../../../wgsl/physics/potentials/path-derivatives.wgsl";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import { isSteady } from "./motion.ts";
import { type Conversion, convertedParameters, type ExternalPotential, type PotentialRecord } from "./potential.ts";
import { MOST_PARAMETERS, potentials } from "./potentials.ts";

/** Whether one of them turns, grows, decays or moves. */
export function anyChanges(external: readonly ExternalPotential[]): boolean {
  return external.some((potential) => !isSteady(potential));
}

/** Whether one of them has a frame of its own, or changes. */
export function anyChangesOrTurned(external: readonly ExternalPotential[]): boolean {
  return external.some((potential) => potential.turn !== undefined || !isSteady(potential));
}

/** The kinds in use; a kind's place is its number in kernels. */
export function kindsOf(external: readonly ExternalPotential[]): string[] {
  return [...new Set(external.map(({ kind }) => kind))];
}

/** A potential's parameters as kernels take them, filled up to two vec4f; `convert` takes masses to G·M. */
export function parameterWords(
  { kind, parameters }: ExternalPotential,
  convert: Conversion & Record<"mass", (mass: number) => number>,
): number[] {
  const record = potentials.get(kind);
  const given = convertedParameters(record, parameters, convert);
  const p = Object.fromEntries(given);
  const constants = Object.values(record.constants ?? {}).map((of) => of(p));
  const words = [...given.map(([, value]) => value), ...constants];
  return [...words, ...new Array<number>(MOST_PARAMETERS - words.length).fill(0)];
}

/**
 * What the potentials of these kinds do to a particle at d or x from the centre, by number of the kind:
 *   field   fn potentialField(kind: u32, p: array<vec4f, 2>, d: vec3f) -> vec4f, acceleration and potential
 *   forces  fn potentialForces(kind: u32, p: array<vec4f, 2>, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives
 */
export function potentialSources(kinds: readonly string[], form: "field" | "forces"): WgslSource[] {
  const records = kinds.map((kind) => potentials.get(kind));
  const structs = records.map((record) => {
    const members = wordsOf(record).map((word) => `${word}: f32`);
    return `struct ${structOf(record.name)} { ${members.join(", ")} }`;
  });
  const text = [...structs, ...choice(records, form), ""].join("\n");
  return [
    pathDerivatives,
    ...records.map(({ kernel }) => kernel),
    { path: `potentials in use (${kinds.join(", ")})`, text },
  ];
}

const FUNCTIONS = {
  field: ["potentialField", "d: vec3f", "vec4f"],
  forces: ["potentialForces", "x: vec3f, v: vec3f, a: vec3f", "PathDerivatives"],
} as const;

function choice(records: readonly PotentialRecord[], form: "field" | "forces"): string[] {
  const [name, parameters, result] = FUNCTIONS[form];
  const action = (record: PotentialRecord) => {
    const struct = structOf(record.name);
    const own = struct.slice(0, 1).toLowerCase() + struct.slice(1); // "two-words" as twoWords
    const p = `${struct}(${wordsOf(record)
      .map((_, i) => `p[${i >> 2}].${"xyzw"[i % 4]}`)
      .join(", ")})`;
    if (form === "field") return `${own}Field(${p}, d)`;
    if (record.formula.spherical) return `sphericalForces(${own}Strength(${p}, squareOf(x, v, a)), x, v, a)`;
    if (record.formula.symmetric) return `symmetricForces(${own}Strengths(${p}, squaresOf(x, v, a)), x, v, a)`;
    return `${own}Forces(${p}, x, v, a)`;
  };
  return [
    `fn ${name}(kind: u32, p: array<vec4f, 2>, ${parameters}) -> ${result} {`,
    "  switch kind {",
    ...records.map((record, k) => `    case ${k}u: { return ${action(record)}; }`),
    `    default: { return ${result}(); }`,
    "  }",
    "}",
  ];
}

/** The words that kernels have for a potential of this kind, by name. */
export function wordsOf({ keys, constants = {} }: Pick<PotentialRecord, "keys" | "constants">): string[] {
  return [...Object.keys(keys), ...Object.keys(constants)];
}

/** "two-words" as TwoWords. */
function structOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
