/** Opens the page: the worker, the store, and the app with gallery, studio, and what is said to the reader. */
import { wrap } from "comlink";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { takeFiles } from "./files.tsx";
import { Gallery } from "./gallery.tsx";
import { listenToKeys } from "./keys.ts";
import { begin, keepTogether } from "./session.ts";
import { makeStore, type Store } from "./store.ts";
import { Studio } from "./studio.tsx";
import type { PageStage } from "./worker/stage.ts";

/** How long a message stays [ms]. */
const SAID = 6000;

function Said({ store }: { store: Store }) {
  const { said } = store.page;
  const text = said.value;
  useEffect(() => {
    if (text === "") return;
    const timer = window.setTimeout(() => {
      said.value = "";
    }, SAID);
    return () => window.clearTimeout(timer);
  }, [text, said]);
  return (
    <p class="said" role="status" aria-live="polite">
      {text}
    </p>
  );
}

function App({ store }: { store: Store }) {
  const gallery = store.page.screen.value === "gallery";
  return (
    <>
      {gallery && <Gallery store={store} />}
      <Studio store={store} hidden={gallery} />
      <Said store={store} />
      <p class="drop-here" aria-hidden="true">
        Drop a deck or snapshots
      </p>
    </>
  );
}

/** `#doctor` is a page of its own, without the worker and the gallery. */
const isDoctor = () => /^#doctor(\?|$)/.test(location.hash);

function open(): void {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const store = makeStore(wrap<PageStage>(worker));
  render(<App store={store} />, document.body);
  listenToKeys(store);
  takeFiles(store);
  keepTogether(store);
  // For the curious, and for tests: `await gravmesh.stage.grid("a")`.
  Object.assign(window, { gravmesh: store });
  void begin(store);
}

const opened = isDoctor();
// Before anything else takes the new address for a deck's.
window.addEventListener("popstate", (event) => {
  if (isDoctor() === opened) return;
  event.stopImmediatePropagation();
  location.reload();
});
if (opened) void import("./doctor/doctor.tsx").then(({ openDoctor }) => openDoctor());
else open();
