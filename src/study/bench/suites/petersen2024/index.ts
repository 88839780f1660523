/**
 * The suite `petersen2024`: growth rates γ of the radial-orbit instability, l = 2, in Osipkov–Merritt spheres, beside those
 * of linear response. Source: Petersen et al. 2024, MNRAS 530, 4378 (arXiv:2311.10630). G = M = b = 1.
 */
import { Experiment, type Results, type StudySettings, type Suite } from "../../../spec.ts";
import { quantity, ratio, view } from "../../../table.ts";
import { type GrowthCase, type GrowthPlan, growth, LARGEST_LINEAR, type MeasuredGrowth, RADIUS } from "./growth.ts";

type Kind = GrowthCase["kind"];
const KINDS: readonly Kind[] = ["isochrone", "plummer"];
const NAMES: Record<Kind, string> = { isochrone: "isochrone", plummer: "Plummer" };
const titleOf = ({ kind, anisotropyRadius }: GrowthCase) => `${NAMES[kind]}, r_a = ${anisotropyRadius}`;

/** γ [√(GM/b³)] by r_a [b]. */
export const GROWTH: Record<Kind, { radii: readonly number[]; rates: readonly number[] }> = {
  isochrone: { radii: [1], rates: [0.0229] },
  plummer: { radii: [0.75, 0.8, 0.85, 0.9, 0.95, 1], rates: [0.047, 0.0377, 0.0289, 0.0204, 0.0124, 0.0046] },
};
/** A Plummer sphere is stable from this r_a on [b]. */
const STABLE_PLUMMER = 1.035;

/** All that the paper's table has; in a hurry one of each kind. */
export function cases({ quick }: StudySettings): GrowthCase[] {
  return KINDS.flatMap((kind) =>
    GROWTH[kind].radii.slice(0, quick ? 1 : undefined).map((anisotropyRadius) => ({ kind, anisotropyRadius })),
  );
}

/** A cell is a third (Plummer) to two thirds (isochrone) of the scale radius; what lies far out counts: rates fall as the cut-off goes out. */
function planOf({ kind }: GrowthCase, { quick }: StudySettings): GrowthPlan {
  const of: Record<Kind, Omit<GrowthPlan, "count" | "seed">> = {
    isochrone: { cells: 128, size: 88, cutoff: 40, step: 0.4, end: 300 },
    plummer: { cells: 96, size: 30, cutoff: 13.5, step: 0.2, end: 300 },
  };
  return { ...of[kind], count: quick ? 96_000 : 960_000, seed: 1 };
}

const rateText = (rate: number) => rate.toFixed(4);
const withError = ({ rate, error }: MeasuredGrowth) => `${rateText(rate)} ± ${rateText(error)}`;

export const GROWING = new Experiment<GrowthCase, GrowthPlan, MeasuredGrowth>({
  key: ({ kind, anisotropyRadius }) => `${kind}-${anisotropyRadius}`,
  label: (one) => `growth, ${titleOf(one)}`,
  run: growth,
  brief: (found) => `γ = ${withError(found)}`,
});

const REMARKS = [
  "The rate is the slope of ln A over time, A = √(Σ ⟨S_2m⟩²) within " +
    `${RADIUS} b, from when the start has mixed until A = ${LARGEST_LINEAR}; its error follows from the slopes of four equal parts of that time.`,
  "The start is quiet: every particle drawn stands for 24, which the rotations of a cube make of it, so that l = 2 begins from a stretch of 0.3 % along z and not from noise.",
  "The models end at a cutoff, faded out, the paper’s don’t; the mesh softens the force over about a cell, and they are set up for that.",
  `By the paper a Plummer sphere is stable from r_a = ${STABLE_PLUMMER} on.`,
];

function present(results: Results, settings: StudySettings) {
  const over = cases(settings);
  const found = (one: GrowthCase) => results.of(GROWING, one);
  const published = ({ kind, anisotropyRadius }: GrowthCase) =>
    GROWTH[kind].rates[GROWTH[kind].radii.indexOf(anisotropyRadius)];
  const whole = { text: (time: number) => String(Math.round(time)) };
  const ours = quantity<GrowthCase>("γ", (one) => found(one)?.rate, { text: (_, one) => withError(found(one)!) });
  const rates = view<GrowthCase>({
    title: "The quadrupole’s growth",
    ...{ unit: "√(GM/b³)", where: "growth rates", over, corner: "model", name: titleOf },
    quantities: [
      ours,
      quantity("paper", published, { paper: ours, text: rateText }),
      quantity("ratio", (one) => ratio(found(one)?.rate, published(one))),
      quantity("from t", (one) => found(one)?.from, whole),
      quantity("to t", (one) => found(one)?.to, whole),
    ],
    published: (one) => `γ, ${titleOf(one)}`,
  });
  return { ...rates, remarks: REMARKS };
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
