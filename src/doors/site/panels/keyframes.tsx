/** The keyframes of a film: views in the order of time, previewed by a bar; and the words for a view. */
import { useEffect, useRef, useState } from "preact/hooks";
import { shortNumber } from "../../../run/page/numbers.ts";
import { withUnit } from "../../../run/page/units.ts";
import type { View } from "../../../studio/view/view.ts";
import { keyframesInOrder, viewAlong } from "../camera.ts";
import { goTo } from "../camera-moves.ts";
import { Button, NumberField } from "../controls.tsx";
import type { Store } from "../store.ts";
import { appended, keyframeAt, reordered } from "./film.ts";

/** Without digits that nobody sees. */
export const tidy = (value: number) => Number(value.toPrecision(5));

/** "azimuth 30°, elevation 60°, 12 kpc wide" */
export function keyframeText({ camera: { azimuth, elevation, span } }: View, length: string): string {
  const degrees = (angle: number) => `${shortNumber(angle)}°`;
  return `azimuth ${degrees(azimuth)}, elevation ${degrees(elevation)}, ${withUnit(shortNumber(span), length)} wide`;
}

/** Goes to a view: its camera smoothly, the rest at once. */
export function goToView(store: Store, view: View): void {
  store.view.value = { ...view, camera: store.view.value.camera };
  goTo(store, view.camera);
}

/** Shows the film's camera on the screen, without the run going on; ends at the view where it began. */
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
    const length = 1000 * store.page.film.settings.value.seconds;
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

export function Keyframes({ store }: { store: Store }) {
  const frames = keyframesInOrder(store.keyframes.value);
  const { length } = store.panes.a.state.value.units;
  const { seconds } = store.page.film.settings.value;
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
              {...{ label: "At", unit: "s", least: 0, most: seconds, value: tidy(keyframe.at * seconds) }}
              set={(at) => {
                const others = frames.filter((other) => other !== keyframe);
                set(keyframeAt(others, Math.min(1, Math.max(0, at / seconds)), keyframe.view));
              }}
            />
            <Button
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
              {keyframeText(keyframe.view, length)}
            </Button>
            <span class="buttons">
              <Button aria-label="Earlier" disabled={i === 0} onClick={() => move(i, i - 1)}>
                ↑
              </Button>
              <Button aria-label="Later" disabled={i === frames.length - 1} onClick={() => move(i, i + 1)}>
                ↓
              </Button>
              <Button
                title="Takes the present view instead"
                onClick={() => set(keyframeAt(frames, keyframe.at, store.view.value))}
              >
                Replace
              </Button>
              <Button
                aria-label="Remove the keyframe"
                onClick={() => set(frames.filter((other) => other !== keyframe))}
              >
                ×
              </Button>
            </span>
          </li>
        ))}
      </ol>
      <div class="buttons">
        <Button primary onClick={() => set(appended(frames, store.view.value))}>
          Add the present view
        </Button>
        {share === undefined ? (
          <Button disabled={frames.length < 2} onClick={begin}>
            Preview
          </Button>
        ) : (
          <Button onClick={end}>Stop</Button>
        )}
        {share !== undefined && <progress value={share} max={1} aria-label="Preview" />}
      </div>
    </fieldset>
  );
}
