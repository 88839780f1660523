/** A place for pictures: its canvases, what it shows, and what it tells the page, gathered to a few messages a second. */

import { GravmeshError } from "../../base/errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import type { PictureSize } from "../../view/camera.ts";
import type { Drawn, Picture } from "../../view/picture.ts";
import { type View, wholeBox } from "../../view/view.ts";
import type { PaneCanvases, PaneGrid, PaneNews, PaneRow, PaneSize, PaneState, Problem } from "../stage.ts";
import type { Exhibit } from "./exhibit.ts";
import { drawLegend } from "./legend.ts";
import { type Painter, painterOn } from "./painter.ts";
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

/** A picture while something is dragged should take so long at most, and needs no fewer particles below the other [ms]. */
const [SLOW, QUICK] = [30, 10];
/** Every k-th particle of a dragged picture at least. */
const THINNEST = 64;
/** Letters of the legend on the screen [CSS pixel]. */
const LETTER = 13;

export class PaneShow {
  #exhibit: Exhibit | undefined;
  /** What has stopped it, whatever it shows. */
  #problem: Problem | undefined;
  #painter: Painter | undefined;
  #stale = false;
  /** While something is dragged every so many particles are drawn. */
  #thin = 1;
  /** Device pixels of a CSS pixel. */
  #ratio = 1;
  #legend: OffscreenCanvasRenderingContext2D | undefined;
  readonly #drawn: number[] = [];
  #waiting: Exclude<PaneNews, { news: "state" }>[] = [];
  #stateTold = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastTold = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly canvases: PaneCanvases,
    size: PaneSize,
    private readonly news: (news: PaneNews) => unknown,
    private readonly wake: () => void,
  ) {
    this.resize(size);
  }

  get exhibit(): Exhibit | undefined {
    return this.#exhibit;
  }

  get failed(): boolean {
    return this.#problem !== undefined;
  }

  /** Shows what `make` makes instead of what was there; nothing without. Resolves when the page knows it. */
  async show(make: (() => Exhibit) | undefined, gpu: GpuContext | undefined): Promise<void> {
    this.#exhibit?.destroy();
    this.#exhibit = this.#problem = undefined;
    this.#waiting = [];
    this.#stateTold = false;
    if (!make || (this.#painter && this.#painter.gpu !== gpu)) {
      this.#legend?.clearRect(0, 0, this.size.width, this.size.height);
      this.#painter?.destroy();
      this.#painter = undefined;
    }
    if (make) {
      this.#painter ??= await painterOn(gpu, this.canvases);
      this.#exhibit = make();
      this.changed("particles");
    }
    await this.told();
  }

  /** Of its picture [pixel]. */
  get size(): PictureSize {
    const { width, height } = this.canvases.picture;
    return { width, height };
  }

  get showsSomething(): boolean {
    return !this.failed && this.#exhibit?.drawable() !== undefined;
  }

  /** In bytes; of the view that is there where none is given. */
  async picture(view: View | undefined, size: PictureSize): Promise<Picture> {
    const drawable = this.#exhibit?.drawable();
    if (!drawable || !this.#painter) throw new GravmeshError("usage", "nothing is shown that a picture could be of");
    return this.#painter.picture(drawable, view ?? this.#wholeBox(), size);
  }

  drawLegend(context: OffscreenCanvasRenderingContext2D, drawn: Drawn, letters?: number): void {
    drawLegend(context, drawn, this.state, letters);
  }

  #wholeBox(): View {
    return wholeBox(this.#exhibit?.state().boxSize ?? 1);
  }

  /** It can't go on. */
  fail(error: unknown): void {
    this.#problem = problemIn(error);
    this.changed("state");
  }

  resize({ width, height, ratio }: PaneSize): void {
    this.#ratio = ratio;
    for (const canvas of [this.canvases.picture, this.canvases.legend]) {
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    }
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
    const state = this.#exhibit?.state() ?? NOTHING;
    const problem = this.#problem && { status: "failed" as const, problem: this.#problem };
    return { ...state, framesPerSecond: this.#framesPerSecond(), ...problem };
  }

  /** Whether its picture isn't that of its particles. */
  get stale(): boolean {
    return this.#stale && this.#exhibit !== undefined && !this.failed;
  }

  /** Draws; resolves when the device has done so. `moving`: fewer particles where all take long. */
  async draw(view: View | undefined, moving: boolean): Promise<void> {
    this.#stale = false;
    const [drawable, painter] = [this.#exhibit?.drawable(), this.#painter];
    if (!drawable || !painter || this.failed) return;
    const state = this.#exhibit!.state();
    const looked = view ?? this.#wholeBox();
    const every = looked.every * (moving ? this.#thin : 1);
    const began = performance.now();
    try {
      const drawn = await painter.draw(drawable, { ...looked, every }, moving || state.status === "running");
      this.#showLegend(drawn);
    } catch (error) {
      this.fail(error);
      return;
    }
    const took = performance.now() - began;
    if (took > SLOW) this.#thin = Math.min(THINNEST, 2 * this.#thin);
    else if (moving && took < QUICK) this.#thin = Math.max(1, this.#thin / 2);
    this.#drawn.push(performance.now());
    if (this.#drawn.length > 200) this.#drawn.splice(0, 100);
    this.changed("state");
  }

  /** Of the picture on the screen. */
  #showLegend(drawn: Drawn): void {
    const { legend } = this.canvases;
    this.#legend ??= legend.getContext("2d") ?? undefined;
    this.#legend?.clearRect(0, 0, legend.width, legend.height);
    if (this.#legend) this.drawLegend(this.#legend, drawn, LETTER * this.#ratio);
  }

  /** The integers of a picture of now, and the particles that they are of. */
  async grid(view: View | undefined): Promise<PaneGrid> {
    await this.draw(view, false);
    const [counts, particles] = [await this.#painter?.counts(), await this.#exhibit?.particles()];
    if (!counts || !particles) throw new GravmeshError("usage", "nothing is shown that could be counted");
    const { width, height, layers, view: seen } = counts;
    const { boxSize, periodic, positions, velocities, images } = particles;
    return {
      ...{ width, height, counts: counts.counts, layers, view: seen, boxSize, periodic },
      ...{ positions, velocities, ...(images && { images }) },
    };
  }

  destroy(): void {
    this.#exhibit?.destroy();
    this.#painter?.destroy();
    clearTimeout(this.#timer);
  }

  #framesPerSecond(): number {
    const since = performance.now() - COUNTED;
    return this.#drawn.filter((at) => at > since).length / (COUNTED / 1000);
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lastTold + TELL_EVERY - performance.now());
    this.#timer = setTimeout(() => void this.#tellNow(), wait);
  }

  /** Tells what waits to be told; resolves when the page knows it. */
  async told(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#tellNow();
  }

  async #tellNow(): Promise<void> {
    this.#timer = undefined;
    this.#lastTold = performance.now();
    const news: PaneNews[] = merged(this.#waiting);
    this.#waiting = [];
    if (!this.#stateTold) news.push({ news: "state", state: this.state });
    this.#stateTold = true;
    await Promise.all(news.map((one) => this.news(one)));
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
