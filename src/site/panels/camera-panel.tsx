/** Where the camera is: places with names, numbers, views that are kept, and the keyframes of a film. */
import { useEffect, useRef, useState } from "preact/hooks";
import { shortNumber } from "../../page/numbers.ts";
import { unit, withUnit } from "../../page/units.ts";
import type { View, ViewCamera } from "../../view/view.ts";
import { goTo, setCamera } from "../camera-moves.ts";
import { inOrder, viewAlong } from "../camera-path.ts";
import type { Store } from "../store.ts";
import { PRESETS } from "./camera-presets.ts";
import { NumberField } from "./fields.tsx";
import { appended, filmOf, placed, reordered } from "./film.ts";
import { keepViews, keptViews, type SavedView, savedAs, shownIn } from "./saved-views.ts";

/** Angles and lengths as they are read: no more digits than anybody sees. */
const tidy = (value: number) => Number(value.toPrecision(5));

/** "azimuth 30°, elevation 60°, 12 kpc wide" */
function words({ camera: { azimuth, elevation, span } }: View, length: string): string {
  const degrees = (angle: number) => `${shortNumber(angle)}°`;
  return `azimuth ${degrees(azimuth)}, elevation ${degrees(elevation)}, ${withUnit(shortNumber(span), length)} wide`;
}

/** Goes to a view: its camera smoothly, the rest at once. */
function goToView(store: Store, view: View): void {
  store.view.value = { ...view, camera: store.view.value.camera };
  goTo(store, view.camera);
}

