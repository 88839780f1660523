/** Where the camera is: places with names, numbers, views that are kept, and the keyframes of a film. */
import { useState } from "preact/hooks";
import { unit } from "../../page/units.ts";
import type { ViewCamera } from "../../view/view.ts";
import { goTo, setCamera } from "../camera-moves.ts";
import { Button, NumberField } from "../controls.tsx";
import type { Store } from "../store.ts";
import { goToView, Keyframes, tidy, words } from "./keyframes.tsx";
import { keepViews, keptViews, type SavedView, savedAs, shownIn } from "./saved-views.ts";

interface Preset {
  name: string;
  meaning: string;
  /** From the present camera; `boxSize` [length]; `centreOfMass` of the run, where it is known [length]. */
  camera(from: ViewCamera, boxSize: number, centreOfMass: readonly number[] | undefined): ViewCamera;
}

/** From where the three axes of a cube look alike: arctan(1/√2) above the plane [degree]. */
const ISOMETRIC = (Math.atan(Math.SQRT1_2) * 180) / Math.PI;

const from = (name: string, meaning: string, azimuth: number, elevation: number): Preset => ({
  ...{ name, meaning },
  camera: (camera) => ({ ...camera, azimuth, elevation }),
});

const PRESETS: readonly Preset[] = [
  from("Face-on", "x to the right, y up", 0, 90),
  from("Edge-on, x–z", "x to the right, z up", 0, 0),
  from("Edge-on, y–z", "y to the right, z up", 90, 0),
  from("Isometric", "the three axes alike", 45, ISOMETRIC),
  {
    name: "Whole box",
    meaning: "the middle of the box, as far as its walls",
    camera: (camera, boxSize) => ({ ...camera, centre: [boxSize / 2, boxSize / 2, boxSize / 2], span: boxSize }),
  },
  {
    name: "Centre of mass",
    meaning: "moves the middle of the picture to where the mass is now",
    camera: (camera, boxSize, mass) => {
      const [x, y, z] = mass ?? [boxSize / 2, boxSize / 2, boxSize / 2];
      return { ...camera, centre: [x, y, z] };
    },
  },
];

function Presets({ store }: { store: Store }) {
  const { boxSize } = store.panes.a.state.value;
  const centreOfMass = store.panes.a.rows.value.at(-1)?.centreOfMass;
  return (
    <fieldset class="group">
      <legend>Look from</legend>
      <div class="buttons">
        {PRESETS.map(({ name, meaning, camera }) => (
          <Button
            key={name}
            title={meaning}
            disabled={name === "Centre of mass" && !centreOfMass}
            onClick={() => goTo(store, camera(store.view.value.camera, boxSize, centreOfMass))}
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
            <Button
              class="view-name"
              title={words(shownIn(saved, boxSize), units.length)}
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
