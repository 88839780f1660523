/** A place for pictures: its canvases, what it shows, and the events that it sends to the page, a few times a second. */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { momentInTerminal } from "../../../run/page/units.ts";
import type { PictureSize } from "../../../studio/view/camera.ts";
import { HostRenderer } from "../../../studio/view/host-renderer.ts";
import { drawLegend } from "../../../studio/view/legend.ts";
import type { Drawn, Picture } from "../../../studio/view/picture.ts";
import { Renderer } from "../../../studio/view/renderer.ts";
import { type View, wholeBox } from "../../../studio/view/view.ts";
import {
  type CurveEvent,
  EMPTY,
  type PaneCanvases,
  type PaneEvent,
  type PaneGrid,
  type PaneRow,
  type PaneSize,
  type PaneState,
  type StageProblem,
} from "../stage.ts";
import type { Exhibit } from "./exhibit.ts";
import { problemIn } from "./problem.ts";

/** Least time between messages [ms]. */
const SEND_EVERY = 100;

/** While something is dragged: a picture that takes longer than the first has fewer particles, quicker than the second more [ms]. */
const [SLOW, QUICK] = [30, 10];
/** Every k-th particle of a dragged picture at least. */
const THINNEST = 64;
/** The legend of a picture of this width or height is as large as on the screen; in a larger one it grows with it. */
const USUAL = 600;

/** What draws, and the context of the pane's canvas: of the device, or without one in two dimensions. */
type Painter = Awaited<ReturnType<typeof painterOn>>;

/** Throws "device" for a canvas that was drawn on by the other kind before. */
async function painterOn(gpu: GpuContext | undefined, { picture }: PaneCanvases) {
  const renderer = gpu ? await Renderer.create(gpu) : new HostRenderer();
  const context: unknown = gpu ? picture.getContext("webgpu") : picture.getContext("2d");
  if (!context) throw new GravmeshError("device", "the picture can't be drawn on another device: load the page again");
  return { gpu, renderer, context: context as never };
}

