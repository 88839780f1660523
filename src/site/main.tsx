/** Opens the page: the worker, the store, the app. */
import { wrap } from "comlink";
import { render } from "preact";
import { App } from "./app.tsx";
import { takeFiles } from "./files.tsx";
import { listenToKeys } from "./keys.ts";
import { begin, keepTogether } from "./session.ts";
import { makeStore } from "./store.ts";
import type { PageStage } from "./worker/stage.ts";

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
