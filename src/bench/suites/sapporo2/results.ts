/** The results of the suite `sapporo2` by what was measured, and what is derived from them. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Results, SuiteSettings } from "../suite.ts";
import type { BlockResult } from "./blocks.ts";
import {
  type Engine,
  FULL,
  type GpuEngine,
  gridCounts,
  type Order,
  runCounts,
  shapeTargets,
  squareCounts,
} from "./cases.ts";
import { type Evaluation, type GridRow, type Square, variantName } from "./evaluate.ts";
import { type FewTargets, namesOf, type ShapeScan } from "./kernels.ts";

export const shapesKey = (targets: number) => `shapes-${targets}`;
export const fewKey = (engine: GpuEngine) => `few-${engine}`;
export const squareKey = (count: number) => `square-${count}`;
export const gridKey = (sources: number) => `grid-${sources}`;
export const runKey = (count: number, engine: Engine) => `run-${count}-${engine}`;

type Maybe = number | undefined;

export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined || below === 0 ? undefined : above / below;
}

/** Interactions per second at this share of the best count as full speed, and so does a shape within the same. */
const NEARLY = 0.9;

export class Sapporo {
  readonly #results: Results;
  readonly settings: SuiteSettings;

  constructor(results: Results, settings: SuiteSettings) {
    this.#results = results;
    this.settings = settings;
  }

  #made<Result extends object>(key: string): Result | undefined {
    const found = this.#results.get<Result | LeftOut>(key);
    return isLeftOut(found) ? undefined : found;
  }

  shapes(targets: number): ShapeScan | undefined {
    return this.#made(shapesKey(targets));
  }

  few(engine: GpuEngine): FewTargets | undefined {
    return this.#made(fewKey(engine));
  }

  evaluation(count: number, order: Order, engine: Engine): Evaluation | undefined {
    return this.#made<Square>(squareKey(count))?.variants[variantName(order, engine)];
  }

  gridRow(sources: number): GridRow | undefined {
    return this.#made(gridKey(sources));
  }

  run(count: number, engine: Engine): BlockResult | undefined {
    return this.#made(runKey(count, engine));
  }

  /** Names of shapes in any scan. */
  get shapeNames(): string[] {
    const scans = shapeTargets(this.settings).flatMap((targets) => this.shapes(targets) ?? []);
    return [...new Set(scans.flatMap(({ shapes }) => Object.keys(shapes)))];
  }

  /** Targets of the scan from which the rate is within a tenth of the best. */
  get targetsAtFullSpeed(): Maybe {
    const rates = shapeTargets(this.settings).flatMap((targets) => {
      const scan = this.shapes(targets);
      if (!scan) return [];
      const quickest = Math.min(...Object.values(scan.shapes).map(({ seconds }) => seconds));
      return [{ targets, rate: targets / quickest }];
    });
    const best = Math.max(...rates.map(({ rate }) => rate));
    return rates.find(({ rate }) => rate >= NEARLY * best)?.targets;
  }

  /** Active targets from which on it doesn't pay to share out the sources; undefined where that is beyond the last. */
  targetsWithoutSharing(engine: GpuEngine): Maybe {
    const found = this.few(engine);
    if (!found) return undefined;
    const { chosen, times } = found;
    const sharing = [...new Set([chosen.fewest, chosen.few])];
    const others = namesOf(chosen).filter((name) => !sharing.includes(name));
    const last = times.findLastIndex(({ shapes }) => {
      const quickest = (names: string[]) => Math.min(...names.map((name) => shapes[name].seconds));
      return others.length > 0 && quickest(sharing) < NEARLY * quickest(others);
    });
    return times[last + 1]?.targets;
  }

  /** Of the fastest shape for FULL targets, a target's part [s]. */
  share(engine: GpuEngine): Maybe {
    const full = this.few(engine)?.times.find(({ targets }) => targets === FULL);
    return full && Math.min(...Object.values(full.shapes).map(({ seconds }) => seconds)) / FULL;
  }

  /** Time of a shape over what so many targets are of the time for all of FULL. */
  timesShare(engine: GpuEngine, targets: number, shape: string): Maybe {
    const found = this.few(engine)?.times.find((one) => one.targets === targets);
    const share = this.share(engine);
    return ratio(found?.shapes[shape]?.seconds, share && share * targets);
  }

  /** One kind of evaluation over another at the largest N that has both, in time. */
  cost([order, engine]: [Order, Engine], [other, by]: [Order, Engine]): Maybe {
    return squareCounts(this.settings)
      .map((count) => this.costAt(count, [order, engine], [other, by]))
      .findLast((value) => value !== undefined);
  }

  costAt(count: number, [order, engine]: [Order, Engine], [other, by]: [Order, Engine]): Maybe {
    return ratio(this.evaluation(count, order, engine)?.seconds, this.evaluation(count, other, by)?.seconds);
  }

  /** CPU over GPU in time. */
  gain(targets: number, sources: number): Maybe {
    const found = this.gridRow(sources)?.times.find((one) => one.targets === targets);
    return ratio(found?.cpu, found?.gpu);
  }

  /** Targets and as many sources at which GPU and CPU are equally fast, between measured ones, or the fewest of those. */
  get evenAt(): Maybe {
    const found = gridCounts(this.settings).flatMap((count) => {
      const gain = this.gain(count, count);
      return gain === undefined ? [] : [{ x: Math.log(count), y: Math.log(gain) }];
    });
    const after = found.findLastIndex(({ y }) => y < 0) + 1;
    if (after === found.length) return undefined;
    if (after === 0) return found.length > 0 ? gridCounts(this.settings)[0] : undefined;
    const [from, to] = [found[after - 1], found[after]];
    return Math.exp(from.x + ((to.x - from.x) * -from.y) / (to.y - from.y));
  }

  /** |ΔE/E| of the largest run that covers a time unit. */
  energyError(engine: Engine): Maybe {
    const runs = runCounts(this.settings).map((count) => this.run(count, engine));
    const last = runs.findLast((run) => run !== undefined && run.span === 1);
    return last && Math.abs(last.energyError);
  }
}