export class PaneShow {
  exhibit: Exhibit | undefined;
  /** What has stopped it, whatever it shows. */
  #problem: StageProblem | undefined;
  #painter: Painter | undefined;
  #stale = false;
  /** While something is dragged, every k-th particle is drawn. */
  #thin = 1;
  /** Device pixels to a CSS pixel. */
  #ratio = 1;
  #legend: OffscreenCanvasRenderingContext2D | undefined;
  #waiting: CurveEvent[] = [];
  #stateSent = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastSent = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly canvases: PaneCanvases,
    size: PaneSize,
    private readonly send: (event: PaneEvent) => unknown,
    private readonly wake: () => void,
  ) {
    this.resize(size);
  }

  get failed(): boolean {
    return this.#problem !== undefined;
  }

  /** Shows what `make` makes instead of what was there; nothing without. Resolves when the page knows it. */
  async show(make: (() => Exhibit) | undefined, gpu: GpuContext | undefined): Promise<void> {
    this.exhibit?.destroy();
    this.exhibit = this.#problem = undefined;
    this.#waiting = [];
    this.#stateSent = false;
    if (!make || (this.#painter && this.#painter.gpu !== gpu)) {
      this.#legend?.clearRect(0, 0, this.size.width, this.size.height);
      this.#painter?.renderer.destroy();
      this.#painter = undefined;
    }
    if (make) {
      this.#painter ??= await painterOn(gpu, this.canvases);
      this.exhibit = make();
      this.changed("particles");
    }
    await this.sent();
  }

  get size(): PictureSize {
    const { width, height } = this.canvases.picture;
    return { width, height };
  }

  get showsSomething(): boolean {
    return !this.failed && this.exhibit?.drawable() !== undefined;
  }

  /** In bytes; of the view that is there where none is given. */
  async picture(view: View | undefined, size: PictureSize): Promise<Picture> {
    const drawable = this.exhibit?.drawable();
    if (!drawable || !this.#painter) throw new GravmeshError("usage", "nothing is shown that a picture could be of");
    const { renderer } = this.#painter;
    renderer.show(drawable as never); // a scene where there is a device, particles where there is none
    return renderer.picture(view ?? this.#wholeBox(), size);
  }

  /** `ratio`: pixels of the picture to a CSS pixel; left out of a picture that is a file. */
  drawLegend(context: OffscreenCanvasRenderingContext2D, drawn: Drawn, ratio?: number): void {
    const { time, units, cores, boxSize, periodic } = this.state;
    const ofFile = Math.max(1, Math.min(drawn.width, drawn.height) / USUAL);
    const moment = momentInTerminal(time, units.time);
    const period = periodic ? boxSize : undefined;
    drawLegend(context, { drawn, ratio: ratio ?? ofFile, moment, units, cores, period });
  }

  #wholeBox(): View {
    return wholeBox(this.exhibit?.state().boxSize ?? 1);
  }

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
      this.#stateSent = false;
      this.#sendSoon();
    }
  }

  emit(event: CurveEvent): void {
    this.#waiting.push(event);
    this.#sendSoon();
  }

  get state(): PaneState {
    const state = this.exhibit?.state() ?? EMPTY;
    const problem = this.#problem && { status: "failed" as const, problem: this.#problem };
    return { ...state, ...problem };
  }

  get stale(): boolean {
    return this.#stale && this.exhibit !== undefined && !this.failed;
  }

  /** Draws; resolves to what was drawn when the device has done so. `moving`: fewer particles where all take long. */
  async draw(view: View | undefined, moving: boolean): Promise<Drawn | undefined> {
    this.#stale = false;
    const [drawable, painter] = [this.exhibit?.drawable(), this.#painter];
    if (!drawable || !painter || this.failed) return undefined;
    const state = this.exhibit!.state();
    const looked = view ?? this.#wholeBox();
    const every = looked.every * (moving ? this.#thin : 1);
    const began = performance.now();
    let drawn: Drawn;
    try {
      painter.renderer.show(drawable as never);
      const steady = moving || state.status === "running";
      drawn = await painter.renderer.draw({ ...looked, every }, painter.context, { steady });
      this.#showLegend(drawn);
    } catch (error) {
      this.fail(error);
      return undefined;
    }
    const took = performance.now() - began;
    if (took > SLOW) this.#thin = Math.min(THINNEST, 2 * this.#thin);
    else if (moving && took < QUICK) this.#thin = Math.max(1, this.#thin / 2);
    return drawn;
  }

  #showLegend(drawn: Drawn): void {
    const { legend } = this.canvases;
    this.#legend ??= legend.getContext("2d") ?? undefined;
    this.#legend?.clearRect(0, 0, legend.width, legend.height);
    if (this.#legend) this.drawLegend(this.#legend, drawn, this.#ratio);
  }

  /** The integers of a picture of now, and the particles that they are of. */
  async grid(view: View | undefined): Promise<PaneGrid> {
    await this.draw(view, false);
    const [counts, particles] = [await this.#painter?.renderer.counts(), await this.exhibit?.particles()];
    if (!counts || !particles) throw new GravmeshError("usage", "nothing is shown that could be counted");
    const { width, height, layers, view: seen, counts: sums } = counts;
    const { boxSize, periodic, positions, velocities, images } = particles;
    return { ...{ width, height, counts: sums, layers, view: seen }, boxSize, periodic, positions, velocities, images };
  }

  destroy(): void {
    this.exhibit?.destroy();
    this.#painter?.renderer.destroy();
    clearTimeout(this.#timer);
  }

  #sendSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lastSent + SEND_EVERY - performance.now());
    this.#timer = setTimeout(() => void this.#sendNow(), wait);
  }

  /** Sends what waits; resolves when the page has it. */
  async sent(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sendNow();
  }

  async #sendNow(): Promise<void> {
    this.#timer = undefined;
    this.#lastSent = performance.now();
    const events: PaneEvent[] = merged(this.#waiting);
    this.#waiting = [];
    if (!this.#stateSent) events.push({ event: "state", state: this.state });
    this.#stateSent = true;
    await Promise.all(events.map((event) => this.send(event)));
  }
}

/** Rows that follow each other become one event; of spectra and of rotation curves the last stays. */
function merged(all: readonly CurveEvent[]): CurveEvent[] {
  const found: CurveEvent[] = [];
  let rows: { event: "rows"; rows: PaneRow[]; fresh: boolean } | undefined;
  for (const event of all) {
    if (event.event !== "rows") found.push(event);
    else if (rows && !event.fresh) rows.rows.push(...event.rows);
    else {
      rows = { ...event, rows: [...event.rows] };
      found.push(rows);
    }
  }
  const last = (kind: string) => found.findLast(({ event }) => event === kind);
  const present = { spectrum: last("spectrum"), rotation: last("rotation") };
  return found.filter((one) => !(one.event in present) || Object.values(present).includes(one));
}
