/** The deck's text: its errors at their lines and in words, what it comes to, and the buttons that run it. */

import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { large, mebibytes, thinGrouped } from "../../../run/page/numbers.ts";
import { runEdited, say } from "../actions.ts";
import { Button } from "../controls.tsx";
import { editDraft } from "../draft.ts";
import { overrideList } from "../overrides.ts";
import type { DeckCheck, StageProblem } from "../stage.ts";
import type { Store } from "../store.ts";
import { revert, variantDifference } from "../variants.ts";
import { messageText } from "../words.ts";
import { askVocabulary, useChecking } from "./checking.ts";
import type { DeckEditor } from "./codemirror.ts";

const LABEL = "Deck, in TOML. Tab leaves the editor; while words to choose from are shown, press Escape first.";

/** CodeMirror in `host` once it is loaded. */
function useDeckEditor(store: Store, host: { current: HTMLDivElement | null }): DeckEditor | undefined {
  const [editor, setEditor] = useState<DeckEditor>();
  useEffect(() => {
    let ended = false;
    let made: DeckEditor | undefined;
    const ends: (() => void)[] = [];
    import("./codemirror.ts").then(
      ({ deckEditor }) => {
        if (ended || !host.current) return;
        made = deckEditor({
          ...{ parent: host.current, text: store.deck.peek(), label: LABEL, vocabulary: askVocabulary(store) },
          changed: (text, whole) => editDraft(store, text, whole),
          run: () => runIfSound(store),
        });
        ends.push(effect(() => made?.setText(store.deck.value)));
        ends.push(effect(() => made?.setProblems(store.check.value?.problems ?? [])));
        setEditor(made);
      },
      (error: unknown) => say(store, `The editor can't be loaded: ${messageText(error)}`),
    );
    return () => {
      ended = true;
      for (const end of ends) end();
      made?.destroy();
    };
  }, [store, host]);
  return editor;
}

/** Runs the deck unless it is known to be wrong. */
function runIfSound(store: Store): void {
  if (store.deck.peek().trim() === "" || (store.check.peek()?.problems.length ?? 0) > 0) return;
  runEdited(store);
}

/** "100 k particles · 128³ cells · 312 MiB" */
function Sizes({ particles, cells, bytes }: DeckCheck) {
  const parts = [
    particles !== undefined && `${large(particles)} particles`,
    cells !== undefined && cells > 0 && `${thinGrouped(cells)}³ cells`,
    bytes !== undefined && `${mebibytes(bytes)} on the device`,
  ];
  return <>{parts.filter((part) => part !== false).join(" · ")}</>;
}

function Problems({ problems, goTo }: { problems: readonly StageProblem[]; goTo: (line: number) => void }) {
  if (problems.length === 0) return null;
  return (
    <ol class="editor-problems" aria-label="Errors in the deck">
      {problems.map(({ line, message, advice = [] }) => (
        <li key={`${line} ${message}`}>
          {line === undefined ? (
            <span>{message}</span>
          ) : (
            <Button onClick={() => goTo(line)}>
              <b>Line {line}</b> {message}
            </Button>
          )}
          {advice.length > 0 && (
            <ul>
              {advice.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function Summary({ store, checking }: { store: Store; checking: boolean }) {
  const check = store.check.value;
  if (checking && !check) return <>Checking …</>;
  if (!check) return <>No deck yet.</>;
  const count = check.problems.length;
  if (count > 0) return <b class="wrong">{count === 1 ? "1 error" : `${count} errors`}</b>;
  return <Sizes {...check} />;
}

/** What was set by a slider or by the page for a text that has changed there. */
function SetAside({ store }: { store: Store }) {
  const aside = overrideList(store.overrides.aside);
  if (aside.length === 0) return null;
  return <p class="editor-aside">Not used, since the text has changed there: {aside.join(", ")}.</p>;
}

export function Editor({ store }: { store: Store }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useDeckEditor(store, host);
  const checking = useChecking(store).value;
  const problems = store.check.value?.problems ?? [];
  const changed = variantDifference(store);
  return (
    <section class="part editor" aria-label="Deck">
      <div class="editor-text">
        <div ref={host} class="editor-host" hidden={!editor} />
      </div>
      <p class="editor-sum" aria-live="polite" aria-busy={checking}>
        <Summary store={store} checking={checking} />
      </p>
      <SetAside store={store} />
      <Problems problems={problems} goTo={(line) => editor?.goTo(line)} />
      <div class="buttons">
        <Button
          primary
          disabled={store.deck.value.trim() === "" || problems.length > 0}
          title="Ctrl-Enter in the editor"
          onClick={() => runIfSound(store)}
        >
          Run this deck
        </Button>
        <Button disabled={!changed} onClick={() => revert(store)}>
          Revert
        </Button>
        {changed && (
          <span class="soft">Not what runs{changed.text ? ": the text has changed" : ": sliders have moved"}.</span>
        )}
      </div>
    </section>
  );
}
