/** Opens the page: the worker, the store, the app. */
import { wrap } from "comlink";
import { render } from "preact";
import { App } from "./app.tsx";
import type { Stage } from "./stage.ts";
import { makeStore } from "./store.ts";

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
render(<App store={makeStore(wrap<Stage>(worker))} />, document.body);
