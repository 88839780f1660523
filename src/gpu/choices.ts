/**
 * Choices between shapes of a kernel: those that a user pins, those that were made before, and where they are kept.
 * How the others are made: tune.ts.
 */
import { GravmeshError } from "../errors.ts";

/** Keeps choices by key; the Node door stores them in a file, a page may use its own storage. */
export interface ChoiceCache {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

export class MemoryChoiceCache implements ChoiceCache {
  readonly #choices = new Map<string, string>();
  get(key: string): string | undefined {
    return this.#choices.get(key);
  }
  set(key: string, value: string): void {
    this.#choices.set(key, value);
  }
}

/** Stages whose kernels have several shapes, all with the same bits. */
export const SHAPED_STAGES = ["scan", "order", "deposit", "gradient", "update", "multigrid", "direct"] as const;

export type ShapedStage = (typeof SHAPED_STAGES)[number];

/** Shapes that are taken whatever a measurement would say. */
export interface ShapePins {
  /** The shape of a stage, out of those that are there; undefined leaves the choice to others. `usual`: what wins mostly. */
  pinned(stage: ShapedStage, shapes: readonly string[], usual: string | undefined): string | undefined;
}

/**
 * Pins as a user writes them: `usual` for what usually wins on adapters of that kind, without any measurement, or
 * `stage=shape` with semicolons between them, as `deposit=direct; update=1 in a run`; both may be mixed. Throws "usage".
 */
export function pinnedShapes(text: string): ShapePins {
  const pins = new Map<ShapedStage, string>();
  let others: "usual" | undefined;
  for (const part of text.split(";").map((one) => one.trim())) {
    if (part === "") continue;
    const [name, shape] = part.split("=").map((word) => word.trim());
    const stage = SHAPED_STAGES.find((known) => known === name);
    if (part === "usual") others = "usual";
    else if (stage && shape) pins.set(stage, shape);
    else {
      const stages = SHAPED_STAGES.join(", ");
      throw new GravmeshError(
        "usage",
        `kernel shapes: expected "usual" or stage=shape, with a stage of ${stages}, found "${part}"`,
      );
    }
  }
  return {
    pinned(stage, shapes, usual) {
      const shape = pins.get(stage);
      if (shape === undefined) return others && usual;
      if (shapes.includes(shape)) return shape;
      throw new GravmeshError(
        "usage",
        `kernel shape of the stage "${stage}": expected one of ${shapes.join("; ")}, found "${shape}"`,
      );
    },
  };
}

export interface ChoiceOptions {
  /** Of the user. */
  pins?: ShapePins | undefined;
  /** Choices of the simulation that goes on, by purpose. */
  earlier?: Readonly<Record<string, string>> | undefined;
}

/**
 * The choices of a device, or of one simulation on it, which keeps a record of its own, by purpose: one that is continued
 * goes on with the shapes that it began with. Only of shapes that round differently does a result depend on that.
 */
export class Choices {
  readonly #made: Map<string, string>;

  constructor(
    private readonly cache: ChoiceCache,
    /** Names the adapter in the cache, and what else its measurements hang on. */
    private readonly adapter: string,
    private readonly options: ChoiceOptions = {},
  ) {
    this.#made = new Map(Object.entries(options.earlier ?? {}));
  }

  /** Of a simulation that begins, or goes on with the choices that it has made before. */
  ofSimulation(earlier?: Readonly<Record<string, string>>): Choices {
    return new Choices(this.cache, this.adapter, { pins: this.options.pins, earlier });
  }

  /** The shape of a stage that the user wants. */
  pinned(stage: ShapedStage, shapes: readonly string[], usual?: string): string | undefined {
    return shapes.length > 1 ? this.options.pins?.pinned(stage, shapes, usual) : undefined;
  }

  get(purpose: string): string | undefined {
    const known = this.#made.get(purpose) ?? this.cache.get(this.#key(purpose));
    if (known !== undefined) this.#made.set(purpose, known);
    return known;
  }

  /**
   * The shape of a kernel whose shapes round differently: `usual`, or the first where that isn't among `shapes`, and
   * what this simulation began with where it goes on. No measurement, no cache and no pin has a say.
   */
  fixed<T extends string>(purpose: string, shapes: readonly T[], usual: T): T {
    const begun = shapes.find((shape) => shape === this.#made.get(purpose));
    const shape = begun ?? (shapes.includes(usual) ? usual : shapes[0]);
    this.#made.set(purpose, shape);
    return shape;
  }

  /** Takes a choice for this simulation that nobody measured. */
  settle(purpose: string, value: string): void {
    this.#made.set(purpose, value);
  }

  set(purpose: string, value: string): void {
    this.#made.set(purpose, value);
    this.cache.set(this.#key(purpose), value);
  }

  /** What has been chosen so far, by purpose. */
  get made(): Record<string, string> {
    return Object.fromEntries(this.#made);
  }

  #key(purpose: string): string {
    return `${this.adapter}|${purpose}`;
  }
}
