/**
 * The suite `sapporo2`, after Bédorf, Gaburov & Portegies Zwart (2015), sections 3 and 4.1. The paper only plots its
 * times: nothing is read off those, beside ours stand the figures of its text.
 */
import { max } from "d3-array";
import { exponentText, milliseconds, plainNumber } from "../../../../run/page/numbers.ts";
import type { Results, StudySettings, Suite } from "../../../spec.ts";
import { beside, type Maybe, quantity, ratio, together, type Views, view } from "../../../table.ts";
import type { RunPart } from "../hermite.ts";
import {
  type Cases,
  casesOf,
  ENGINE_NAMES,
  FEW,
  FULL,
  GRID,
  KINDS,
  type Kind,
  PRECISION,
  quickest,
  RUN,
  RUN_ENGINES,
  type RunEngine,
  SHAPES,
  SOURCES,
  SQUARE,
} from "./measure.ts";
import { modelledGain, RANKED, RANKS, rankedGain, SQUARES_OF_RANKS, several } from "./ranked.ts";

const inMs = (seconds: Maybe): Maybe => seconds && 1000 * seconds;
const asTime = { text: milliseconds };

/** What a job takes the variant for. */
function useOf(inUse: readonly string[], name: string): keyof typeof USES | undefined {
  const place = inUse.indexOf(name);
  if (place < 0) return undefined;
  return place === 0 ? "few" : place === inUse.length - 1 ? "many" : "middle";
}

/** Figure 1. */
function shapes(results: Results, { shapes: counts }: Cases): Views {
  const over = counts.filter((targets) => results.of(SHAPES, { targets }));
  const scan = results.of(SHAPES, { targets: over[0] });
  const labelOf = (name: string) => {
    const use = useOf(scan!.inUse, name);
    return use ? `${name} (in use for ${use})` : name;
  };
  return view({
    title: `Kernel variants by number of targets, ${SOURCES} sources`,
    ...{ unit: "ms", where: "figure 1", over, corner: "variant", across: true },
    quantities: Object.keys(scan?.shapes ?? {}).map((name) =>
      quantity(labelOf(name), (targets) => inMs(results.of(SHAPES, { targets })?.shapes[name]?.seconds), asTime),
    ),
    note: "Acceleration and jerk in double-single. “split” variants share out the sources over workgroups and need a second kernel, which is counted.",
  });
}

/** Targets of the scan from which the rate is within a tenth of the best. */
function targetsAtFullSpeed(results: Results, { shapes: counts }: Cases): Maybe {
  const rate = (targets: number) => {
    const scan = results.of(SHAPES, { targets });
    return scan && targets / quickest(scan.shapes);
  };
  const best = max(counts, rate);
  return best && counts.find((targets) => (rate(targets) ?? 0) >= NEARLY * best);
}
const NEARLY = 0.9;

/** Figure 2; nothing where it wasn't measured. */
function fewTargets(results: Results): Views[] {
  const found = results.of(FEW, {});
  if (!found) return [];
  const { inUse, times } = found;
  const at = (targets: number) => times.find((one) => one.targets === targets)?.shapes;
  const full = at(FULL);
  const share = (targets: number) => inMs(full && (quickest(full) * targets) / FULL);
  return [
    view({
      title: `Few targets of ${SOURCES} sources, ${ENGINE_NAMES[PRECISION]}`,
      ...{ unit: "ms", where: "figure 2", over: times.map(({ targets }) => targets), corner: "active" },
      quantities: [
        ...inUse.map((name) => {
          const label = `${name}: ${USES[useOf(inUse, name)!]}`;
          return quantity(label, (targets) => inMs(at(targets)?.[name]?.seconds), asTime);
        }),
        quantity(`share of ${FULL} targets`, share, { ...asTime, paper: true }),
      ],
      note: `“split” variants share out the sources, the last variant is what many targets take; share: of the fastest for ${FULL}.`,
    }),
  ];
}
const USES = { few: "sources shared out", middle: "for more targets", many: "for many targets" };

