/** A snapshot that was dropped onto the page, of one file or of several; of several snapshots one after another. */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { ParticleMasses } from "../../../physics/particles/masses.ts";
import type { Snapshot } from "../../../run/io/snapshot-particles.ts";
import type { HostParticles } from "../../../studio/view/host-counts.ts";
import { hostParticles } from "../../../studio/view/uploaded-scene.ts";
import { EMPTY, type PaneState, type StageProblem } from "../stage.ts";
import type { Drawable, Exhibit, ExhibitHost } from "./exhibit.ts";
import { HeldParticles } from "./held-particles.ts";
import { problemIn } from "./problem.ts";

/** Room about the particles of a file that has no box. */
const ROOM = 1.05;

export class SnapshotExhibit implements Exhibit {
  readonly #held: HeldParticles;
  #frames: { name: string; time: number }[] = [];
  #shown = 0;
  /** The frame that was asked for last, which may still be on its way. */
  #wanted = 0;
  #snapshot: Omit<Snapshot, "positions" | "velocities" | "masses"> | undefined;
  #content: Pick<HostParticles, "boxSize" | "periodic"> = { boxSize: 1, periodic: false };
  #problem: StageProblem | undefined;
  #destroyed = false;
  /** Counts requests: only the last one counts. */
  #asked = 0;

  constructor(
    private readonly host: ExhibitHost,
    private readonly files: readonly File[],
  ) {
    this.#held = new HeldParticles(host.gpu);
    void this.#begin().catch((error: unknown) => this.#fail(error));
  }

  async #begin(): Promise<void> {
    if (this.files.length === 0) throw new GravmeshError("usage", "there is no file to show");
    const { droppedMoment, snapshotNames } = await import("./dropped-snapshots.ts");
    const names = snapshotNames(this.files);
    const frames = [];
    for (const name of names) frames.push({ name, time: (await droppedMoment(this.files, name)).time });
    this.#frames = frames.sort((a, b) => a.time - b.time);
    await this.showFrame(0);
  }

  async showFrame(index: number): Promise<void> {
    const frame = this.#frames[index];
    if (!frame || this.#destroyed) return;
    const asked = ++this.#asked;
    this.#wanted = index;
    try {
      const { droppedSnapshot } = await import("./dropped-snapshots.ts");
      const snapshot = await droppedSnapshot(this.files, frame.name);
      if (asked !== this.#asked || this.#destroyed) return;
      await this.#take(snapshot);
      this.#shown = index;
      this.#problem = undefined;
      this.host.changed("particles");
    } catch (error) {
      this.#fail(error);
    }
    this.host.changed("state");
  }

  async #take({ positions, velocities, masses, ...about }: Snapshot): Promise<void> {
    const { components, boxSize, comoving } = about;
    let [side, placed] = [boxSize, positions];
    if (!(boxSize > 0)) {
      // A file without a box: a cube about the origin that holds all particles.
      side = 2 * ROOM * (positions.reduce((farthest, x) => Math.max(farthest, Math.abs(x)), 0) || 1);
      placed = positions.map((x) => x + side / 2);
    }
    this.#content = { boxSize: side, periodic: boxSize > 0 && comoving === true };
    const content = { ...this.#content, components, weights: ParticleMasses.of(masses, components).weights };
    await this.#held.show(hostParticles(content, { positions: placed, velocities }));
    this.#snapshot = about;
  }

  async moveFrame(by: number): Promise<void> {
    const next = Math.min(this.#frames.length - 1, Math.max(0, this.#wanted + by));
    if (next !== this.#wanted) await this.showFrame(next);
  }

  async restart(): Promise<void> {
    await this.showFrame(0);
  }

  async goTo(time: number): Promise<void> {
    const next = this.#frames.findLastIndex((frame) => frame.time <= time);
    if (next >= 0 && next !== this.#shown) await this.showFrame(next);
  }

  #fail(error: unknown): void {
    if (this.#destroyed) return;
    this.#problem = problemIn(error);
    this.host.changed("state");
  }

  state(): PaneState {
    const { time = 0, count = 0, components = [], cores } = this.#snapshot ?? {};
    const times = this.#frames.map((frame) => frame.time);
    const [start = 0, end = start] = [times[0], times.at(-1)];
    return {
      ...{ ...EMPTY, ...this.#content }, // without units: as the file has its numbers
      status: this.#problem ? "failed" : this.#snapshot ? "shown" : "preparing",
      title: this.#frames[this.#shown]?.name ?? this.files[0]?.name ?? "",
      ...{ time, start, end, fraction: end > start ? (time - start) / (end - start) : 1, particles: count, cores },
      components: components.map(({ name, species, count: n }) => ({ name, species, count: n })),
      ...{ backend: this.host.gpu ? "webgpu" : "cpu", problem: this.#problem },
      ...(times.length > 1 && { frames: { times, shown: this.#shown } }),
    };
  }

  drawable(): Drawable | undefined {
    return this.#held.drawable();
  }

  async particles(): Promise<HostParticles | undefined> {
    return this.#held.particles;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#held.destroy();
  }
}
