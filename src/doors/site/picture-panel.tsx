/** How the picture is drawn: colours, stretch, brightness, smoothing, components. */

import type { ComponentProps } from "preact";
import { thinGrouped } from "../../run/page/numbers.ts";
import { STRETCHES, type Stretch, type View } from "../../studio/view/view.ts";
import { firstHidden, hide } from "./actions.ts";
import { Checkbox, Quantities, Select } from "./controls.tsx";
import { type Store, setView } from "./store.ts";

const STRETCH_WORDS: Record<Stretch, string> = { log: "logarithmic", asinh: "asinh", linear: "linear" };

interface RangeProps extends Pick<ComponentProps<"input">, "value" | "min" | "max" | "step"> {
  label: string;
  hint: string;
  shown: string;
  change: (value: number) => void;
}

function Range({ label, hint, shown, change, ...range }: RangeProps) {
  return (
    <label class="row-range">
      <span>{label}</span>
      <output>{shown}</output>
      <input
        {...range}
        type="range"
        aria-valuetext={shown}
        onInput={(event) => change(Number(event.currentTarget.value))}
      />
      <small>{hint}</small>
    </label>
  );
}

/** Brightest value by hand, as a power of ten about what a mean picture of the box has. */
function Brightness({ store, set }: { store: Store; set: (change: Partial<View>) => void }) {
  const { brightest, quantity } = store.view.value;
  const { boxSize, units } = store.panes.a.state.value;
  const speeds = quantity === "velocity" || quantity === "dispersion";
  const unit = speeds ? units.velocity : units.mass && `${units.mass}/${units.length}²`;
  const auto = brightest === "auto";
  const power = auto ? 0 : Math.log10(brightest);
  const start = speeds ? (units.velocity === "km/s" ? 200 : 1) : 10 / boxSize ** 2;
  return (
    <>
      <Checkbox
        {...{ checked: auto, label: "Brightest value from the picture" }}
        set={() => set({ brightest: auto ? Number(start.toPrecision(2)) : "auto" })}
      />
      {!auto && (
        <Range
          label={speeds ? "Largest value" : "Brightest value"}
          hint="the same in both pictures, and as the run goes on"
          {...{ value: power, min: -8, max: 8, step: 0.05 }}
          shown={`${Number(brightest.toPrecision(2))} ${unit}`}
          change={(value) => set({ brightest: 10 ** value })}
        />
      )}
    </>
  );
}

function Components({ store }: { store: Store }) {
  const { components } = store.panes.a.state.value;
  const { hidden } = store.view.value;
  if (components.length < 2) return null;
  const first = firstHidden(store);
  return (
    <fieldset class="group">
      <legend>Components</legend>
      {components.map(({ name, species, count }) => (
        <Checkbox
          key={name}
          checked={!hidden.includes(name)}
          set={(drawn) => hide(store, drawn ? hidden.filter((other) => other !== name) : [...hidden, name])}
          label={[name, " ", <small key={name}>{`${thinGrouped(count)} of ${species}`}</small>]}
        />
      ))}
      {first.length > 0 && (
        <p class="soft">
          Stars come first: pictures begin without dark haloes ({first.join(", ")}), which would drown them.
        </p>
      )}
    </fieldset>
  );
}

export function PicturePanel({ store }: { store: Store }) {
  const view = store.view.value;
  const set = (change: Partial<View>) => setView(store, change);
  const { velocity } = store.panes.a.state.value.units;
  const EXPLAINED: Record<View["quantity"], string> = {
    density: "Mass along the line of sight, bright where there is much.",
    species: "The same, a colour for each species of particles.",
    velocity: `Mean velocity along the line of sight${velocity && ` in ${velocity}`}: blue comes nearer, orange moves away.`,
    dispersion: `How much velocities along the line of sight differ${velocity && `, in ${velocity}`}.`,
  };
  return (
    <div class="form">
      <h3>Colours show</h3>
      <Quantities store={store} />
      <p class="soft">{EXPLAINED[view.quantity]}</p>
      {(view.quantity === "density" || view.quantity === "species") && (
        <>
          <Select
            label="Stretch"
            value={view.stretch}
            options={STRETCHES.map((stretch) => [stretch, STRETCH_WORDS[stretch]])}
            set={(stretch) => set({ stretch: stretch as Stretch })}
          />
          {view.stretch === "log" && (
            <Range
              label="Contrast"
              hint="powers of ten from dark to bright: fewer show the dense places, more the faint ones"
              {...{ value: view.decades, min: 1, max: 8, step: 0.25 }}
              shown={`${view.decades} decades`}
              change={(decades) => set({ decades })}
            />
          )}
        </>
      )}
      <Brightness store={store} set={set} />
      <Range
        label="Smoothing"
        hint="particles that share a blurred spot; 0 shows every pixel as it is"
        {...{ value: view.smoothing, min: 0, max: 64, step: 1 }}
        shown={view.smoothing === 0 ? "none" : `${view.smoothing} particles`}
        change={(smoothing) => set({ smoothing })}
      />
      {store.panes.a.state.value.cores && (
        <Checkbox
          {...{ checked: view.cores, label: "Frames about the cores of levels" }}
          set={(cores) => set({ cores })}
        />
      )}
      <Components store={store} />
    </div>
  );
}
