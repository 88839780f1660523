/**
 * Random decks with levels, sense and nonsense: each runs to finite numbers, or is refused in one message. A seed repeats
 * its deck: all of them with `npm run test:long`.
 */
import { expect, it } from "vitest";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { Choice } from "../malformed/case.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const STEPS = 3;
/** Longest message that a person reads [characters]. */
const LONGEST = 3000;

const vector = (choice: Choice, reach: number) =>
  `[${Array.from({ length: 3 }, () => ((2 * choice.uniform() - 1) * reach).toPrecision(3))}]`;

/** A table: the lines that hold something. */
const table = (head: string, ...lines: (string | false)[]) => [`[[${head}]]`, ...lines.filter(Boolean), ""].join("\n");

/** `choice` decides, most often for what makes sense. */
function randomDeck(choice: Choice): string {
  const rarely = (share: number) => choice.uniform() < share;
  const size = choice.of([0.01, 8, 100]);
  const cells = choice.of([32, 48, 64, 64, 96]);
  const parts = ["stars", "dark", "other"].slice(0, 1 + choice.below(3));
  const galaxies = ["A", "B"].slice(0, choice.below(1 + Math.min(2, parts.length)));
  const scales = parts.map(() => choice.of([1e-4, 0.01, 0.02, 0.03]) * size);
  const masses = parts.map(() => (rarely(0.1) ? 0 : rarely(0.1) ? 1e-6 : 1));
  const step = choice.of([0.02, 0.2]) * Math.min(...scales.map((scale) => scale ** 1.5));
  const speed = ((rarely(0.2) ? 0.2 : 0.002) * size) / step;
  const around = () => (rarely(0.04) ? "C" : choice.of([...parts, ...galaxies]));
  const levels = Array.from({ length: 1 + choice.below(3) }, around);
  const substeps = choice.of([1, 1, 2, 5]);
  const rigid = parts.map(() => rarely(0.05));
  const nested = rarely(0.5) ? levels.map(() => levels[0]) : levels;
  return [
    `title = "${size}"`,
    rarely(0.02) && 'gravity = "direct"',
    `[box]\nsize = ${size}\nboundary = "${galaxies.length > 0 ? "isolated" : choice.of(["isolated", "periodic"])}"`,
    `[mesh]\ncells = ${cells}`,
    `assignment = "${choice.of(["cic", "cic", "tsc", "ngp"])}"`,
    `gradient = "${rarely(0.02) ? "spectral" : choice.of(["4-point", "2-point"])}"`,
    `poisson = "${choice.of(["fft", "fft", "multigrid"])}"`,
    rarely(0.02) && '[mond]\nformulation = "qumond"\na0 = 1.0',
    `[time]\nend = ${STEPS * step}\nstep = ${rarely(0.2) ? '"adaptive"' : step}`,
    "[output]\nsnapshots = 0\ndiagnostics = 1",
    ...galaxies.map((name) =>
      table(
        "galaxy",
        `name = "${name}"`,
        `centre = ${vector(choice, 0.2 * size)}`,
        `velocity = ${vector(choice, speed)}`,
      ),
    ),
    ...parts.map((name, k) =>
      table(
        "particles",
        `kind = "plummer"\nname = "${name}"`,
        k < galaxies.length && `galaxy = "${galaxies[k]}"`,
        rigid[k] ? "rigid = true" : `count = ${choice.of([1, 2, 300, 300, 3000])}`,
        `mass = ${masses[k]}\nscale = ${scales[k]}\ncutoff = ${choice.of([3, 5]) * scales[k]}`,
        rarely(0.4) && `offset = ${vector(choice, choice.of([0.02, 0.2, 0.45]) * size)}`,
        rarely(0.5) && `velocity = ${vector(choice, speed)}`,
      ),
    ),
    ...nested.map((name) => {
      const refined = rarely(0.5);
      return table(
        "level",
        rarely(0.8)
          ? `around = "${name}"`
          : rarely(0.9) && `offset = ${vector(choice, choice.of([0.3, 0.6, 3]) * size)}`,
        `refinement = ${rarely(0.02) ? 3 : refined ? 2 : 4}`,
        rarely(0.6) && `cells = ${choice.of(rarely(0.1) ? [16, 48, 100, 256] : refined ? [48, 64, 96] : [96, 128])}`,
        (substeps > 1 || rarely(0.03)) && `substeps = ${rarely(0.03) ? choice.of([0, 3]) : substeps}`,
        rarely(0.05) && 'name = "same"',
      );
    }),
  ]
    .filter(Boolean)
    .join("\n");
}

/** Undefined where it ran, else what it was refused with. */
async function refusal(deck: string): Promise<string | undefined> {
  try {
    const simulation = await Simulation.create(parseScenario(deck, { file: "deck.toml" }), { gpu: gpu() });
    try {
      const { positions, velocities, potential } = await simulation.readParticles({ potential: true });
      await simulation.advance({ most: STEPS }).catch((error) => {
        if (error.kind !== "aborted") throw error;
      });
      const later = await simulation.readParticles();
      const numbers = [positions, velocities, potential!, later.positions, later.velocities];
      expect(
        numbers.every((of) => of.every(Number.isFinite)),
        "finite particles",
      ).toBe(true);
      for (const [name, value] of Object.entries(await simulation.diagnostics()))
        if (typeof value === "number") expect(Number.isFinite(value), name).toBe(true);
      return undefined;
    } finally {
      simulation.destroy();
    }
  } catch (error) {
    if (!(error instanceof GravmeshError)) throw error;
    return error.message;
  }
}

const all = Array.from({ length: 100 }, (_, k) => k + 1);

it("random decks with levels run to finite numbers, or are refused in one message", async () => {
  const refusals: (string | undefined)[] = [];
  for (const seed of inFull(all, all.slice(0, 8))) {
    const deck = randomDeck(new Choice(seed));
    const said = await refusal(deck).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}\n${deck}`, { cause: error });
    });
    if (process.env.GRAVMESH_LONG) console.log(seed, said ?? "ran");
    refusals.push(said);
    if (said === undefined) continue;
    expect(said.length, `seed ${seed}`).toBeLessThan(LONGEST);
    expect(said, `seed ${seed}`).not.toMatch(/undefined|NaN|\[object|^$/);
  }
  // Both happen.
  expect(new Set(refusals.map((said) => said === undefined)).size).toBe(2);
});
