/**
 * What the page knows, as signals: the deck that is edited, what each pane has sent, the view that both share. Components read
 * signals and call the functions here; nothing else speaks to the worker.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Remote } from "comlink";
import type { LiveBar, LiveRotation, LiveSpectrum } from "../../studio/live/protocol.ts";
import { type View, wholeBox } from "../../studio/view/view.ts";
import { Overrides, overrideList } from "./overrides.ts";
import { pageState } from "./page-state.ts";
import {
  type DeckCheck,
  EMPTY,
  type Keyframe,
  type Pane,
  type PaneEvent,
  type PaneRow,
  type PaneState,
  type Source,
} from "./stage.ts";
import type { PageStage } from "./worker/stage.ts";

function paneModel() {
  const state = signal(EMPTY);
  const rows = signal<readonly PaneRow[]>([]);
  const spectrum = signal<LiveSpectrum | undefined>(undefined);
  const rotation = signal<LiveRotation | undefined>(undefined);
  const bars = signal<readonly LiveBar[]>([]);
  /** Given to the stage's `attach`. */
  const take = (event: PaneEvent) => {
    if (event.event === "state") state.value = event.state;
    else if (event.event === "spectrum") spectrum.value = event;
    else if (event.event === "rotation") rotation.value = event;
    else if (event.event === "bar") bars.value = [...bars.value, event];
    else if (event.fresh) {
      rows.value = event.rows;
      bars.value = [];
      spectrum.value = rotation.value = undefined;
    } else rows.value = [...rows.value, ...event.rows];
  };
  return { state: state as ReadonlySignal<PaneState>, rows, spectrum, rotation, bars, take };
}

export function makeStore(stage: Remote<PageStage>) {
  const deck = signal("");
  return {
    stage,
    panes: { a: paneModel(), b: paneModel() },
    view: signal(wholeBox(1)),
    /** The deck's text as it is edited, and the overrides that it has. */
    deck,
    overrides: new Overrides(deck),
    check: signal<DeckCheck | undefined>(undefined),
    comparing: signal(false),
    /** What each pane was given last, by `openIn`. */
    sources: { a: signal<Source | undefined>(undefined), b: signal<Source | undefined>(undefined) },
    /** Keyframes of the film that may be made, in order of time. */
    keyframes: signal<readonly Keyframe[]>([]),
    page: pageState(),
  };
}

export type Store = ReturnType<typeof makeStore>;

export function setView({ view }: Store, change: Partial<View>): void {
  view.value = { ...view.value, ...change };
}

/** Shows `source` in a pane, and remembers what it was: the one way to open anything. */
export async function openIn(store: Store, pane: Pane, source: Source): Promise<void> {
  store.sources[pane].value = source;
  await store.page.attached[pane].promise;
  await store.stage.open(pane, source);
}

/** The deck and the overrides as they are edited, with the files that the deck was dropped with. */
export function editedDeck(store: Store): Source {
  const source = store.sources.a.value;
  const files = source?.kind === "deck" && source.files ? { files: source.files } : {};
  return { kind: "deck", text: store.deck.value, overrides: overrideList(store.overrides.value), ...files };
}
