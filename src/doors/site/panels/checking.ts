/** The deck is checked as it is edited, by the worker: soon after the last change, one check at a time, the last one counts. */
import { effect, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { latest } from "../latest.ts";
import { overrideList } from "../overrides.ts";
import type { DeckCheck, DeckTable } from "../stage.ts";
import type { Store } from "../store.ts";

/** After the last change [ms]. */
const WAIT = 250;

function failed(error: unknown): DeckCheck {
  return { problems: [{ kind: "internal", message: `The deck could not be checked: ${String(error)}` }], sliders: [] };
}

/** Checks `store.deck` with its overrides whenever they change; returns what ends it. */
function startChecking(store: Store): () => void {
  const { pending } = store.page.checking;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let edit = 0;
  const check = latest(async () => {
    const [checked, text, overrides] = [edit, store.deck.peek(), overrideList(store.overrides.peek())];
    const found = text.trim() === "" ? undefined : await store.stage.check(text, overrides).catch(failed);
    if (checked !== edit) return;
    store.check.value = found;
    pending.value = false;
  });
  const end = effect(() => {
    void store.deck.value;
    void store.overrides.value;
    edit++;
    pending.value = true;
    clearTimeout(timer);
    timer = setTimeout(check, store.check.peek() === undefined ? 0 : WAIT);
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}

/** Keeps `store.check` up to date while a component that shows it is there; whether it is being checked. */
export function useChecking(store: Store): ReadonlySignal<boolean> {
  const { checking } = store.page;
  useEffect(() => {
    if (checking.users++ === 0) checking.stop = startChecking(store);
    return () => {
      if (--checking.users === 0) checking.stop();
    };
  }, [store, checking]);
  return checking.pending;
}

/** What a deck may hold; asked for once, and empty where the worker can't say. */
export function askVocabulary({ page, stage }: Store): Promise<readonly DeckTable[]> {
  page.vocabulary ??= stage.vocabulary().catch(() => []);
  return page.vocabulary;
}
