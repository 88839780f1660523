/** What the page asks of its worker, through comlink. Promises resolve when it is under way; problems come as events. */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { inColoursOf } from "../../../studio/view/picture.ts";
import { type View, wholeBox } from "../../../studio/view/view.ts";
import {
  type Ability,
  type DeckCheck,
  type DeckTable,
  type FilmRequest,
  PANES,
  type Pane,
  type PaneCanvases,
  type PaneEvent,
  type PaneGrid,
  type PaneSize,
  type PictureRequest,
  type Source,
} from "../stage.ts";
import { checkDeck } from "./deck-check.ts";
import { PageDevice } from "./device.ts";
import type { Exhibit, ExhibitHost } from "./exhibit.ts";
import { Album, makeFilm, pictured } from "./film.ts";
import { forked } from "./fork.ts";
import { PaneShow } from "./pane.ts";
import { RemoteExhibit } from "./remote.ts";
import { type ExhibitRequest, RunExhibit } from "./run-exhibit.ts";
import { SnapshotExhibit } from "./snapshot-exhibit.ts";
import { Transport } from "./transport.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Makes what a pane shows, and again when it is restarted. */
type Opening = (host: ExhibitHost) => Exhibit;

export class PageStage {
  readonly #panes = new Map<Pane, PaneShow>();
  readonly #openings = new Map<Pane, Opening>();
  #view: View | undefined;
  #moving = false;
  #film: AbortController | undefined;
  readonly #device = new PageDevice((error) => {
    const advice =
      "The deck is still here: start it again, with fewer particles or cells if the device ran out of memory";
    const failed = new GravmeshError("device", `${error.message}. ${advice}`, { cause: error });
    for (const pane of this.#panes.values()) if (pane.exhibit) pane.fail(failed);
  });
  readonly #transport = new Transport({
    runs: () => this.#runs(),
    stale: () => this.#shown().some(({ stale }) => stale),
    draw: async () => {
      // Pictures beside each other have one colour bar, that of the first: where one is drawn anew all are.
      let view = this.#view;
      for (const pane of this.#shown()) {
        const drawn = await pane.draw(view, this.#moving);
        if (drawn && view) view = inColoursOf(view, drawn);
      }
    },
  });

  ability(): Promise<Ability> {
    return this.#device.ability();
  }

  async vocabulary(): Promise<readonly DeckTable[]> {
    return vocabularyOf();
  }

  async check(text: string, overrides: readonly string[]): Promise<DeckCheck> {
    return checkDeck(text, overrides, await this.#device.context());
  }

  async attach(name: Pane, canvases: PaneCanvases, size: PaneSize, send: (event: PaneEvent) => void): Promise<void> {
    this.#panes.get(name)?.destroy();
    this.#panes.set(name, new PaneShow(canvases, size, send, () => this.#transport.wake()));
  }

  async resize(name: Pane, size: PaneSize): Promise<void> {
    const pane = this.#pane(name);
    await this.#transport.inTurn(async () => pane.resize(size));
  }

  /** Resolves when what was there is gone, and the page knows it: events that come later are of what is opened. */
  async open(name: Pane, source: Source): Promise<void> {
    await this.#open(name, (host) => {
      if (source.kind === "deck") return new RunExhibit(host, source);
      if (source.kind === "remote") return new RemoteExhibit(source.remote, host);
      return new SnapshotExhibit(host, source.files);
    });
  }

  async close(name: Pane): Promise<void> {
    const pane = this.#pane(name);
    this.#openings.delete(name);
    await this.#transport.inTurn(() => pane.show(undefined, undefined));
  }

  /** All panes go together, and a comparison to equal times. */
  async play(): Promise<void> {
    this.#transport.play();
    for (const { exhibit } of this.#shown()) await exhibit?.play?.();
  }

  /** Resolves when nothing moves and the page has the events of it. */
  async pause(): Promise<void> {
    for (const { exhibit } of this.#shown()) await exhibit?.pause?.();
    await this.#transport.pause();
    await this.#sent();
  }

  /** One step, or the next snapshot of a folder. */
  async step(): Promise<void> {
    await this.#transport.pause();
    for (const { exhibit } of this.#shown()) await exhibit?.moveFrame?.(1);
    await this.#transport.step();
    await this.#sent();
  }

  /** What was forked begins again where it was forked. */
  async restart(): Promise<void> {
    await this.#transport.pause();
    for (const [name, opening] of [...this.#openings]) {
      const { exhibit } = this.#pane(name);
      if (exhibit?.restart) await exhibit.restart();
      else await this.#open(name, opening);
    }
  }

  /** Shows in `to` what `from` shows now, to go on with other parameters: "time.step=0.01". */
  async fork(from: Pane, to: Pane, overrides: readonly string[]): Promise<void> {
    const { exhibit } = this.#pane(from);
    this.#pane(to);
    if (!(exhibit instanceof RunExhibit)) throw new GravmeshError("usage", "only a run of a deck can be forked");
    const request: ExhibitRequest = await this.#transport.inTurn(() => forked(exhibit, overrides, from === to));
    await this.#open(to, (host) => new RunExhibit(host, request));
  }

  /** A frame of a folder, or of those that a live run has written; past the last of these, the run as it goes. */
  async showFrame(name: Pane, index: number): Promise<void> {
    await this.#pane(name).exhibit?.showFrame?.(index);
  }

  /** Moves by so many frames from the one that was asked for last, as far as there are any. */
  async moveFrame(name: Pane, by: number): Promise<void> {
    await this.#pane(name).exhibit?.moveFrame?.(by);
  }

  /** Pauses a live run for as long as a page is open, or for longer. */
  async keepPaused(name: Pane, stays: boolean): Promise<void> {
    await this.#pane(name).exhibit?.keepPaused?.(stays);
  }

  /** Ends a live run, as Ctrl-C would. */
  async stop(name: Pane): Promise<void> {
    await this.#pane(name).exhibit?.stop?.();
  }

  /** All panes have the same view. `moving`: a drag is under way, and fewer particles may be drawn. */
  async look(view: View, moving: boolean): Promise<void> {
    this.#view = view;
    this.#moving = moving;
    for (const pane of this.#shown()) pane.changed("particles");
  }

  picture(request: PictureRequest): Promise<Blob> {
    return this.#transport.inTurn(async () => {
      const album = new Album(pictured(request.panes, this.#panes), request);
      await album.draw(this.#view);
      return album.toPng();
    });
  }

  /** Rejects where the browser has no encoder. `progress` gets [0…1]. */
  async film(request: FilmRequest, progress: (share: number) => void): Promise<Blob> {
    if (this.#film) throw new GravmeshError("usage", "a film is being made already");
    const film = new AbortController();
    this.#film = film;
    try {
      await this.pause();
      return await this.#transport.inTurn(() => {
        const panes = pictured(request.panes, this.#panes);
        const { time, boxSize } = panes[0].state;
        return makeFilm(request, {
          ...{ album: new Album(panes, request), view: this.#view ?? wholeBox(boxSize) },
          ...{ from: time, until: request.until ?? time, progress, signal: film.signal },
          moveTo: async (to) => {
            for (const { exhibit } of panes) await exhibit?.goTo?.(to);
          },
        });
      });
    } finally {
      this.#film = undefined;
      for (const pane of this.#shown()) pane.changed("particles");
    }
  }

  async cancelFilm(): Promise<void> {
    this.#film?.abort();
  }

  async grid(name: Pane): Promise<PaneGrid> {
    const pane = this.#pane(name);
    return this.#transport.inTurn(() => pane.grid(this.#view));
  }

  async deck(name: Pane): Promise<string> {
    return this.#pane(name).exhibit?.deck?.() ?? "";
  }

  async #sent(): Promise<void> {
    await Promise.all(this.#shown().map((pane) => pane.sent()));
  }

  #pane(name: Pane): PaneShow {
    const pane = this.#panes.get(name);
    if (!pane) throw new GravmeshError("usage", `pane ${name} has no canvas yet`);
    return pane;
  }

  #shown(): PaneShow[] {
    return PANES.flatMap((name) => this.#panes.get(name) ?? []);
  }

  #runs(): RunExhibit[] {
    return this.#shown().flatMap(({ exhibit, failed }) => (exhibit instanceof RunExhibit && !failed ? [exhibit] : []));
  }

  async #open(name: Pane, opening: Opening): Promise<void> {
    const pane = this.#pane(name);
    this.#openings.set(name, opening);
    this.#transport.rest(pane.exhibit); // at once: from here on, play means what is opened
    const gpu = await this.#device.context();
    const host: ExhibitHost = {
      gpu,
      changed: (what) => pane.changed(what),
      emit: (event) => pane.emit(event),
    };
    await this.#transport.inTurn(async () => {
      if (this.#openings.get(name) !== opening) return; // another was opened, or it was closed
      try {
        pane.exhibit?.destroy();
        await pane.show(() => opening(host), gpu);
      } catch (error) {
        pane.fail(error);
      }
    });
  }
}
