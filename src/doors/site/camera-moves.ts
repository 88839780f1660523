/** The camera of the page: what keys, buttons and pointers do with it. Moves are eased, unless the reader wants none. */
import { type ViewCamera, wholeBox } from "../../studio/view/view.ts";
import { nearestTurn, panned, turned, viewAlong, zoomed } from "./camera.ts";
import { type Store, setView } from "./store.ts";

/** [ms] */
const EASE = 350;
/** Shares of the box: the picture shows no less and no more. */
const [NEAREST, FARTHEST] = [1e-4, 8];

let easing = 0;

export function setCamera(store: Store, camera: ViewCamera): void {
  cancelAnimationFrame(easing);
  const { boxSize } = store.panes.a.state.value;
  const span = Math.min(FARTHEST * boxSize, Math.max(NEAREST * boxSize, camera.span));
  store.page.aimed.value = true;
  setView(store, { camera: { ...camera, span } });
}

/** Moves there gently, or at once with `prefers-reduced-motion`. */
export function goTo(store: Store, camera: ViewCamera): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    setCamera(store, camera);
    return;
  }
  const from = store.view.value;
  const path = [
    { at: 0, view: from },
    { at: 1, view: { ...from, camera: nearestTurn(from.camera, camera) } },
  ];
  const start = performance.now();
  const frame = (now: number) => {
    const t = Math.min(1, (now - start) / EASE);
    setCamera(store, t < 1 ? viewAlong(path, t, from).camera : camera);
    if (t < 1) easing = requestAnimationFrame(frame);
  };
  cancelAnimationFrame(easing);
  easing = requestAnimationFrame(frame);
}

/** The camera that a run begins with: its deck's, or face-on to the whole box. */
export function whole(store: Store): ViewCamera {
  const { boxSize } = store.panes.a.state.value;
  const { camera } = wholeBox(boxSize);
  const deck = store.page.bundled.value?.camera;
  return deck ? { ...camera, azimuth: deck.azimuth, elevation: deck.elevation, span: deck.share * boxSize } : camera;
}

export const faceOn = ({ view }: Store): ViewCamera => ({ ...view.value.camera, azimuth: 0, elevation: 90 });
export const edgeOn = ({ view }: Store): ViewCamera => ({ ...view.value.camera, azimuth: 0, elevation: 0 });

export const move = (to: (store: Store) => ViewCamera) => (store: Store) => goTo(store, to(store));
export const turn = (azimuth: number, elevation: number) => (store: Store) =>
  setCamera(store, turned(store.view.value.camera, azimuth, elevation));
export const pan = (x: number, y: number) => (store: Store) => setCamera(store, panned(store.view.value.camera, x, y));
export const zoom = (factor: number) => (store: Store) => setCamera(store, zoomed(store.view.value.camera, factor));
