/**
 * The camera by mouse, pen and fingers. One pointer turns (with Shift, or the right or middle button, it pans); two pan and
 * zoom; the wheel zooms at the pointer; a double click or tap brings what is there to the middle.
 */
import { panned, turned, zoomed } from "./camera.ts";
import { goTo, setCamera } from "./camera-moves.ts";
import type { Store } from "./store.ts";

/** Degrees of turn for the picture's shorter side. */
const TURN = 200;
/** Zoom by a wheel's notch (100 pixels). */
const NOTCH = 1.2;
/** After the last wheel event the picture counts as at rest [ms]; taps are a double one within a time [ms] and way [pixel]. */
const REST = 160;
const [TAP_PAUSE, TAP_WAY] = [350, 24];

interface Place {
  x: number;
  y: number;
}

/** A place from the middle of an element, of its shorter side, y upwards. */
export function fromMiddle(element: HTMLElement, { x, y }: Place): [number, number] {
  const box = element.getBoundingClientRect();
  const side = Math.max(1, Math.min(box.width, box.height));
  return [(x - box.left - box.width / 2) / side, (box.top + box.height / 2 - y) / side];
}

/** Follows the pointers over `element` until the returned function ends it. */
export function followPointers(element: HTMLElement, store: Store): () => void {
  const pointers = new Map<number, Place & { pans: boolean }>();
  const side = () => Math.max(1, Math.min(element.clientWidth, element.clientHeight));
  const camera = () => store.view.value.camera;
  const middleOf = (places: readonly Place[]): Place => ({
    x: places.reduce((sum, { x }) => sum + x, 0) / places.length,
    y: places.reduce((sum, { y }) => sum + y, 0) / places.length,
  });
  const apart = ([a, b]: readonly Place[]) => Math.max(8, Math.hypot(a.x - b.x, a.y - b.y));
  let tap: (Place & { time: number }) | undefined;

  const down = (event: PointerEvent) => {
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pans: event.shiftKey || event.button > 0 });
  };
  const move = (event: PointerEvent) => {
    const before = [...pointers.values()];
    const held = pointers.get(event.pointerId);
    if (!held) return;
    const place = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [(place.x - held.x) / side(), (place.y - held.y) / side()];
    if (dx === 0 && dy === 0) return;
    store.page.moving.value = true;
    pointers.set(event.pointerId, { ...place, pans: held.pans });
    if (pointers.size === 1) {
      setCamera(store, held.pans ? panned(camera(), -dx, dy) : turned(camera(), -TURN * dx, TURN * dy));
    } else if (pointers.size === 2) {
      const after = [...pointers.values()];
      const [from, to] = [middleOf(before), middleOf(after)];
      const moved = panned(camera(), -(to.x - from.x) / side(), (to.y - from.y) / side());
      setCamera(store, zoomed(moved, apart(before) / apart(after), fromMiddle(element, to)));
    }
  };
  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId) || pointers.size > 0) return;
    store.page.moving.value = false;
    if (event.type === "pointerup") tapped(event);
  };
  const tapped = (event: PointerEvent) => {
    const place = { x: event.clientX, y: event.clientY, time: event.timeStamp };
    const again = tap && place.time - tap.time < TAP_PAUSE && Math.hypot(place.x - tap.x, place.y - tap.y) < TAP_WAY;
    tap = again ? undefined : place;
    if (again) goTo(store, panned(camera(), ...fromMiddle(element, place)));
  };
  let rest = 0;
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    // In lines or pages where the browser counts so; a pinch on a trackpad comes as a wheel with Ctrl, in small steps.
    const pixels =
      event.deltaY * (event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1) * (event.ctrlKey ? 5 : 1);
    store.page.moving.value = true;
    const factor = NOTCH ** (Math.max(-300, Math.min(300, pixels)) / 100);
    setCamera(store, zoomed(camera(), factor, fromMiddle(element, { x: event.clientX, y: event.clientY })));
    window.clearTimeout(rest);
    rest = window.setTimeout(() => {
      if (pointers.size === 0) store.page.moving.value = false;
    }, REST);
  };
  const noMenu = (event: Event) => event.preventDefault();

  const ending = new AbortController();
  const { signal } = ending;
  element.addEventListener("pointerdown", down, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", up, { signal });
  element.addEventListener("pointercancel", up, { signal });
  element.addEventListener("wheel", wheel, { signal, passive: false });
  element.addEventListener("contextmenu", noMenu, { signal });
  return () => ending.abort();
}
