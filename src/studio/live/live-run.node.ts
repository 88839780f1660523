/** `gravmesh run --live`: gives frames to the pages that wait for them as the run comes by; the run waits for no page. */
import { setTimeout as sleep } from "node:timers/promises";
import { everyCount } from "../../physics/particles/blocks.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import type { Thinned } from "../../physics/particles/thinned.ts";
import type { RunEvent } from "../../run/events.ts";
import type { RunObserver } from "../../run/run-observer.ts";
import { levelCores } from "../../scenario/level-sizes.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { Audience, type Showing } from "./audience.node.ts";
import { weightsByComponent } from "./file-frames.node.ts";
import { emptyFrame, everyFor } from "./frame.ts";
import type { About, FrameHeader, ToServer } from "./protocol.ts";
import { aboutScenario, RunFolder } from "./run-folder.node.ts";
import { type PageServer, type ServedRun, servePage } from "./server.node.ts";

/** Least time between frames [ms]; a run that has to stop for them may spend so small a share of its time on it. */
const FRAME_TIME = 40;
const STOPPED_SHARE = 0.1;
/** Time between checks for news, while a page is open [ms]. */
const UPDATES = 250;
/** For how long a run stays paused without pages: a page that is loaded again, or whose connection breaks, comes back [ms]. */
const COMING_BACK = 15_000;
/** Time for pages that read to take the last messages [ms]. */
const FAREWELL = 1000;

interface Going {
  components: readonly ComponentRange[];
  masses: number[];
  count: number;
  inPassing: boolean;
  files: RunFolder;
}

