/** The stage of the page: panes with what they show, in the worker. */
import { GravmeshError } from "../../errors.ts";
import type { View } from "../../view/view.ts";
import { PANES, type Pane, type PaneNews, type Source, type Stage } from "../stage.ts";
import { checkDeck } from "./deck-check.ts";
import { PageDevice } from "./device.ts";
import type { Exhibit, ExhibitHost } from "./exhibit.ts";
import { BarePainter } from "./painter.ts";
import { PaneShow } from "./pane.ts";
import { RemoteExhibit } from "./remote.ts";
import { RunExhibit } from "./run-exhibit.ts";
import { Transport } from "./transport.ts";
import { vocabularyOf } from "./vocabulary.ts";

export function stage() {
  const panes = new Map<Pane, PaneShow>();
  const sources = new Map<Pane, Source>();
  let view: View | undefined;

  const device = new PageDevice((error) => {
    for (const pane of panes.values()) if (pane.exhibit) pane.fail(lostDevice(error));
  });
  const shown = () => PANES.flatMap((name) => panes.get(name) ?? []);
  const runsOf = () =>
    shown().flatMap(({ exhibit, failed }) => (exhibit instanceof RunExhibit && !failed ? [exhibit] : []));
  const transport = new Transport({
    runs: runsOf,
    stale: () => shown().some(({ stale }) => stale),
    draw: async () => {
      const stale = shown().filter((pane) => pane.stale);
      await Promise.all(
        stale.map(async (pane) => {
          const looked = view ?? pane.firstView();
          if (looked) await pane.draw(looked);
          else await pane.draw(NOWHERE);
        }),
      );
    },
  });

  function paneOf(name: Pane): PaneShow {
    const pane = panes.get(name);
    if (!pane) throw new GravmeshError("usage", `pane ${name} has no canvas yet`);
    return pane;
  }

  async function exhibitOf(source: Source, host: ExhibitHost): Promise<Exhibit> {
    switch (source.kind) {
      case "deck":
        return new RunExhibit(host, source);
      case "remote":
        return new RemoteExhibit(source.remote, host);
      case "snapshot":
        throw new GravmeshError("usage", "a snapshot can't be shown yet");
    }
  }

  const self: Partial<Stage> = {
    ability: () => device.ability(),

    vocabulary: async () => vocabularyOf(),
    check: async (text, overrides) => checkDeck(text, overrides, await device.context()),

    async attach(name, canvases, size, news: (news: PaneNews) => void) {
      panes.set(name, new PaneShow(canvases, size, news, () => transport.wake()));
    },
    async resize(name, size) {
      paneOf(name).resize(size);
    },
    async open(name, source) {
      const pane = paneOf(name);
      sources.set(name, source);
      const gpu = await device.context();
      const host: ExhibitHost = {
        gpu,
        changed: (what) => pane.changed(what),
        tell: (news) => pane.tell(news),
      };
      const painter = pane.painter ?? new BarePainter(pane.canvases, { width: 1, height: 1, ratio: 1 }, gpu);
      await transport.inTurn(async () => {
        try {
          pane.show(await exhibitOf(source, host), painter);
        } catch (error) {
          pane.show(undefined, painter);
          pane.fail(error);
        }
      });
    },
    async close(name) {
      const pane = paneOf(name);
      sources.delete(name);
      await transport.inTurn(async () => pane.show(undefined, pane.painter));
    },

    play: async () => {
      transport.play();
      for (const { exhibit } of shown()) await exhibit?.play?.();
    },
    async pause() {
      for (const { exhibit } of shown()) await exhibit?.pause?.();
      await transport.pause();
    },
    async step() {
      for (const { exhibit } of shown()) if (!(exhibit instanceof RunExhibit)) await exhibit?.step?.();
      await transport.pause();
      await transport.step();
    },
    async restart() {
      for (const [name, source] of sources) {
        if (source.kind === "deck") await self.open!(name, source);
        else await paneOf(name).exhibit?.restart?.();
      }
    },
    async look(next) {
      view = next;
      for (const pane of shown()) pane.changed("particles");
    },
    async showFrame(name, index) {
      await paneOf(name).exhibit?.showFrame?.(index);
    },
    async stop(name) {
      await paneOf(name).exhibit?.stop?.();
    },
    async deck(name) {
      return paneOf(name).exhibit?.deck() ?? "";
    },
  };
  return self as Stage;
}

const NOWHERE: View = {
  camera: { azimuth: 0, elevation: 90, centre: [0, 0, 0], span: 1 },
  ...{ quantity: "density", stretch: "log", decades: 4, brightest: "auto", smoothing: 8, every: 1, hidden: [] },
};

function lostDevice(error: GravmeshError): GravmeshError {
  return new GravmeshError(
    "device",
    `${error.message}. The deck is still here: start it again, with fewer particles or cells if the device ran out of memory`,
  );
}
