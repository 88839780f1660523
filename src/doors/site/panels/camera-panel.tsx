/** Where the camera is: places with names, numbers, views that are kept, and the keyframes of a film. */
import { useState } from "preact/hooks";
import { unit } from "../../../run/page/units.ts";
import { type ViewCamera, wholeBox } from "../../../studio/view/view.ts";
import { goTo, setCamera } from "../camera-moves.ts";
import { Button, NumberField } from "../controls.tsx";
import type { Store } from "../store.ts";
import { goToView, Keyframes, keyframeText, tidy } from "./keyframes.tsx";
import { keepViews, keptViews, type SavedView, savedAs, shownIn } from "./saved-views.ts";

/** Moves the present camera; `boxSize` [length]; `mass`: the run's centre of mass [length]. */
type Move = (from: ViewCamera, boxSize: number, mass: readonly number[]) => ViewCamera;

/** From where the three axes of a cube look alike: arctan(1/√2) above the plane [degree]. */
const ISOMETRIC = (Math.atan(Math.SQRT1_2) * 180) / Math.PI;
const CENTRE_OF_MASS = "Centre of mass";

const angles =
  (azimuth: number, elevation: number): Move =>
  (from) => ({ ...from, azimuth, elevation });

const PRESETS: readonly (readonly [name: string, meaning: string, move: Move])[] = [
  ["Face-on", "x to the right, y up", angles(0, 90)],
  ["Edge-on, x–z", "x to the right, z up", angles(0, 0)],
  ["Edge-on, y–z", "y to the right, z up", angles(90, 0)],
  ["Isometric", "the three axes alike", angles(45, ISOMETRIC)],
  [
    "Whole box",
    "the middle of the box, as far as its walls",
    ({ azimuth, elevation }, boxSize) => ({ ...wholeBox(boxSize).camera, azimuth, elevation }),
  ],
  [
    CENTRE_OF_MASS,
    "moves the middle of the picture to where the mass is now",
    (from, _, [x, y, z]) => ({ ...from, centre: [x, y, z] }),
  ],
];

function Presets({ store }: { store: Store }) {
  const { boxSize } = store.panes.a.state.value;
  const centreOfMass = store.panes.a.rows.value.at(-1)?.centreOfMass;
  return (
    <fieldset class="group">
      <legend>Look from</legend>
      <div class="buttons">
        {PRESETS.map(([name, meaning, move]) => (
          <Button
            key={name}
            title={meaning}
            disabled={name === CENTRE_OF_MASS && !centreOfMass}
            onClick={() => goTo(store, move(store.view.value.camera, boxSize, centreOfMass ?? []))}
          >
            {name}
          </Button>
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
        <NumberField label="Azimuth" unit="°" value={tidy(camera.azimuth)} set={(azimuth) => set({ azimuth })} />
        <NumberField
          {...{ label: "Elevation", unit: "°", value: tidy(camera.elevation), least: -90, most: 90 }}
          set={(elevation) => set({ elevation: Math.min(90, Math.max(-90, elevation)) })}
        />
        <NumberField
          {...{ label: "Width", unit: units.length, value: tidy(camera.span) }}
          set={(span) => span > 0 && set({ span })}
        />
        {["x", "y", "z"].map((axis, i) => (
          <NumberField
            key={axis}
            {...{ label: `Middle ${axis}`, unit: units.length, value: tidy(camera.centre[i]) }}
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
            <Button
              class="view-name"
              title={keyframeText(shownIn(saved, boxSize), units.length)}
              onClick={() => goToView(store, shownIn(saved, boxSize))}
            >
              {saved.name}
            </Button>
            <Button
              aria-label={`Forget the view ${saved.name}`}
              onClick={() => keep(views.filter((other) => other !== saved))}
            >
              ×
            </Button>
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
