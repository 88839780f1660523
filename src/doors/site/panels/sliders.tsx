/**
 * The deck's numbers that matter, as sliders. A slider changes an override, not the text; the page says what differs from what
 * runs, with the ways to see it run: from the beginning, from here, or beside the run.
 */
import { useRef } from "preact/hooks";
import { shortNumber } from "../../../run/page/numbers.ts";
import { runEdited } from "../actions.ts";
import { Button, NumberInput } from "../controls.tsx";
import type { DeckSlider } from "../stage.ts";
import type { Store } from "../store.ts";
import {
  compareEdited,
  forkHere,
  goOnHere,
  isBeside,
  OTHER_TEXT,
  revert,
  type VariantDifference,
  variantDifference,
} from "../variants.ts";
import { useChecking } from "./checking.ts";
import { isLogarithmic, PLACES, placeOf, valueAt, widened } from "./slider-scale.ts";

/** The dimension of a unit of the deck's own becomes the run's unit. */
function unitText({ unit }: DeckSlider, store: Store): string {
  const { units } = store.panes.a.state.value;
  return unit === undefined ? "" : ((units as Record<string, string>)[unit] ?? unit);
}

function change(store: Store, path: string, value: number): void {
  if (!Number.isFinite(value)) return;
  store.overrides.value = { ...store.overrides.value, [path]: value };
}

function reset(store: Store, path: string): void {
  const { [path]: _, ...rest } = store.overrides.value;
  store.overrides.value = rest;
}
function SliderRow({ store, slider, own }: { store: Store; slider: DeckSlider; own: number | undefined }) {
  const value = Number(store.overrides.value[slider.path] ?? slider.value);
  const range = widened(slider, value);
  const unit = unitText(slider, store);
  const changed = slider.path in store.overrides.value;
  const id = `slider-${slider.path.replaceAll(".", "-")}`;
  return (
    <div class={changed ? "slider changed" : "slider"}>
      <label class="slider-label" for={id}>
        {slider.label}
        {unit && <span class="soft"> [{unit}]</span>}
      </label>
      <input
        type="range"
        id={id}
        {...{ min: 0, max: PLACES, step: 1, value: placeOf(range, value) }}
        aria-valuetext={`${shortNumber(value)} ${unit}`}
        aria-describedby={`${id}-about`}
        onInput={(event) => change(store, slider.path, valueAt(range, Number(event.currentTarget.value)))}
      />
      <NumberInput
        aria-label={`${slider.label}, as a number${unit && `, in ${unit}`}`}
        {...{ value, step: slider.integer ? 1 : "any" }}
        entered={(number, text) => {
          // An empty field is the deck's own value.
          if (text === "") reset(store, slider.path);
          else change(store, slider.path, number);
        }}
      />
      <Button
        class="slider-reset"
        disabled={!changed}
        title={own === undefined ? "As in the deck" : `As in the deck: ${shortNumber(own)}`}
        aria-label={`${slider.label}: as in the deck`}
        onClick={() => reset(store, slider.path)}
      >
        ↺
      </Button>
      <small class="slider-about" id={`${id}-about`}>
        {slider.meaning}
        {isLogarithmic(range) && " · by factors"}
        {changed && <b> · changed{own !== undefined && `, ${shortNumber(own)} in the deck`}</b>}
      </small>
    </div>
  );
}

/** Why a run that is under way can't go on with what has changed; undefined where it can. */
export function whyNotFrom(change: VariantDifference, sliders: readonly DeckSlider[]): string | undefined {
  if (change.text) return OTHER_TEXT;
  const fixed = change.overrides
    .map(({ path }) => sliders.find((slider) => slider.path === path) ?? { path, label: path, later: false })
    .filter(({ later }) => !later);
  if (fixed.length === 0) return undefined;
  const names = fixed.map(({ label }) => label).join(", ");
  return `${names}: belongs to the initial conditions or to the mesh, so the run must begin again.`;
}

function Differs({ store, steady, changed }: { store: Store; steady: readonly Steady[]; changed: VariantDifference }) {
  const sliders = steady.map(({ slider }) => slider);
  const why = whyNotFrom(changed, sliders);
  const wrong = (store.check.value?.problems.length ?? 0) > 0;
  const list = changed.overrides.map(({ path, from, to }) => {
    const known = steady.find(({ slider }) => slider.path === path);
    const own = known?.own === undefined ? "as in the deck" : shortNumber(known.own);
    const value = (text: string | undefined) =>
      text === undefined ? own : Number.isFinite(Number(text)) ? shortNumber(Number(text)) : text;
    return `${known?.slider.label ?? path} ${value(from)} → ${value(to)}`;
  });
  const beside = store.comparing.value && isBeside(store);
  return (
    <fieldset class="group sliders-differ" aria-label="What is set differs from what runs">
      <p aria-live="polite">
        <b>{beside ? "As in picture B:" : "Not what runs:"}</b>{" "}
        {[...(changed.text ? ["the deck's text"] : []), ...list].join("; ")}
      </p>
      {wrong && <p class="wrong">{store.check.value?.problems[0].message}</p>}
      <div class="buttons">
        <Button primary disabled={wrong} onClick={() => runEdited(store)}>
          Restart with it
        </Button>
        <Button disabled={wrong || why !== undefined} onClick={() => goOnHere(store)}>
          Go on from here
        </Button>
        <Button disabled={wrong} onClick={() => compareEdited(store)}>
          Beside it, from the start
        </Button>
        <Button disabled={wrong || why !== undefined} onClick={() => forkHere(store)}>
          Beside it, from here
        </Button>
        <Button onClick={() => revert(store)}>Revert</Button>
      </div>
      {why && <p class="soft">{why}</p>}
    </fieldset>
  );
}

interface Steady {
  slider: DeckSlider;
  own: number | undefined;
}

/** Sliders as they are without overrides: a range that follows its own slider would move away from the pointer. */
function useSteadySliders(store: Store): readonly Steady[] {
  const steady = useRef(new Map<string, Steady>());
  const sliders = store.check.value?.sliders ?? [];
  // While a deck is wrong its sliders stay where they are.
  if (sliders.length > 0) {
    const known = steady.current;
    const found = sliders.map((slider): Steady => {
      const overridden = slider.path in store.overrides.value;
      const before = known.get(slider.path);
      return overridden ? (before ?? { slider, own: undefined }) : { slider, own: slider.value };
    });
    steady.current = new Map(found.map((one) => [one.slider.path, one]));
  }
  return [...steady.current.values()];
}

export function Sliders({ store }: { store: Store }) {
  useChecking(store);
  const steady = useSteadySliders(store);
  const changed = variantDifference(store);
  return (
    <section class="part sliders" aria-label="Sliders">
      {steady.length === 0 && <p class="soft">The deck has no numbers to slide yet.</p>}
      {steady.map(({ slider, own }) => (
        <SliderRow key={slider.path} {...{ store, slider, own }} />
      ))}
      {changed && <Differs {...{ store, steady, changed }} />}
    </section>
  );
}