function Presets({ store }: { store: Store }) {
  const { boxSize } = store.panes.a.state.value;
  const centreOfMass = store.panes.a.rows.value.at(-1)?.centreOfMass;
  return (
    <fieldset class="group">
      <legend>Look from</legend>
      <div class="buttons">
        {PRESETS.map(({ name, meaning, camera }) => (
          <button
            type="button"
            key={name}
            title={meaning}
            disabled={name === "Centre of mass" && !centreOfMass}
            onClick={() => goTo(store, camera(store.view.value.camera, boxSize, centreOfMass))}
          >
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function Numbers({ store }: { store: Store }) {
  const { camera } = store.view.value;
  const { units } = store.panes.a.state.value;
  const set = (change: Partial<ViewCamera>) => setCamera(store, { ...camera, ...change });
  const moved = (axis: number, value: number) => {
    const [x, y, z] = camera.centre.map((old, i) => (i === axis ? value : old));
    set({ centre: [x, y, z] });
  };
  return (
    <fieldset class="group">
      <legend>In numbers</legend>
      <div class="field-pair">
        <NumberField
          label="Azimuth"
          unit="°"
          step="any"
          value={tidy(camera.azimuth)}
          set={(azimuth) => set({ azimuth })}
        />
        <NumberField
          {...{ label: "Elevation", unit: "°", step: "any", value: tidy(camera.elevation), least: -90, most: 90 }}
          set={(elevation) => set({ elevation: Math.min(90, Math.max(-90, elevation)) })}
        />
        <NumberField
          {...{ label: "Width", unit: units.length, step: "any", value: tidy(camera.span) }}
          set={(span) => span > 0 && set({ span })}
        />
        {["x", "y", "z"].map((axis, i) => (
          <NumberField
            key={axis}
            {...{ label: `Middle ${axis}`, unit: units.length, step: "any", value: tidy(camera.centre[i]) }}
            set={(value) => moved(i, value)}
          />
        ))}
      </div>
      <p class="soft">Width: of the picture's shorter side{unit(units.length)}.</p>
    </fieldset>
  );
}

function Saved({ store }: { store: Store }) {
  const [views, setViews] = useState<SavedView[]>(keptViews);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const { boxSize, units } = store.panes.a.state.value;
  const keep = (next: SavedView[]) => {
    setViews(next);
    setProblem(
      keepViews(next) ? "" : "This browser keeps nothing for pages: the views are gone when the page is closed.",
    );
  };
  const save = () => {
    const called = name.trim() || `View ${views.length + 1}`;
    keep([...views.filter((other) => other.name !== called), savedAs(called, store.view.value, boxSize)]);
    setName("");
  };
  return (
    <fieldset class="group">
      <legend>Views of yours</legend>
      <ul class="views">
        {views.map((saved) => (
          <li key={saved.name}>
            <button
              type="button"
              class="view-name"
              title={words(shownIn(saved, boxSize), units.length)}
              onClick={() => goToView(store, shownIn(saved, boxSize))}
            >
              {saved.name}
            </button>
            <button
              type="button"
              aria-label={`Forget the view ${saved.name}`}
              onClick={() => keep(views.filter((other) => other !== saved))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        class="view-save"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          {...{
            type: "text",
            value: name,
            placeholder: "Name of the present view",
            "aria-label": "Name of the present view",
          }}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit">Save view</button>
      </form>
      {problem && <p class="wrong">{problem}</p>}
    </fieldset>
  );
}

/** The film's camera on the screen, without the run going on; ends at the view where it began. */
function usePreview(store: Store) {
  const frame = useRef(0);
  const [share, setShare] = useState<number>();
  const before = useRef<View>(undefined);
  const end = () => {
    cancelAnimationFrame(frame.current);
    if (before.current) store.view.value = before.current;
    before.current = undefined;
    setShare(undefined);
  };
  const begin = () => {
    const length = 1000 * filmOf(store).settings.value.seconds;
    const start = performance.now();
    before.current = store.view.value;
    const draw = (now: number) => {
      const at = (now - start) / length;
      if (at >= 1 || !before.current) {
        end();
        return;
      }
      setShare(Math.max(0, at));
      store.view.value = viewAlong(store.keyframes.value, at, before.current);
      frame.current = requestAnimationFrame(draw);
    };
    frame.current = requestAnimationFrame(draw);
  };
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return { share, begin, end };
}

function Keyframes({ store }: { store: Store }) {
  const frames = inOrder(store.keyframes.value);
  const { length } = store.panes.a.state.value.units;
  const { seconds } = filmOf(store).settings.value;
  const { share, begin, end } = usePreview(store);
  const [dragged, setDragged] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const set = (next: typeof frames) => {
    store.keyframes.value = next;
  };
  const move = (from: number, to: number) => {
    if (to < 0 || to >= frames.length || from === to) return;
    set(reordered(frames, from, to));
    // The keyboard goes with what it moved.
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>(".keyframe-show")[to]?.focus());
  };
  return (
    <fieldset class="group">
      <legend>Keyframes of the film</legend>
      <p class="soft">
        The camera goes smoothly from one to the next; the film is made in the panel Export. Drag a keyframe, or press
        Alt with an arrow key on it, to change their order.
      </p>
      <ol class="keyframes" ref={list}>
        {frames.map((keyframe, i) => (
          <li
            key={`${i} ${keyframe.at}`}
            draggable
            class={dragged === i ? "dragged" : ""}
            onDragStart={() => setDragged(i)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              event.stopPropagation();
              if (dragged !== undefined) move(dragged, i);
              setDragged(undefined);
            }}
          >
            <NumberField
              {...{ label: "At", unit: "s", step: "any", least: 0, most: seconds, value: tidy(keyframe.at * seconds) }}
              set={(at) => {
                const others = frames.filter((other) => other !== keyframe);
                set(placed(others, Math.min(1, Math.max(0, at / seconds)), keyframe.view));
              }}
            />
            <button
              type="button"
              class="keyframe-show"
              title="Shows it"
              onClick={() => goToView(store, keyframe.view)}
              onKeyDown={(event) => {
                const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                if (!event.altKey || step === undefined) return;
                event.preventDefault();
                event.stopPropagation();
                move(i, i + step);
              }}
            >
              {words(keyframe.view, length)}
            </button>
            <span class="buttons">
              <button type="button" aria-label="Earlier" disabled={i === 0} onClick={() => move(i, i - 1)}>
                ↑
              </button>
              <button
                type="button"
                aria-label="Later"
                disabled={i === frames.length - 1}
                onClick={() => move(i, i + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                title="Takes the present view instead"
                onClick={() => set(placed(frames, keyframe.at, store.view.value))}
              >
                Replace
              </button>
              <button
                type="button"
                aria-label="Remove the keyframe"
                onClick={() => set(frames.filter((other) => other !== keyframe))}
              >
                ×
              </button>
            </span>
          </li>
        ))}
      </ol>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => set(appended(frames, store.view.value))}>
          Add the present view
        </button>
        {share === undefined ? (
          <button type="button" disabled={frames.length < 2} onClick={begin}>
            Preview
          </button>
        ) : (
          <button type="button" onClick={end}>
            Stop
          </button>
        )}
        {share !== undefined && <progress value={share} max={1} aria-label="Preview" />}
      </div>
    </fieldset>
  );
}

export function CameraPresets({ store }: { store: Store }) {
  return (
    <section class="part form camera" aria-label="Camera">
      <Presets store={store} />
      <Numbers store={store} />
      <Saved store={store} />
      <Keyframes store={store} />
    </section>
  );
}