/** Active targets from which on it doesn't pay to share out the sources; undefined where that is beyond the last. */
export function targetsWithoutSharing(results: Results): Maybe {
  const found = results.of(FEW, {});
  if (!found) return undefined;
  const { times, inUse } = found;
  const [few, ...others] = inUse;
  const last = times.findLastIndex(({ shapes: found }) => {
    const best = Math.min(...others.map((name) => found[name].seconds));
    return others.length > 0 && found[few].seconds < NEARLY * best;
  });
  return times[last + 1]?.targets;
}

const evaluation = (results: Results, count: number, kind: Kind) => results.of(SQUARE, { count })?.variants[kind];

/** One kind of evaluation over another in time. */
const cost = (results: Results, kind: Kind, other: Kind) => (count: number) =>
  ratio(evaluation(results, count, kind)?.seconds, evaluation(results, count, other)?.seconds);

/** Figures 3 and 4. */
const squares = (results: Results, { squares: over }: Cases): Views =>
  view({
    title: "As many targets as sources, transfers included",
    ...{ unit: "ms", where: "figures 3 and 4", over, corner: "N" },
    quantities: (Object.keys(KINDS) as Kind[]).map((kind) =>
      quantity(KINDS[kind], (count) => inMs(evaluation(results, count, kind)?.seconds), {
        text: (value, count) => {
          const { targets } = evaluation(results, count, kind)!;
          return targets < count ? `${milliseconds(value)} (${targets})` : milliseconds(value);
        },
      }),
    ),
    note: "From bodies on the host to forces on the host. Order 4: acceleration and jerk; order 6: and snap. With a number in brackets: so many targets were timed, and the time was scaled to all.",
  });

/** Figure 6. */
function runs(results: Results, { runs: counts }: Cases): Views {
  type Run = { count: number; engine: RunEngine };
  const column = (label: string, of: (run: RunPart) => number, text = plainNumber) =>
    quantity(
      label,
      (one: Run) => {
        const run = results.of(RUN, one);
        return run && of(run);
      },
      { text },
    );
  return view<Run>({
    title: "Hermite 6 with block steps",
    where: "figure 6",
    over: counts.flatMap((count) => RUN_ENGINES.map((engine): Run => ({ count, engine }))),
    ...{ corner: "N", name: ({ count, engine }) => `${count}, ${ENGINE_NAMES[engine]}` },
    quantities: [
      column("time units", ({ span }) => span),
      column("seconds", ({ seconds }) => seconds),
      column("s per unit", ({ seconds, span }) => seconds / span),
      column("blocks per unit", ({ blocks, span }) => Math.round(blocks / span), String),
      column("mean active", ({ particleSteps, blocks }) => particleSteps / blocks),
      column("ΔE/E", (run) => run.energyError, exponentText),
    ],
    note: "Runs that would take too long end after some eighths of the unit; seconds and blocks per unit are scaled then, the energy error isn’t.",
  });
}

/** A time of figure 7, or what follows from both. */
function inGrid(results: Results, of: (found: { cpu: number; gpu: number }) => number) {
  return (targets: number, sources: number): Maybe => {
    const found = results.of(GRID, { sources })?.times.find((one) => one.targets === targets);
    return found && of(found);
  };
}
const gain = ({ cpu, gpu }: { cpu: number; gpu: number }) => cpu / gpu;

/** Targets and as many sources at which GPU and CPU are equally fast, between measured ones, or the fewest of those. */
export function evenAt(results: Results, { grid: counts }: Cases): Maybe {
  const gainOf = inGrid(results, gain);
  const found = counts.flatMap((count) => {
    const value = gainOf(count, count);
    return value === undefined ? [] : [{ x: Math.log(count), y: Math.log(value) }];
  });
  const after = found.findLastIndex(({ y }) => y < 0) + 1;
  if (after === found.length) return undefined;
  if (after === 0) return counts[0];
  const [from, to] = [found[after - 1], found[after]];
  return Math.exp(from.x + ((to.x - from.x) * -from.y) / (to.y - from.y));
}

