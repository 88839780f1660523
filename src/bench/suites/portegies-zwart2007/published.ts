/**
 * The figures that Portegies Zwart, Belleman & Geldof (2007) print: table 2, the fits of eqs. 14 and 17, the energy errors
 * of sections 4.2 and 6, and table 3. Their figures are plots of these.
 */
import type { Published, Results, SuiteSettings } from "../suite.ts";
import { COUNTS, ENGINE_NAMES, type Engine, energies } from "./cases.ts";
import { PAPER_MACHINES, type PaperMachine, paperBlocks, paperMembers, TABLE_3, TABLE_3_HOST } from "./model.ts";
import { PortegiesZwart } from "./results.ts";

/** Table 2: seconds of a quarter time unit, for each of COUNTS. */
export const TABLE_2: Record<PaperMachine, readonly number[]> = {
  "GRAPE-6Af": [0.07098, 0.141, 0.3327, 0.7652, 1.991, 5.552, 16.32, 51.68, 178.2],
  "8800GTX": [2.708, 8.777, 17.46, 45.27, 128.3, 342.7, 924.4, 1907, 3973],
  FX1400: [3.423, 10.59, 20.2, 54.16, 157.8, 617.3, 3398, 13_180, 40_560],
  Xeon: [0.1325, 0.5941, 2.584, 10.59, 50.4, 224.7, 994, 4328, 19_290],
};

/** What of ours stands beside a machine of theirs: GPUs beside single precision, GRAPE beside pairs, hosts beside hosts. */
export const BESIDE: Record<PaperMachine, Engine> = {
  "GRAPE-6Af": "double-single",
  "8800GTX": "single",
  FX1400: "single",
  Xeon: "cpu",
};

type Ours = (found: PortegiesZwart) => number | undefined;

function row(quantity: string, where: string, value: Published["value"], ours: Ours, unit?: string): Published {
  return {
    quantity,
    where,
    value,
    ...(unit && { unit }),
    ours: (results: Results) => ours(new PortegiesZwart(results)),
  };
}

function times(): Published[] {
  return PAPER_MACHINES.flatMap((machine) =>
    COUNTS.map((count, i) => {
      const engine = BESIDE[machine];
      const quantity = `quarter time unit, ${count}, ${machine} (ours: ${ENGINE_NAMES[engine]})`;
      return row(quantity, "table 2", TABLE_2[machine][i], (found) => found.run(count, engine)?.seconds, "s");
    }),
  );
}

function blocks(): Published[] {
  return [
    ...COUNTS.map((count) =>
      row(`mean block, ${count}`, "eq. 14", paperMembers(count), (found) => found.blocks(count)?.members),
    ),
    ...COUNTS.map((count) =>
      row(`blocks of a time unit, ${count}`, "eq. 17", paperBlocks(count), (found) => found.blocks(count)?.blocks),
    ),
  ];
}

const MILLIONTHS = 1e6;
const millionths = (value: number | undefined) => value && MILLIONTHS * value;

function errors(settings: SuiteSettings): Published[] {
  const mean = (machine: PaperMachine, value: number, engine = BESIDE[machine]) =>
    row(
      `mean |ΔE/E| of a quarter, ν = 0.01, ${machine} (ours: ${ENGINE_NAMES[engine]})`,
      "sect. 6",
      value,
      (found) => millionths(found.meanError(engine)),
      "10⁻⁶",
    );
  const { counts, nus } = energies(settings);
  const floor = (machine: PaperMachine, value: number, where: string) =>
    row(
      `least |ΔE/E| over ν, ${machine} (ours: ${ENGINE_NAMES[BESIDE[machine]]})`,
      where,
      value,
      (found) => millionths(found.leastError(counts, nus, BESIDE[machine])),
      "10⁻⁶",
    );
  return [
    mean("8800GTX", 1.7),
    mean("FX1400", 5.1),
    mean("GRAPE-6Af", 0.19),
    floor("8800GTX", 0.1, "fig. 2, sect. 4.2"),
    floor("GRAPE-6Af", 1e-5, "fig. 2, sect. 4.2"),
  ];
}

const NANOSECONDS = 1e9;
const nanoseconds = (value: number | undefined) => value && NANOSECONDS * value;

function costs(): Published[] {
  const rounded = (seconds: number) => Number((NANOSECONDS * seconds).toPrecision(3));
  const one = (quantity: string, value: number, ours: Ours) =>
    row(quantity, "table 3", rounded(value), (found) => nanoseconds(ours(found)), "ns");
  const ours = (engine: Engine) => `(ours: ${ENGINE_NAMES[engine]})`;
  return [
    one("a particle predicted and corrected on the host (ours: CPU, float64)", TABLE_3_HOST, (found) => {
      const cpu = found.costs("cpu");
      return cpu && cpu.loops[0].predict + cpu.correct;
    }),
    ...PAPER_MACHINES.map((machine) =>
      one(
        `force between two particles, ${machine} ${ours(BESIDE[machine])}`,
        TABLE_3[machine].pair,
        (found) => found.costs(BESIDE[machine])?.pair,
      ),
    ),
    one(
      "sending a particle, 8800GTX (ours: not in a run)",
      TABLE_3["8800GTX"].send!,
      (found) => found.costs("single")?.send,
    ),
    one(
      "receiving a particle, 8800GTX (ours: not in a run)",
      TABLE_3["8800GTX"].receive!,
      (found) => found.costs("single")?.receive,
    ),
  ];
}

function speedUps(): Published[] {
  const engine = BESIDE["8800GTX"];
  return [
    ...COUNTS.map((count) =>
      row(
        `speed-up over the host, ${count}, 8800GTX (ours: ${ENGINE_NAMES[engine]})`,
        "fig. 4, table 2",
        Number(speedUp("8800GTX", count).toPrecision(3)),
        (found) => found.speedUp(count, engine),
      ),
    ),
    row(
      "speed-up over the host for many particles, 8800GTX (ours: the largest)",
      "sect. 5.4",
      { atLeast: 10 },
      (found) => {
        const values = COUNTS.flatMap((count) => found.speedUp(count, engine) ?? []);
        return values.length === 0 ? undefined : Math.max(...values);
      },
    ),
  ];
}

/** A machine's speed-up over the Xeon, by table 2. */
export function speedUp(machine: PaperMachine, count: number): number {
  const i = COUNTS.indexOf(count);
  return TABLE_2.Xeon[i] / TABLE_2[machine][i];
}

export function published(settings: SuiteSettings): Published[] {
  return [...times(), ...blocks(), ...errors(settings), ...costs(), ...speedUps()];
}
