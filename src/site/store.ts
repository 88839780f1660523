/**
 * What the page knows, as signals: the deck that is edited, what each pane tells, the view that both share. Components read
 * signals and call the functions here; nothing else speaks to the worker.
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { proxy, type Remote as Remoted } from "comlink";
import { type View, wholeBox } from "../view/view.ts";
import { Overrides, overrideList } from "./overrides.ts";
import { type PageState, pageState } from "./page-state.ts";
import {
  type DeckCheck,
  type Keyframe,
  PANES,
  type Pane,
  type PaneNews,
  type PaneRow,
  type PaneState,
  type Source,
  type Stage,
} from "./stage.ts";

/** What a pane has told so far. */
export interface PaneModel {
  state: ReadonlySignal<PaneState>;
  rows: ReadonlySignal<readonly PaneRow[]>;
  spectrum: ReadonlySignal<Extract<PaneNews, { news: "spectrum" }> | undefined>;
  bars: ReadonlySignal<readonly { time: number; strength: number }[]>;
  /** To be given to the stage's `attach`. */
  take: (news: PaneNews) => void;
}

export const EMPTY: PaneState = {
  ...{ status: "empty", title: "", time: 0, start: 0, end: 0, step: 0, fraction: 0, particles: 0, cells: undefined },
  ...{ boxSize: 1, periodic: false, units: { length: "", time: "", mass: "", velocity: "" }, components: [] },
  ...{ backend: undefined, adapter: undefined, stepsPerSecond: 0, framesPerSecond: 0 },
};

function paneModel(): PaneModel {
  const state = signal(EMPTY);
  const rows = signal<readonly PaneRow[]>([]);
  const spectrum = signal<Extract<PaneNews, { news: "spectrum" }> | undefined>(undefined);
  const bars = signal<readonly { time: number; strength: number }[]>([]);
  const take = (news: PaneNews) => {
    if (news.news === "state") state.value = news.state;
    else if (news.news === "spectrum") spectrum.value = news;
    else if (news.news === "bar") bars.value = [...bars.value, { time: news.time, strength: news.strength }];
    else if (news.fresh) {
      rows.value = news.rows;
      bars.value = [];
      spectrum.value = undefined;
    } else rows.value = [...rows.value, ...news.rows];
  };
  return { state, rows, spectrum, bars, take };
}

export interface Store {
  stage: Remoted<Stage>;
  panes: Record<Pane, PaneModel>;
  /** Of all panes. */
  view: Signal<View>;
  /** The deck's text as it is edited, and the overrides that it has. */
  deck: Signal<string>;
  overrides: Overrides;
  check: Signal<DeckCheck | undefined>;
  comparing: Signal<boolean>;
  /** What each pane was given last, by `openIn`. */
  sources: Record<Pane, Signal<Source | undefined>>;
  /** Of the film that may be made, in order of time. */
  keyframes: Signal<readonly Keyframe[]>;
  /** Of the page itself: screens, panels, the decks that it comes with. */
  page: PageState;
}

export function makeStore(stage: Remoted<Stage>): Store {
  const deck = signal("");
  return {
    stage,
    panes: Object.fromEntries(PANES.map((pane) => [pane, paneModel()])) as Record<Pane, PaneModel>,
    view: signal(wholeBox(1)),
    deck,
    overrides: new Overrides(deck),
    check: signal<DeckCheck | undefined>(undefined),
    comparing: signal(false),
    sources: { a: signal<Source | undefined>(undefined), b: signal<Source | undefined>(undefined) },
    keyframes: signal<readonly Keyframe[]>([]),
    page: pageState(),
  };
}

/** Shows `source` in a pane, and remembers what it was: the one way to open anything. */
export async function openIn(store: Store, pane: Pane, source: Source): Promise<void> {
  store.sources[pane].value = source;
  await store.page.attached[pane].promise;
  await store.stage.open(pane, source);
}

/** Pane "a" begins anew with the deck and the overrides as they are edited. */
export function runDeck(store: Store): Promise<void> {
  return openIn(store, "a", editedDeck(store));
}

/** The deck and the overrides as they are edited, with the files that the deck was dropped with. */
export function editedDeck(store: Store): Source {
  const source = store.sources.a.value;
  const files = source?.kind === "deck" && source.files ? { files: source.files } : {};
  return { kind: "deck", text: store.deck.value, overrides: overrideList(store.overrides.value), ...files };
}

/** Of a pane, over the worker's border. */
export const listener = (model: PaneModel) => proxy(model.take);