/** Figure 7, by sources; targets along the other axis. */
function grid(results: Results, { grid: over }: Cases): Views[] {
  const bySources = (head: { title: string; unit?: string; where: string }, of: typeof gain, text = milliseconds) =>
    view({
      ...{ ...head, over, name: (sources: number) => `${sources} sources` },
      quantities: over.map((targets) =>
        quantity(String(targets), (sources) => inGrid(results, of)(targets, sources), { text }),
      ),
    });
  const onGpu = "The same on the GPU in double-single, transfers included";
  return [
    bySources(
      { title: "Targets and sources on the CPU, one thread", unit: "ms", where: "figure 7a" },
      ({ cpu }) => 1000 * cpu,
    ),
    bySources({ title: onGpu, unit: "ms", where: "figures 7b and 7c" }, ({ gpu }) => 1000 * gpu),
    bySources({ title: "How many times faster the GPU is", where: "figure 7d" }, gain, plainNumber),
  ];
}

/** |ΔE/E| after a time unit, "around": double-single and double precision. */
const PAPER_ERRORS = { "double-single": 1e-10, cpu: 1e-12 };

/** The figures that the text gives. */
function published(results: Results, cases: Cases) {
  /** At the largest N that has it. */
  const last = (of: (count: number) => Maybe) => cases.squares.map(of).findLast((value) => value !== undefined);
  const precision = last(cost(results, "jerk cpu", "jerk double-single"));
  /** [10⁻¹²] of the largest run that covers a time unit. */
  const error = (engine: RunEngine) => {
    const found = cases.runs.map((count) => results.of(RUN, { count, engine })).findLast((run) => run?.span === 1);
    return found && Math.abs(found.energyError) / 1e-12;
  };
  const double = "double over double-single precision";
  const [order6, onCpu] = ["order 6 over order 4, double", "(ours: float64 on the CPU)"];
  return [
    ...beside({ where: "sect. 3.1, fig. 1" }, [["targets that fill the GPU", 256, targetsAtFullSpeed(results, cases)]]),
    ...beside({ where: "sect. 3.2, fig. 2" }, [
      // Below, its kernels of one thread a target leave the GPU idle.
      ["active targets below which sharing out the sources pays", 128, targetsWithoutSharing(results)],
    ]),
    ...beside({ where: "sect. 3.4, fig. 3" }, [
      [`${double}, K20m, HD7970 ${onCpu}`, 2.8, precision],
      [`${double}, GTX680 ${onCpu}`, 10, precision],
    ]),
    ...beside({ where: "sect. 3.5, fig. 4" }, [
      [`${order6}-single`, 2, last(cost(results, "snap double-single", "jerk double-single"))],
      [`${order6} precision ${onCpu}`, 1.4, last(cost(results, "snap cpu", "jerk cpu"))],
      [`${double}, order 6 ${onCpu}`, 2, last(cost(results, "snap cpu", "snap double-single"))],
    ]),
    ...beside({ where: "sect. 3.6, fig. 5" }, [
      ["four GPUs over one, largest N (“near perfect”; ours: measured on 4 ranks)", 4, last(rankedGain(results, 4))],
      ["four GPUs over one, largest N (ours: the model)", 4, last(modelledGain(results, 4))],
    ]),
    ...beside({ where: "sect. 3.7, fig. 6", unit: "10⁻¹²" }, [
      ["|ΔE/E| after a time unit, double-single", PAPER_ERRORS["double-single"] / 1e-12, error("double-single")],
      [`|ΔE/E| after a time unit, double precision ${onCpu}`, PAPER_ERRORS.cpu / 1e-12, error("cpu")],
    ]),
    ...beside({ where: "sect. 4.1, fig. 7" }, [
      [
        "targets = sources above which the GPU is faster, against 8 cores (ours: one thread)",
        100,
        evenAt(results, cases),
      ],
    ]),
  ];
}

