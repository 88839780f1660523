/** What the page knows of itself: which screen and panel are open, what the browser can do, the decks that it comes with. */
import { type Signal, signal } from "@preact/signals";
import type { BundledDeck } from "./decks.ts";
import type { Entries } from "./overrides.ts";
import type { Ability, Pane } from "./stage.ts";

export interface PageState {
  screen: Signal<"gallery" | "studio">;
  /** Id of the panel that is open, of panels.tsx. */
  panel: Signal<string | undefined>;
  /** Undefined until the worker has answered. */
  ability: Signal<Ability | undefined>;
  /** Fulfilled when it has. */
  asked: Arrival;
  decks: Signal<readonly BundledDeck[]>;
  /** The bundled deck that pane "a" began with, and the one that the text as it is edited began as. */
  bundled: Signal<BundledDeck | undefined>;
  editedFrom: Signal<BundledDeck | undefined>;
  /** The text of `bundled` as it ships. */
  bundledText: Signal<string>;
  /** Texts that others have taken the place of, with what was set for them: undo leads back to them. */
  replaced: Map<string, { entries: Entries; from: BundledDeck | undefined }>;
  /** Goes on as soon as the initial conditions are drawn. */
  wanted: Signal<boolean>;
  /** The camera is being dragged. */
  moving: Signal<boolean>;
  /** The reader, or a link, has put the camera where it is: it stays there when the box turns out to be another. */
  aimed: Signal<boolean>;
  /** The reader, or a link, has said which components are drawn: otherwise it goes by what there is. */
  chosen: Signal<boolean>;
  /** Fulfilled when a pane's canvases are with the worker. */
  attached: Record<Pane, Arrival>;
  /** Whether single keys do something; off for those who speak to their computer. */
  keysOn: Signal<boolean>;
  /** The last thing that happened and isn't to be seen: read out, and shown for a moment. */
  said: Signal<string>;
  /** Where the page is served by `gravmesh view` or `run --live`: whether it is a live run. */
  served: Signal<{ live: boolean } | undefined>;
}

export function pageState(): PageState {
  return {
    screen: signal("gallery"),
    panel: signal<string | undefined>(undefined),
    ability: signal<Ability | undefined>(undefined),
    asked: arrival(),
    decks: signal<readonly BundledDeck[]>([]),
    bundled: signal<BundledDeck | undefined>(undefined),
    editedFrom: signal<BundledDeck | undefined>(undefined),
    bundledText: signal(""),
    replaced: new Map(),
    wanted: signal(false),
    moving: signal(false),
    aimed: signal(false),
    chosen: signal(false),
    attached: { a: arrival(), b: arrival() },
    keysOn: signal(true),
    said: signal(""),
    served: signal<{ live: boolean } | undefined>(undefined),
  };
}

interface Arrival {
  promise: Promise<void>;
  resolve: () => void;
}

function arrival(): Arrival {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
