/** Below the picture: run, pause, step; time, as progress or as a bar to scrub with; and the quantity of the colours. */
import * as actions from "./actions.ts";
import { IconButton, Quantities } from "./controls.tsx";
import type { PaneState } from "./stage.ts";
import type { Store } from "./store.ts";
import { fork, toggleComparison } from "./variants.ts";
import { frameText, holdingText, momentText, paceText, placeText, reconnects, statusText } from "./words.ts";

const scrubs = ({ frames }: PaneState) => frames !== undefined && actions.lastFrame(frames) > 0;

function Time({ state, store }: { state: PaneState; store: Store }) {
  const { frames, fraction, status } = state;
  return (
    <div class="time">
      {frames && scrubs(state) ? (
        <input
          type="range"
          {...{ class: "scrub", min: 0, max: actions.lastFrame(frames), step: 1, value: frames.shown }}
          aria-label="Snapshot"
          aria-valuetext={`${frameText(state)}, ${momentText(state)}`}
          onInput={(event) => actions.showFrame(store, Number(event.currentTarget.value))}
        />
      ) : (
        <progress value={status === "preparing" ? 0 : fraction} max={1} aria-label="Share of the run" />
      )}
      <p class="figures">
        <span class="moment">{status === "empty" ? "" : momentText(state)}</span>
        {(status !== "shown" || reconnects(state)) && (
          <span class={reconnects(state) ? "warn" : ""}>{statusText(state)}</span>
        )}
        <span>{frames && frames.shown < frames.times.length ? frameText(state) : paceText(state)}</span>
        <span>{holdingText(state)}</span>
        <span>{placeText(state)}</span>
      </p>
    </div>
  );
}

export function Transport({ store }: { store: Store }) {
  const state = store.panes.a.state.value;
  const { status } = state;
  const running = status === "running" || (status === "preparing" && store.page.wanted.value);
  const live = store.page.served.value?.live === true;
  const runs = store.sources.a.value?.kind === "deck";
  const still = status === "empty" || status === "failed" || (live && status === "done");
  const several = scrubs(state);
  return (
    <section class="transport" aria-label="Run">
      <div class="buttons">
        {runs && (
          <IconButton
            icon="restart"
            label="Begin again"
            keyName="R"
            run={() => actions.restart(store)}
            disabled={status === "empty"}
          />
        )}
        {several && (
          <IconButton icon="back" label="Snapshot before" keyName="," run={() => actions.previousFrame(store)} />
        )}
        <IconButton
          icon={running ? "pause" : "play"}
          label={running ? "Pause" : "Run"}
          keyName="Space"
          run={() => actions.playOrPause(store)}
          disabled={still || (status === "shown" && !several)}
          primary
        />
        <IconButton
          icon="step"
          label={several ? "Next snapshot" : "One step"}
          keyName="."
          run={() => actions.step(store)}
          disabled={still || (!several && (live || status === "shown"))}
        />
        {live && <IconButton icon="stop" label="Stop the run" run={() => actions.stop(store)} disabled={still} />}
      </div>
      <Time state={state} store={store} />
      <Quantities store={store} />
      <div class="buttons more">
        {runs && [
          <IconButton
            key="fork"
            icon="fork"
            label="Fork from here"
            keyName="K"
            run={() => fork(store)}
            disabled={still || status === "preparing"}
          />,
          <IconButton
            key="compare"
            icon="compare"
            label="Two variants beside each other"
            keyName="C"
            run={() => toggleComparison(store)}
            pressed={store.comparing.value}
            disabled={still && !store.comparing.value}
          />,
        ]}
      </div>
    </section>
  );
}