/** `grid`: repetitions of each combination; `run`: a block-step run may take this long [s]. */
const plans = ({ quick }: StudySettings) => ({
  kernels: quick ? { repetitions: 3, about: 0.03, longest: 0.5 } : { repetitions: 10, about: 0.1, longest: 10 },
  square: quick ? { repetitions: 3, longest: 0.4 } : { repetitions: 3, longest: 3 },
  ...(quick ? { grid: 2, run: 6 } : { grid: 5, run: 120 }),
});

function measurements(settings: StudySettings) {
  const plan = plans(settings);
  const cases = casesOf(settings);
  const kernels = { sources: SOURCES, precision: PRECISION, ...plan.kernels };
  return [
    ...cases.shapes.map((targets) => SHAPES.of({ targets, ...kernels })),
    FEW.of({ active: cases.active, ...kernels }),
    ...cases.squares.map((count) => SQUARE.of({ count, ...plan.square })),
    ...cases.runs.flatMap((count) => RUN_ENGINES.map((engine) => RUN.of({ count, engine, longest: plan.run }))),
    ...RANKS.map((ranks) => RANKED.of({ ranks, counts: cases.squares, ...plan.square })),
    ...cases.grid.map((sources) => GRID.of({ sources, targets: cases.grid, repetitions: plan.grid })),
  ];
}

const REMARKS = [
  "The paper gives its times in plots only; beside ours stand the figures of its text. It ran on a GTX480, GTX680, K20m, GTX Titan and HD7970; its kernels find neighbours in the same pass.",
  "WebGPU has no double precision: float64 is the CPU’s here, one thread of JavaScript. The paper’s double precision is the GPU’s, and its CPU is an SSE2 kernel on up to eight cores.",
  "The paper’s figure 1 is over CUDA’s blocks and threads, ours over variants of the kernel, which all give the same bits. “1D” and “2D” blocks of its figure 2 correspond to variants that don’t share out the sources and that do.",
  "The runs choose steps by the mean of the criteria of orders 4 and 6 on the GPU, as the paper’s do, and by that of order 6 on the CPU. The largest step is 1/8 and ε = 1/256; the paper gives neither. It has 16384 to 524288 particles.",
  "An evaluation of figures 3, 4 and 7 goes from float64 arrays to float64 arrays, checks and copies of the library included; on the CPU, too.",
  "Figure 5 is measured under mpirun, a rank a GPU; what the folder holds already stays: mpirun --bind-to none -n 4 gravmesh bench sapporo2. The paper shares out the sources, ours are the targets, so that results don’t depend on the number of ranks. Ranks on one device share its time.",
  "The four-GPU lines of figure 6 and the Xeon Phi (section 4.2) aren’t measured.",
];

function present(results: Results, settings: StudySettings) {
  const cases = casesOf(settings);
  const views = together([
    shapes(results, cases),
    ...fewTargets(results),
    squares(results, cases),
    several(results, cases),
    runs(results, cases),
    ...grid(results, cases),
  ]);
  return { ...views, comparison: published(results, cases), remarks: REMARKS };
}

export const suite: Suite = {
  id: "sapporo2",
  title: "A library for direct summation",
  paper: "J. Bédorf, E. Gaburov & S. Portegies Zwart 2015, Sapporo2: A versatile direct N-body library, ComAC 2, 8",
  hardware: "a GTX480, GTX680, K20m, GTX Titan and HD7970; the CPU is a Xeon E5620",
  about:
    "Forces with jerk, for Hermite’s order 4, and snap, for order 6: kernel variants and few active targets of 131072 sources, " +
    "as many targets as sources in each precision, block-step runs of Plummer spheres with Hermite 6, η₄ = 0.01 and " +
    "η₆ = 0.1, and the GPU against the CPU over targets and sources.",
  measurements,
  present,
  ranked: [SQUARES_OF_RANKS],
};
