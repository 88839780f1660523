/** External potentials in WGSL: the snippets of the kinds in use, and the function that chooses among them. */
import type { WgslSource } from "../gpu/compose.ts";
import { convertedParameters, type ExternalPotential, type PotentialRecord } from "./potential.ts";
import { MOST_PARAMETERS, potentials } from "./potentials.ts";

/** The kinds in use; a kind's place is its number in kernels. */
export function kindsOf(external: readonly ExternalPotential[]): string[] {
  return [...new Set(external.map(({ kind }) => kind))];
}

/** A potential's parameters as kernels take them, filled up to two vec4f; `convert` takes masses to G·M. */
export function parameterWords(
  { kind, parameters }: ExternalPotential,
  convert: Parameters<typeof convertedParameters>[2] & Record<"mass", (mass: number) => number>,
): number[] {
  const words = convertedParameters(potentials.get(kind), parameters, convert).map(([, value]) => value);
  return [...words, ...new Array<number>(MOST_PARAMETERS - words.length).fill(0)];
}

/**
 * What the potentials of these kinds do to a particle at d or x from the centre, by number of the kind:
 *   field   fn potentialField(kind: u32, p: array<vec4f, 2>, d: vec3f) -> vec4f, acceleration and potential
 *   forces  fn potentialForces(kind: u32, p: array<vec4f, 2>, x: vec3f, v: vec3f, a: vec3f) -> ExternalForces
 */
export function potentialSources(kinds: readonly string[], form: "field" | "forces"): WgslSource[] {
  const records = kinds.map((kind) => potentials.get(kind));
  const structs = records.map((record) => {
    const members = Object.keys(record.keys).map((key) => `${key}: f32`);
    return `struct ${identifier(record.name, true)} { ${members.join(", ")} }`;
  });
  const cases = records.map((record, kind) => `    case ${kind}u: { return ${call(record, form)}; }`);
  const [head, none] =
    form === "field"
      ? ["potentialField(kind: u32, p: array<vec4f, 2>, d: vec3f) -> vec4f", "vec4f()"]
      : [
          "potentialForces(kind: u32, p: array<vec4f, 2>, x: vec3f, v: vec3f, a: vec3f) -> ExternalForces",
          "ExternalForces()",
        ];
  const choice = [`fn ${head} {`, "  switch kind {", ...cases, `    default: { return ${none}; }`, "  }", "}"];
  const text = [...structs, ...choice, ""].join("\n");
  return [...records.map(({ kernel }) => kernel), { path: `potentials in use (${kinds.join(", ")})`, text }];
}

function call({ name, keys, formula }: PotentialRecord, form: "field" | "forces"): string {
  const values = Object.keys(keys).map((_, i) => `p[${i >> 2}].${"xyzw"[i % 4]}`);
  const p = `${identifier(name, true)}(${values.join(", ")})`;
  const function_ = identifier(name, false);
  if (form === "field") return `${function_}Field(${p}, d)`;
  if (!formula.spherical) return `${function_}Forces(${p}, x, v, a)`;
  return `sphericalForces(${function_}Rates(${p}, dot(x, x), dot(x, v), dot(v, v) + dot(x, a)), x, v, a)`;
}

/** "two-words" as twoWords, or TwoWords. */
function identifier(name: string, capital: boolean): string {
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.map((word, i) => (i > 0 || capital ? word[0].toUpperCase() : word[0]) + word.slice(1)).join("");
}
