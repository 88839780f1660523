/** A problem in words, with what to do about it. */

import { runEdited } from "./actions.ts";
import { Button } from "./controls.tsx";
import type { Pane, Problem } from "./stage.ts";
import type { Store } from "./store.ts";

const HEADINGS: Record<string, string> = {
  scenario: "The deck has an error",
  input: "A file can't be read",
  io: "A file can't be read",
  memory: "Too large for this device",
  device: "The graphics device reports an error",
  lost: "The graphics device was lost",
  kernel: "This browser refuses a part of the program",
  numerical: "The numbers went wrong",
  internal: "Something is wrong in the page",
};

/** The entry that an advice begins with: "mesh.cells=64 needs 200 MiB". */
const ENTRY = /^([\w."' -]+?)=(\S+)/;

interface ProblemProps {
  problem: Problem;
  store: Store;
  pane: Pane;
  again: () => void;
}

export function ProblemCard({ problem, store, pane, again }: ProblemProps) {
  const { kind, message, line, advice = [] } = problem;
  const take = (entry: RegExpExecArray) => {
    const value = Number(entry[2]);
    store.overrides.value = { ...store.overrides.value, [entry[1]]: Number.isFinite(value) ? value : entry[2] };
    runEdited(store);
  };
  return (
    <div class="problem" role="alert">
      <h2>{HEADINGS[kind] ?? "This can't be shown"}</h2>
      <p>{message}</p>
      {advice.length > 0 && (
        <ul>
          {advice.map((text) => {
            const entry = ENTRY.exec(text);
            return (
              <li key={text}>
                {text} {entry && pane === "a" && <Button onClick={() => take(entry)}>Run with {entry[0]}</Button>}
              </li>
            );
          })}
        </ul>
      )}
      <p class="buttons">
        {store.deck.value !== "" && (
          <Button
            onClick={() => {
              store.page.panel.value = "deck";
            }}
          >
            {line === undefined ? "Edit the deck" : `Edit the deck at line ${line}`}
          </Button>
        )}
        {kind !== "scenario" && <Button onClick={again}>Try again</Button>}
      </p>
      <p class="soft">The deck and what you changed in it are kept.</p>
    </div>
  );
}
