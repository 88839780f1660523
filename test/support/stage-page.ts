/** A bare page around the stage's worker: `window.lab` opens panes, notes their events, and calls the stage. */
import { proxy, type Remote, transfer, wrap } from "comlink";
import type { Pane, PaneEvent, PaneState } from "../../src/doors/site/stage.ts";
import type { PageStage } from "../../src/doors/site/worker/stage.ts";

export interface Lab {
  proxy: typeof proxy;
  stage: Remote<PageStage>;
  /** All that panes have sent. */
  events: Record<string, PaneEvent[]>;
  state(pane: Pane): PaneState | undefined;
  attach(pane: Pane, width: number, height: number): Promise<void>;
  /** Resolves when the pane's state is as wanted. */
  until(pane: Pane, wanted: (state: PaneState) => boolean): Promise<PaneState>;
  /** GPU buffers that are alive in the worker. */
  buffers(): Promise<{ count: number; bytes: number }>;
  /** Has the compiler refuse kernels whose names begin so, until another is told; none where it is empty. */
  spoil(kernel: string): Promise<unknown>;
  /** The device is lost. */
  lose(): void;
  /** The bytes of a file, for a test to look at. */
  bytes(file: Promise<Blob>): Promise<number[]>;
}

const worker = new Worker(new URL(`./worker.js${location.search}`, import.meta.url), { type: "module" });
worker.addEventListener("error", (event) => console.error(`worker: ${event.message}`));
const channel = new BroadcastChannel("lab");
const stage = wrap<PageStage>(worker);
const events: Record<string, PaneEvent[]> = {};
const watchers = new Set<() => void>();

/** The worker's answer: the buffers. */
function ask(what: string): ReturnType<Lab["buffers"]> {
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => resolve(data);
    channel.postMessage(what);
  });
}

const lab: Lab = {
  proxy,
  stage,
  events,
  state(pane) {
    const states = events[pane]?.filter((one) => one.event === "state") ?? [];
    return states.at(-1)?.state;
  },
  lose: () => channel.postMessage("lose"),
  buffers: () => ask("buffers"),
  spoil: ask,
  bytes: async (file) => [...new Uint8Array(await (await file).arrayBuffer())],
  async attach(pane, width, height) {
    const canvases = ["picture", "legend"].map((name) => {
      const canvas = document.createElement("canvas");
      Object.assign(canvas, { id: `${pane}-${name}`, width, height });
      document.body.append(canvas);
      return canvas.transferControlToOffscreen();
    });
    const [picture, legend] = canvases;
    events[pane] = [];
    const take = (one: PaneEvent) => {
      events[pane].push(one);
      for (const watcher of watchers) watcher();
    };
    await stage.attach(
      pane,
      transfer({ picture, legend }, [picture, legend]),
      { width, height, ratio: 1 },
      proxy(take),
    );
  },
  until(pane, wanted) {
    return new Promise((resolve) => {
      const look = () => {
        const state = lab.state(pane);
        if (!state || !wanted(state)) return;
        watchers.delete(look);
        resolve(state);
      };
      watchers.add(look);
      look();
    });
  },
};
Object.assign(window, { lab });
