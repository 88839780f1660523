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
export const SHAPED_STAGES = [
  "scan",
  "order",
  "reorder",
  "deposit",
  "gradient",
  "update",
  "multigrid",
  "direct",
] as const;

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

/** A question that was never answered beyond doubt isn't asked more often: its answers are as good as another, or always will be. */
const MOST_VOTES = 5;
/** After each answer in doubt, and between them, in what a cache keeps: "rows?; runs-8?". */
const IN_DOUBT = "?";
const NEXT = "; ";

/** The answers in doubt that a cache keeps; none where it keeps one beyond doubt, or anything else. */
function votesIn(kept = ""): string[] {
  const answers = kept.split(NEXT);
  return answers.every((one) => one.endsWith(IN_DOUBT)) ? answers.map((one) => one.slice(0, -IN_DOUBT.length)) : [];
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

  /** Undefined where there is none, or none beyond doubt. */
  get(purpose: string): string | undefined {
    const made = this.#made.get(purpose);
    if (made !== undefined) return made;
    const kept = this.cache.get(this.#key(purpose));
    if (kept === undefined || votesIn(kept).length > 0) return undefined;
    this.#made.set(purpose, kept);
    return kept;
  }

  /** Whether later starts will find an answer beyond doubt, and so needn't measure. */
  isSettledForGood(purpose: string): boolean {
    const kept = this.cache.get(this.#key(purpose));
    return kept !== undefined && votesIn(kept).length === 0;
  }

  /** The last choice of the simulation that goes on for a purpose that begins so; undefined where none does. */
  earlier(about: string): { purpose: string; choice: string } | undefined {
    const [purpose, choice] =
      Object.entries(this.options.earlier ?? {}).findLast(([key]) => key.startsWith(about)) ?? [];
    return purpose !== undefined && choice !== undefined ? { purpose, choice } : undefined;
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

  /**
   * Takes what was measured but is in doubt, together with what earlier starts found: what was found most often, in a draw
   * the usual one, else the latest. It isn't known to later starts, which measure again, until so many have that it stays.
   */
  vote(purpose: string, found: string, { names, usual }: { names: readonly string[]; usual: string }): string {
    const key = this.#key(purpose);
    const earlier = votesIn(this.cache.get(key)).filter((name) => names.includes(name));
    const votes = [...earlier, found];
    const count = (name: string) => votes.filter((vote) => vote === name).length;
    const most = Math.max(...votes.map(count));
    const first = votes.filter((name) => count(name) === most);
    const winner = first.includes(usual) ? usual : first[first.length - 1];
    this.#made.set(purpose, winner);
    this.cache.set(key, votes.length < MOST_VOTES ? votes.map((vote) => `${vote}${IN_DOUBT}`).join(NEXT) : winner);
    return winner;
  }

  /** What has been chosen so far, by purpose. */
  get made(): Record<string, string> {
    return Object.fromEntries(this.#made);
  }

  #key(purpose: string): string {
    return `${this.adapter}|${purpose}`;
  }
}
