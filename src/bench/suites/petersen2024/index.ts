/** The suite `petersen2024`, after Petersen et al. (2024): growth rates of the radial-orbit instability. */
import type { Presentation, Quantity, Results, Suite, SuiteSettings } from "../spec.ts";
import { beside, Experiment, lines, quantity, ratio, table } from "../spec.ts";
import { LARGEST_LINEAR } from "./fit.ts";
import { type Case, type Growth, growth, type Plan, RADIUS } from "./measure.ts";
import { GROWTH, KINDS, type Kind, STABLE_PLUMMER } from "./published.ts";

const NAMES: Record<Kind, string> = { isochrone: "isochrone", plummer: "Plummer" };
const titleOf = ({ kind, anisotropyRadius }: Case) => `${NAMES[kind]}, r_a = ${anisotropyRadius}`;

/** All that the paper's table has; in a hurry one of each kind. */
export function cases({ quick }: SuiteSettings): Case[] {
  return KINDS.flatMap((kind) =>
    GROWTH[kind].slice(0, quick ? 1 : undefined).map(([anisotropyRadius]) => ({ kind, anisotropyRadius })),
  );
}

/** A cell is a third (Plummer) to two thirds (isochrone) of the scale radius; what lies far out counts: rates fall as the cut-off goes out. */
function planOf({ kind }: Case, { quick }: SuiteSettings): Plan {
  const of: Record<Kind, Omit<Plan, "count" | "seed">> = {
    isochrone: { cells: 128, size: 88, cutoff: 40, step: 0.4, end: 300 },
    plummer: { cells: 96, size: 30, cutoff: 13.5, step: 0.2, end: 300 },
  };
  return { ...of[kind], count: quick ? 96_000 : 960_000, seed: 1 };
}

export const GROWING = new Experiment<Case, Plan, Growth>({
  key: ({ kind, anisotropyRadius }) => `${kind}-${anisotropyRadius}`,
  label: (one) => `growth, ${titleOf(one)}`,
  run: growth,
  brief: ({ rate, error }) => `γ = ${withError(rate, error)}`,
  among: ({ kind, anisotropyRadius }) => [`growth, ${NAMES[kind]}`, `r_a = ${anisotropyRadius}`],
});

const withError = (rate: number, error: number) => `${rate.toFixed(4)} ± ${error.toFixed(4)}`;

const REMARKS = [
  "The rate is the slope of ln A over time, A = √(Σ ⟨S_2m⟩²) within " +
    `${RADIUS} b, from when the start has mixed until A = ${LARGEST_LINEAR}; its error follows from the slopes of four equal parts of that time.`,
  "The start is quiet: every particle drawn stands for 24, which the rotations of a cube make of it, so that l = 2 begins from a stretch of 0.3 % along z and not from noise.",
  "The models end at a cutoff, faded out, the paper’s don’t; the mesh softens the force over about a cell, and they are set up for that.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const over = cases(settings);
  const found = (one: Case) => results.of(GROWING, one);
  const published = ({ kind, anisotropyRadius }: Case) =>
    GROWTH[kind].find(([radius]) => radius === anisotropyRadius)?.[1];
  const rates: Quantity<Case>[] = [
    quantity("γ", (one) => found(one)?.rate, { text: (rate, one) => withError(rate, found(one)!.error) }),
    quantity("paper", published, { paper: true, text: (rate) => rate.toFixed(4) }),
    quantity("ratio", (one) => ratio(found(one)?.rate, published(one))),
    quantity("from t", (one) => found(one)?.from, { text: (time) => time.toFixed(0) }),
    quantity("to t", (one) => found(one)?.to, { text: (time) => time.toFixed(0) }),
  ];
  return {
    tables: [table({ title: "Growth rates [√(GM/b³)]", corner: "model", over, name: titleOf, quantities: rates })],
    plots: KINDS.flatMap((kind) => {
      const times = [...new Set(over.filter((one) => one.kind === kind).flatMap((one) => found(one)?.times ?? []))];
      if (times.length === 0) return [];
      return lines({
        title: `${NAMES[kind]}: strength of the quadrupole`,
        where: "growth",
        x: { label: "t [√(b³/GM)]" },
        y: { label: "A", scale: "log" },
        over: times.sort((a, b) => a - b),
        quantities: over
          .filter((one) => one.kind === kind)
          .map((one) => {
            const growing = found(one);
            const at = new Map(growing?.times.map((time, i) => [time, growing.amplitudes[i]]));
            return quantity<number>(`r_a = ${one.anisotropyRadius}`, (time) => at.get(time), { look: { curve: true } });
          }),
      });
    }),
    published: beside(
      { where: "growth rates", unit: "√(GM/b³)" },
      over.map((one) => [`γ, ${titleOf(one)}`, Number(published(one)), found(one)?.rate]),
    ),
    remarks: [...REMARKS, `By the paper a Plummer sphere is stable from r_a = ${STABLE_PLUMMER} on.`],
  };
}

export const suite: Suite = {
  id: "petersen2024",
  title: "The radial-orbit instability",
  paper:
    "M. S. Petersen, M. Roule, J.-B. Fouvry, C. Pichon & K. Tep 2024, Predicting the linear response of self-gravitating stellar spheres and discs with LinearResponse.jl",
  hardware: "linear response theory",
  about:
    "Spheres whose orbits become radial outwards (Osipkov–Merritt) turn into bars where too many are. From a quiet start with a " +
    "small quadrupole, the growth rate of l = 2 is fitted and set beside that of linear response theory.",
  measurements: (settings) => cases(settings).map((one) => GROWING.of({ ...one, ...planOf(one, settings) })),
  present,
};
