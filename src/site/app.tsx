/** The page as a whole: gallery, studio, and what is said to the reader. */
import { useEffect } from "preact/hooks";
import { Gallery } from "./gallery.tsx";
import type { Store } from "./store.ts";
import { Studio } from "./studio.tsx";

/** [ms] that a message stays. */
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

export function App({ store }: { store: Store }) {
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