export class LiveRun implements RunObserver, ServedRun {
  paused = false;
  #server: PageServer | undefined;
  #expected: { scenario: Scenario; folder: string } | undefined;
  #going: Going | undefined;
  #showing: Showing = { about: NO_RUN, state: { event: "state", state: "preparing" }, rows: [], spectra: [], bars: [] };
  readonly #audience: Audience;
  readonly #listeners = new Set<() => void>();
  /** When the next frame may be made, on the clock of performance.now() [ms]. */
  #next = 0;
  /** Since when the run owes a frame. */
  #asked: number | undefined;
  #later: NodeJS.Timeout | undefined;
  /** Whether a pause lasts without pages; the timer that ends it otherwise. */
  #stays = false;
  #alone: NodeJS.Timeout | undefined;
  #last: "to come" | "shown" | undefined;
  #look: Promise<void> | undefined;
  #blind = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly options: {
      port?: number | undefined;
      /** Asks the run to stop, as Ctrl-C does. */
      stop: () => void;
      watch: (event: RunEvent) => void;
    },
  ) {
    this.#audience = new Audience(
      () => this.#showing,
      (message) => this.#requested(message),
      () => this.#left(),
    );
    this.#timer = setInterval(() => void this.#update(), UPDATES).unref();
  }

  async expects(scenario: Scenario, folder: string): Promise<void> {
    this.#expected = { scenario, folder };
    const { watch, port } = this.options;
    const { warnings } = this.#showing.about;
    const nothingYet = { components: [], frames: [], status: "running" as const, report: false, warnings };
    this.#show({ about: { kind: "live", ...aboutScenario(scenario), ...nothingYet } });
    this.#server = await servePage({ port, shown: this });
    watch({ event: "live", address: this.#server.address });
  }

  begins(simulation: Simulation): void {
    const { scenario, folder } = this.#expected!;
    const { components, particleCount: count, looksInPassing: inPassing } = simulation;
    const masses = weightsByComponent(simulation.masses, components);
    this.#going = { components, masses, count, inPassing, files: new RunFolder(folder, scenario, "snapshots") };
    this.#show({ about: { ...this.#showing.about, components: [...components] } });
    this.#state(this.paused ? "paused" : "running");
  }

  follow(event: RunEvent): void {
    if (event.event === "preparation") {
      this.#show({ preparation: event });
    } else if (event.event === "progress") {
      const { time, step, fraction, stepsPerSecond } = event;
      this.#show({ progress: { event: "progress", time, step, fraction, stepsPerSecond } });
    } else if (event.event === "warning") {
      const { about } = this.#showing;
      this.#show({ about: { ...about, warnings: [...about.warnings, event.message] } });
    }
  }

  get watched(): boolean {
    return this.#audience.size > 0;
  }

  wanted(): number | undefined {
    const going = this.#going;
    if (!going || this.#blind || this.#last === "shown") return undefined;
    const most = this.#audience.wanted(this.#last === "to come" ? "usual" : "most");
    if (most === undefined || (performance.now() < this.#next && this.#last === undefined)) {
      this.#asked = undefined;
      return undefined;
    }
    this.#asked ??= performance.now();
    return everyFor(going.count, most);
  }

  take(thinned: Thinned & { step: number; time: number }): void {
    const now = performance.now();
    const taken = now - (this.#asked ?? now);
    this.#asked = undefined;
    this.#next = now + Math.max(FRAME_TIME, this.#going!.inPassing ? 0 : taken / STOPPED_SHARE);
    const last = this.#last === "to come";
    if (last) this.#last = "shown";
    const made = new Map<number, Uint8Array>();
    const cores = levelCores(this.#expected!.scenario, thinned.levelCentres ?? []);
    const header = { of: this.#going!.count, masses: this.#going!.masses, ...(cores.length > 0 && { cores }) };
    // A page may want fewer particles than another.
    this.#audience.show((most) => {
      const stride = everyFor(thinned.positions.length / 3, most);
      const bytes = made.get(stride) ?? frameOf(thinned, stride, header);
      made.set(stride, bytes);
      return bytes;
    }, last);
  }

  missed(why: string): void {
    this.#blind = true;
    this.#state(this.#showing.state.state, `No particles can be shown: ${why}`);
  }

  ending(): void {
    this.#last ??= "to come";
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  about = (): About => this.#showing.about;

  async frame(index: number, most: number, gone: () => boolean): Promise<Uint8Array | undefined> {
    return this.#going?.files.frame(index, most, gone);
  }

  report(): Uint8Array | undefined {
    return this.#going?.files.report();
  }

  opened(socket: Parameters<Audience["add"]>[0]): void {
    clearTimeout(this.#alone);
    this.#audience.add(socket);
    void this.#update();
  }

  async end(message: string): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#later);
    clearTimeout(this.#alone);
    await this.#update();
    this.#state("ended", message);
    const until = performance.now() + FAREWELL;
    while (this.#audience.busy && performance.now() < until) await sleep(10);
    this.#audience.end();
    await this.#server?.close();
  }

  #requested(message: ToServer): void {
    const { ask: what } = message;
    const open = this.#last === undefined && this.#showing.state.state !== "stopping";
    if (what === "stop" && open) {
      this.#state("stopping");
      this.options.stop();
    } else if (what === "pause" && open) this.#pause(true, message.stay);
    else if (what === "resume" && open) this.#pause(false);
    this.#call();
  }

  #pause(paused: boolean, stays = false): void {
    [this.paused, this.#stays] = [paused, stays];
    if (this.#going) this.#state(paused ? "paused" : "running");
  }

  /** A page has gone: without pages a pause ends, unless it was to stay. */
  #left(): void {
    clearTimeout(this.#alone);
    if (this.watched || !this.paused || this.#stays) return;
    this.#alone = setTimeout(() => {
      this.#pause(false);
      this.#call();
    }, COMING_BACK).unref();
  }

  /** Has the run come by, at once or when the next frame may be made. */
  #call(): void {
    clearTimeout(this.#later);
    for (const listener of [...this.#listeners]) listener();
    const wait = this.#next - performance.now();
    if (wait > 0) this.#later = setTimeout(() => this.#call(), wait).unref();
  }

  #state(state: Showing["state"]["state"], message?: string): void {
    const stays = state === "paused" ? { stays: this.#stays } : {};
    this.#show({ state: { event: "state", state, ...(message !== undefined && { message }), ...stays } });
    this.#audience.update();
  }

  #show(news: Partial<Showing>): void {
    this.#showing = { ...this.#showing, ...news };
  }

  /** Sends the pages what is new; only for them the folder is looked at. */
  async #update(): Promise<void> {
    if (!this.watched) return;
    this.#look ??= this.#lookAtFiles().finally(() => (this.#look = undefined));
    await this.#look;
    this.#audience.update();
  }

  async #lookAtFiles(): Promise<void> {
    const files = this.#going?.files;
    if (!files) return;
    try {
      const before = files.about;
      await files.look();
      const { about, rows, spectra, bars } = files;
      const { frames, status, report } = about;
      if (about !== before) this.#show({ about: { ...this.#showing.about, frames, status, report } });
      this.#show({ rows, spectra, bars });
    } catch {
      // A file that is being replaced is looked at again.
    }
  }
}

function frameOf(
  { time, step, every, positions, velocities, images }: Thinned & { step: number; time: number },
  stride: number,
  header: Pick<FrameHeader, "of" | "masses" | "cores">,
): Uint8Array {
  const count = everyCount(positions.length / 3, stride);
  const { bytes, frame } = emptyFrame({
    ...{ time, step, every: every * stride, count, images: images !== undefined, ...header },
  });
  for (let k = 0; k < count; k++) {
    const from = stride * k;
    frame.ids[k] = every * from;
    frame.positions.set(positions.subarray(3 * from, 3 * from + 3), 3 * k);
    frame.velocities.set(velocities.subarray(3 * from, 3 * from + 3), 3 * k);
    if (images) frame.packedImages![k] = images[from];
  }
  return bytes;
}

const NO_RUN: About = {
  ...{ kind: "live", title: "", deck: "", boxSize: 1, periodic: false, start: 0, end: 0, cells: null },
  ...{ conserved: "energy", field: "none" },
  ...{ units: { length: "", time: "", mass: "", velocity: "" }, components: [], frames: [] },
  ...{ status: "running", report: false, warnings: [] },
};
