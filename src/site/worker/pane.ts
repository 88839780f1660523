/** A place for pictures: its canvases, what it shows, and what it tells the page, gathered to a few messages a second. */

import { type View, wholeBox } from "../../view/view.ts";
import type { PaneCanvases, PaneNews, PaneRow, PaneSize, PaneState, Problem } from "../stage.ts";
import type { Exhibit } from "./exhibit.ts";
import type { Painter } from "./painter.ts";
import { problemIn } from "./problem.ts";

/** From message to message at least [ms]. */
const TELL_EVERY = 100;
/** Over which pictures are counted [ms]. */
const COUNTED = 1000;

const NOTHING: PaneState = {
  ...{ status: "empty", title: "", time: 0, start: 0, end: 0, step: 0, fraction: 0, particles: 0, cells: undefined },
  ...{ boxSize: 1, periodic: false, units: { length: "", time: "", mass: "", velocity: "" }, components: [] },
  ...{ backend: undefined, adapter: undefined, stepsPerSecond: 0, framesPerSecond: 0 },
};

export class PaneShow {
  #exhibit: Exhibit | undefined;
  /** What has stopped it, whatever it shows. */
  #problem: Problem | undefined;
  #painter: Painter | undefined;
  #stale = false;
  #drawing: Promise<void> | undefined;
  readonly #drawn: number[] = [];
  #waiting: Exclude<PaneNews, { news: "state" }>[] = [];
  #stateTold = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastTold = Number.NEGATIVE_INFINITY;

  constructor(
    readonly canvases: PaneCanvases,
    private size: PaneSize,
    private readonly news: (news: PaneNews) => void,
    private readonly wake: () => void,
  ) {}

  get exhibit(): Exhibit | undefined {
    return this.#exhibit;
  }

  get failed(): boolean {
    return this.#problem !== undefined;
  }

  /** Shows this instead of what was there. */
  show(exhibit: Exhibit | undefined, painter: Painter | undefined): void {
    this.#exhibit?.destroy();
    if (this.#painter !== painter) this.#painter?.destroy();
    this.#exhibit = exhibit;
    this.#painter = painter;
    this.#problem = undefined;
    this.#waiting = [];
    this.#painter?.resize(this.size);
    if (!exhibit) this.#painter?.clear();
    this.changed("particles");
    this.changed("state");
  }

  get painter(): Painter | undefined {
    return this.#painter;
  }

  /** It can't go on. */
  fail(error: unknown): void {
    this.#problem = problemIn(error);
    this.changed("state");
  }

  resize(size: PaneSize): void {
    this.size = size;
    this.#painter?.resize(size);
    this.changed("particles");
  }

  changed(what: "particles" | "state"): void {
    if (what === "particles") {
      this.#stale = true;
      this.wake();
    } else {
      this.#stateTold = false;
      this.#tellSoon();
    }
  }

  tell(news: Exclude<PaneNews, { news: "state" }>): void {
    this.#waiting.push(news);
    this.#tellSoon();
  }

  get state(): PaneState {
    const state = this.#exhibit?.state();
    const own = { framesPerSecond: this.#framesPerSecond() };
    if (!state) return { ...NOTHING, ...own, ...(this.#problem && { status: "failed", problem: this.#problem }) };
    return { ...state, ...own, ...(this.#problem && { status: "failed", problem: this.#problem }) };
  }

  /** Whether its picture isn't that of its particles. */
  get stale(): boolean {
    return this.#stale && !this.failed;
  }

  /** The view for what is shown, where nobody has said how it is to be looked at. */
  firstView(): View | undefined {
    const state = this.#exhibit?.state();
    return state && state.particles > 0 ? wholeBox(state.boxSize) : undefined;
  }

  /** Draws; resolves when the device has done so. A picture that is under way is waited for first. */
  async draw(view: View): Promise<void> {
    await this.#drawing;
    const drawable = this.failed ? undefined : this.#exhibit?.drawable();
    this.#stale = false;
    if (!drawable || !this.#painter) return;
    this.#drawing = this.#painter.draw(drawable, view).catch((error: unknown) => this.fail(error));
    await this.#drawing;
    this.#drawn.push(performance.now());
    if (this.#drawn.length > 200) this.#drawn.splice(0, 100);
  }

  #framesPerSecond(): number {
    const since = performance.now() - COUNTED;
    return this.#drawn.filter((at) => at > since).length / (COUNTED / 1000);
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lastTold + TELL_EVERY - performance.now());
    this.#timer = setTimeout(() => this.#tellNow(), wait);
  }

  #tellNow(): void {
    this.#timer = undefined;
    this.#lastTold = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const news of merged(waiting)) this.news(news);
    if (!this.#stateTold) {
      this.#stateTold = true;
      this.news({ news: "state", state: this.state });
    }
  }
}

/** Rows that follow each other in one message; of spectra the last alone. */
function merged(all: readonly Exclude<PaneNews, { news: "state" }>[]): Exclude<PaneNews, { news: "state" }>[] {
  const found: Exclude<PaneNews, { news: "state" }>[] = [];
  let rows: { news: "rows"; rows: PaneRow[]; fresh: boolean } | undefined;
  for (const news of all) {
    if (news.news === "rows") {
      if (rows && !news.fresh) rows.rows.push(...news.rows);
      else {
        rows = { ...news, rows: [...news.rows] };
        found.push(rows);
      }
    } else found.push(news);
  }
  const lastSpectrum = found.findLastIndex(({ news }) => news === "spectrum");
  return found.filter(({ news }, i) => news !== "spectrum" || i === lastSpectrum);
}
