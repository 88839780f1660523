/** What the page keeps of its own: open screen and panel, what the browser can do, the decks that it comes with. */
import { signal } from "@preact/signals";
import type { BundledDeck } from "./decks.ts";
import type { Entries } from "./overrides.ts";
import type { Ability, DeckTable, FilmRequest } from "./stage.ts";

export interface FilmSettings extends Required<Pick<FilmRequest, "seconds" | "rate" | "width" | "height" | "legend">> {
  /** Time at the end; undefined: the run's end. */
  until: number | undefined;
  /** Time stands still: the camera alone moves. */
  still: boolean;
}

const FILM: FilmSettings = {
  seconds: 10,
  rate: 30,
  until: undefined,
  still: false,
  width: 1280,
  height: 720,
  legend: true,
};

export function pageState() {
  return {
    screen: signal<"gallery" | "studio">("gallery"),
    /** Id of the open panel, of dock.tsx. */
    panel: signal<string | undefined>(undefined),
    /** Undefined until the worker has answered. */
    ability: signal<Ability | undefined>(undefined),
    /** Fulfilled when it has. */
    asked: arrival(),
    decks: signal<readonly BundledDeck[]>([]),
    /** The bundled deck that pane "a" began with, and the one that the text as it is edited began as. */
    bundled: signal<BundledDeck | undefined>(undefined),
    editedFrom: signal<BundledDeck | undefined>(undefined),
    /** The text of `bundled` as it ships. */
    bundledText: signal(""),
    /** Texts that others have taken the place of, with what was set for them: undo leads back to them. */
    replaced: new Map<string, { entries: Entries; from: BundledDeck | undefined }>(),
    /** The run goes on as soon as the initial conditions are drawn. */
    wanted: signal(false),
    moving: signal(false),
    /** The reader, or a link, has put the camera where it is: it stays there when the box turns out to be another. */
    aimed: signal(false),
    /** The reader, or a link, has said which components are drawn: otherwise it goes by what there is. */
    chosen: signal(false),
    /** Fulfilled when a pane's canvases are with the worker. */
    attached: { a: arrival(), b: arrival() },
    /** Whether single keys do something; off for those who speak to their computer. */
    keysOn: signal(true),
    /** The last thing that happened and isn't to be seen: it is read out, and shown for a moment. */
    said: signal(""),
    /** Where the page is served by `gravmesh view` or `run --live`: whether it is a live run. */
    served: signal<{ live: boolean } | undefined>(undefined),
    /** What a deck may hold, once it was asked for. */
    vocabulary: undefined as Promise<readonly DeckTable[]> | undefined,
    /** How many components show whether the deck is sound; whether that is known of an earlier text only. */
    checking: { users: 0, pending: signal(false), stop: () => {} },
    /** A film that is being set up or made; its panel may be closed meanwhile. */
    film: {
      settings: signal(FILM),
      progress: signal<number | undefined>(undefined),
      ended: signal(""),
    },
  };
}

function arrival() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
