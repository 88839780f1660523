/** A place for a picture: canvases that the worker draws on, and what is to be said about them. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { proxy, transfer } from "comlink";
import { useEffect, useRef } from "preact/hooks";
import { shortNumber } from "../../run/page/numbers.ts";
import { withUnit } from "../../run/page/units.ts";
import { finestAt } from "../../studio/view/cores.ts";
import { playOrPause, restart, runEdited, runLinked } from "./actions.ts";
import { Button } from "./controls.tsx";
import { followPointers, fromMiddle } from "./pointer.ts";
import type { Pane, PaneSize, PaneState, StageProblem } from "./stage.ts";
import type { Store } from "./store.ts";
import { holdingText, momentText, statusText } from "./words.ts";

/** A picture of densities gains nothing that is seen from more device pixels to a CSS pixel, but costs more. */
const MOST_RATIO = 2;

/** From the middle of a picture, of its shorter side, y upwards. */
type Point = readonly [number, number];

function sizeOf(element: HTMLElement): PaneSize {
  const ratio = Math.min(MOST_RATIO, window.devicePixelRatio || 1);
  const pixels = (length: number) => Math.max(1, Math.round(length * ratio));
  return { width: pixels(element.clientWidth), height: pixels(element.clientHeight), ratio };
}

/** Hands the canvases to the worker, once, and keeps their size. */
function useCanvases(pane: Pane, store: Store) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current!;
    element.tabIndex = 0; // arrow keys turn it
    const [picture, legend] = element.querySelectorAll("canvas");
    const canvases = { picture: picture.transferControlToOffscreen(), legend: legend.transferControlToOffscreen() };
    const attached = store.stage.attach(
      pane,
      transfer(canvases, [canvases.picture, canvases.legend]),
      sizeOf(element),
      proxy(store.panes[pane].take),
    );
    void attached.then(store.page.attached[pane].resolve);
    const resized = new ResizeObserver(() => {
      if (element.clientWidth > 0) void attached.then(() => store.stage.resize(pane, sizeOf(element)));
    });
    resized.observe(element);
    const unfollow = followPointers(element, store);
    return () => {
      resized.disconnect();
      unfollow();
    };
  }, [pane, store]);
  return frame;
}

/** For those who hear the page: what is shown, without the numbers that change all the time. */
function describe(store: Store, pane: Pane): string {
  const state = store.panes[pane].state.value;
  if (state.status === "empty") return "Empty picture";
  const parts = [state.title, statusText(state), holdingText(state), `colours show ${store.view.value.quantity}`];
  return `${parts.filter((part) => part !== "").join(", ")}. Arrow keys turn, plus and minus zoom.`;
}

function Preparing({ state: { fraction, title, doing } }: { state: PaneState }) {
  const drawn = fraction >= 1 || doing !== undefined;
  const share = fraction > 0 && !drawn;
  return (
    <div class="veil">
      <p class="veil-title">{title}</p>
      <progress {...(share ? { value: fraction } : {})} max={1} aria-label="Preparing" />
      <p class="veil-text">
        {drawn
          ? `${doing ?? "making the device ready"} …`
          : `drawing the particles ${share ? `${Math.floor(100 * fraction)} %` : "…"}`}
      </p>
    </div>
  );
}

/** Doubts about the run's numbers: how many, and unfolded their texts. */
function Warnings({ texts }: { texts: readonly string[] }) {
  return (
    <details class="pane-warnings">
      <summary>{texts.length === 1 ? "1 warning" : `${texts.length} warnings`}</summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

/** What sets a variant apart from the other: the entries that only it has. */
function ownOverrides({ sources }: Store, pane: Pane): string {
  const [own, other] = [sources[pane].value, sources[pane === "a" ? "b" : "a"].value];
  if (own?.kind !== "deck" || other?.kind !== "deck") return "";
  const theirs = new Set(other.overrides);
  const differing = own.overrides.filter((entry) => !theirs.has(entry));
  return differing.length > 0 ? differing.join(", ") : own.text === other.text ? "" : "another deck";
}

const HEADINGS: Record<string, string> = {
  scenario: "The deck has an error",
  input: "A file can't be read",
  io: "A file can't be read",
  memory: "Too large for this device",
  large: "This link begins a large run",
  device: "The graphics device reports an error",
  lost: "The graphics device was lost",
  kernel: "This browser refuses a part of the program",
  numerical: "The numbers went wrong",
  internal: "Something is wrong in the page",
};

/** The entry that an advice begins with: "mesh.cells=64 needs 200 MiB". */
const ENTRY = /^([\w."' -]+?)=(\S+)/;

/** A problem in words, with what to do about it. */
function ProblemCard({ problem, store, pane }: { problem: StageProblem; store: Store; pane: Pane }) {
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
        {kind === "large" && (
          <Button primary onClick={() => runLinked(store, pane)}>
            Run it
          </Button>
        )}
        {kind !== "scenario" && kind !== "large" && <Button onClick={() => restart(store)}>Try again</Button>}
      </p>
      <p class="soft">The deck and what you changed in it are kept.</p>
    </div>
  );
}
/** Side of the cells at the pointer, in a run with levels. */
function CellSize({ store, pane, at }: { store: Store; pane: Pane; at: ReadonlySignal<Point | undefined> }) {
  const { cores, cells, boxSize, periodic, units } = store.panes[pane].state.value;
  const { camera } = store.view.value;
  if (!cores || !at.value) return null;
  const place = at.value.map((share) => share * camera.span);
  const core = finestAt(cores, { ...camera, period: periodic ? boxSize : undefined }, place);
  const h = core?.h ?? (cells && boxSize / cells);
  if (!h) return null;
  return (
    <p class="cell-size">
      h = {withUnit(shortNumber(h), units.length)}, {core ? `level ${core.name}` : "mesh of the box"}
      <small>{core ? "smallest cells along this line of sight" : "no level along this line of sight"}</small>
    </p>
  );
}

export function PaneView({ pane, store, hidden }: { pane: Pane; store: Store; hidden: boolean }) {
  const frame = useCanvases(pane, store);
  const state = store.panes[pane].state.value;
  const pointed = useSignal<Point | undefined>(undefined);
  const label = store.comparing.value ? `Picture ${pane.toUpperCase()}` : "Picture";
  return (
    <section class="pane" aria-label={label} hidden={hidden}>
      <div
        class="frame"
        ref={frame}
        role="application"
        aria-label={describe(store, pane)}
        onPointerMove={({ currentTarget, clientX: x, clientY: y }) => {
          pointed.value = fromMiddle(currentTarget, { x, y });
        }}
        onPointerLeave={() => {
          pointed.value = undefined;
        }}
      >
        <canvas class="picture" />
        <canvas class="legend" />
      </div>
      <CellSize store={store} pane={pane} at={pointed} />
      {store.comparing.value && (
        <p class="pane-name">
          <b>{pane.toUpperCase()}</b> {ownOverrides(store, pane)}
        </p>
      )}
      {state.warnings && state.warnings.length > 0 && <Warnings texts={state.warnings} />}
      {state.status === "preparing" && <Preparing state={state} />}
      {state.problem && <ProblemCard problem={state.problem} store={store} pane={pane} />}
      {pane === "a" && state.status === "paused" && state.step === 0 && !store.page.wanted.value && !state.problem && (
        <Button class="big-play" onClick={() => playOrPause(store)}>
          Run
        </Button>
      )}
      <p class="unseen" aria-live="polite">
        {state.status === "empty" ? "" : `${label}: ${statusText(state)}`}
        {state.status === "done" && `, ${momentText(state)}`}
      </p>
    </section>
  );
}
