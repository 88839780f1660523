/**
 * Pictures without WebGPU: counted, blurred and coloured on the host, onto a 2D canvas. The same grid, the same colours as
 * those of the GPU; for some ten thousand particles, and best in a worker.
 */
import type { PictureSize } from "./camera.ts";
import { projectionOf } from "./camera.ts";
import { mapsOnHost } from "./host-blur.ts";
import { countOnHost, type HostParticles } from "./host-counts.ts";
import { brightestOf, colouredOnHost } from "./host-tone.ts";
import { layerPlan, MOMENTS } from "./layers.ts";
import { fewestParticles, levelCount, particlesWanted } from "./levels.ts";
import { type Drawn, type DrawOptions, type Grid, PACE, type Picture, requireScene, requireSize } from "./picture.ts";
import { contrastOf } from "./tone.ts";
import type { View } from "./view.ts";

export class HostRenderer {
  #particles: HostParticles | undefined;
  #last: Grid | undefined;
  #steady: { of: string; brightest: number[] } | undefined;

  /** What the next pictures are of. */
  show(particles: HostParticles | undefined): void {
    this.#particles = particles;
  }

  /** Draws onto a 2D canvas, as large as that is. */
  async draw(
    view: View,
    target: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
    options: DrawOptions = {},
  ): Promise<Drawn> {
    const { width, height } = target.canvas;
    const { rgba, ...drawn } = await this.picture(view, { width, height }, options);
    target.putImageData(new ImageData(rgba, width, height), 0, 0);
    return drawn;
  }

  /** A picture in bytes. */
  async picture(view: View, size: PictureSize, { steady = false }: DrawOptions = {}): Promise<Picture> {
    const particles = requireScene(this.#particles);
    requireSize(size);
    const { width, height } = size;
    const { quantity, stretch } = view;
    const smoothing = particlesWanted(view);
    const plan = layerPlan(particles, view);
    const projection = projectionOf(view.camera, size, particles);
    const grid = countOnHost(particles, projection, plan, MOMENTS[quantity]);
    this.#last = { width, height, view, layers: plan.layers.map(({ name }) => name), ...grid };
    const maps = mapsOnHost(grid, { size, plan, smoothing, area: projection.pixel ** 2 });
    const fewest = fewestParticles(levelCount(size, smoothing), smoothing);
    const given = view.brightest;
    const auto = given === "auto" ? brightestOf(maps, quantity, fewest) : [];
    const found = plan.maps.map((_, i) => (given === "auto" ? auto[i] : given));
    const brightest = steady ? this.#steadied(`${quantity} ${plan.maps.join(" ")}`, found) : found;
    const range = { quantity, stretch, contrast: contrastOf(view), brightest, maps: plan.maps };
    const rgba = colouredOnHost(maps, size, range, fewest);
    return { width, height, view, pixel: projection.pixel, range, rgba };
  }

  /** The integer grid of the last picture; undefined before the first. */
  async counts(): Promise<Grid | undefined> {
    return this.#last;
  }

  destroy(): void {
    this.#particles = undefined;
    this.#last = undefined;
  }

  #steadied(of: string, found: readonly number[]): number[] {
    const before = this.#steady?.of === of ? this.#steady.brightest : undefined;
    const brightest = found.map((value, i) => {
      const old = before?.[i] ?? 0;
      return old > 0 && value > 0 ? old * (value / old) ** PACE : value || old;
    });
    this.#steady = { of, brightest };
    return brightest;
  }
}
