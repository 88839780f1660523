/** Keys of the page: one list, by which they work and from which their panel is drawn. */

import { QUANTITIES } from "../../studio/view/view.ts";
import * as actions from "./actions.ts";
import { edgeOn, faceOn, move, pan, turn, whole, zoom } from "./camera-moves.ts";
import { type Store, setView } from "./store.ts";
import { fork, toggleComparison } from "./variants.ts";

export const KEY_GROUPS = ["Run", "Camera", "Picture", "Page"] as const;

export interface KeyBinding {
  /** KeyboardEvent.key; "Shift+" before it where that matters. */
  key: string;
  shown?: string;
  group: (typeof KEY_GROUPS)[number];
  meaning: string;
  run: (store: Store) => void;
  /** Works in the gallery as well. */
  everywhere?: boolean;
}

/** An arrow key turns by an angle [degree], and moves by a share of the picture's side. */
const ANGLE = 5;
const SHARE = 0.08;
const ZOOM = 1.25;

const QUANTITY_KEYS: KeyBinding[] = QUANTITIES.map((quantity, i) => ({
  key: String(i + 1),
  group: "Picture",
  meaning: `colours show ${quantity}`,
  run: (store) => setView(store, { quantity }),
}));

export const KEYS: readonly KeyBinding[] = [
  { key: " ", shown: "Space", group: "Run", meaning: "run or pause", run: actions.playOrPause },
  { key: ".", group: "Run", meaning: "one step, or the next snapshot", run: actions.step },
  { key: ",", group: "Run", meaning: "the snapshot before", run: actions.previousFrame },
  { key: "r", group: "Run", meaning: "begin again", run: actions.restart },
  { key: "k", group: "Run", meaning: "fork from here, into the second picture", run: fork },
  { key: "c", group: "Run", meaning: "second picture beside the first, or not", run: toggleComparison },
  { key: "Enter", shown: "Ctrl+Enter", group: "Run", meaning: "run the deck as edited", run: actions.runEdited },
  { key: "ArrowLeft", shown: "←", group: "Camera", meaning: "turn left", run: turn(-ANGLE, 0) },
  { key: "ArrowRight", shown: "→", group: "Camera", meaning: "turn right", run: turn(ANGLE, 0) },
  { key: "ArrowUp", shown: "↑", group: "Camera", meaning: "tilt towards edge-on", run: turn(0, -ANGLE) },
  { key: "ArrowDown", shown: "↓", group: "Camera", meaning: "tilt towards face-on", run: turn(0, ANGLE) },
  { key: "Shift+ArrowLeft", shown: "Shift ←", group: "Camera", meaning: "move left", run: pan(-SHARE, 0) },
  { key: "Shift+ArrowRight", shown: "Shift →", group: "Camera", meaning: "move right", run: pan(SHARE, 0) },
  { key: "Shift+ArrowUp", shown: "Shift ↑", group: "Camera", meaning: "move up", run: pan(0, SHARE) },
  { key: "Shift+ArrowDown", shown: "Shift ↓", group: "Camera", meaning: "move down", run: pan(0, -SHARE) },
  { key: "+", group: "Camera", meaning: "nearer", run: zoom(1 / ZOOM) },
  { key: "-", shown: "−", group: "Camera", meaning: "farther", run: zoom(ZOOM) },
  { key: "0", group: "Camera", meaning: "where the picture began", run: move(whole) },
  { key: "f", group: "Camera", meaning: "face-on", run: move(faceOn) },
  { key: "e", group: "Camera", meaning: "edge-on", run: move(edgeOn) },
  ...QUANTITY_KEYS,
  {
    ...{ key: "m", group: "Picture", meaning: "frames about the cores of levels, or not" },
    run: (store) => setView(store, { cores: !store.view.value.cores }),
  },
  { key: "p", group: "Page", meaning: "panel open or closed", run: actions.togglePanel },
  { key: "w", group: "Page", meaning: "full screen", run: actions.fullScreen },
  { key: "l", group: "Page", meaning: "copy a link to what is shown", run: (store) => void actions.copyLink(store) },
  { key: "g", group: "Page", meaning: "all decks, and back", run: actions.toggleGallery, everywhere: true },
  { key: "?", group: "Page", meaning: "these keys", run: actions.showKeys },
  { key: "Escape", shown: "Esc", group: "Page", meaning: "close the panel", run: actions.closePanel },
];

/** Where keys are typed into, or move something else. */
const TYPED = "input, textarea, select, [contenteditable], .cm-editor, dialog";
const OWN_KEYS: Record<string, string> = { " ": "button, a, summary, input", Enter: "button, a, summary" };
const ARROWS = "[role=tab], [role=slider], [role=radio]";

/** The key that an event is about, if only this page handles it. */
export function keyOf(event: KeyboardEvent, target: Element | null): KeyBinding | undefined {
  const control = event.ctrlKey || event.metaKey;
  if (control && event.key === "Enter") return KEYS.find(({ key }) => key === "Enter");
  if (control || event.altKey || event.defaultPrevented || event.key === "Enter") return undefined;
  if (target?.closest(TYPED) && event.key !== "Escape") return undefined;
  if (event.key in OWN_KEYS && target?.closest(OWN_KEYS[event.key])) return undefined;
  if (event.key.startsWith("Arrow") && target?.closest(ARROWS)) return undefined;
  const name = event.key === "=" ? "+" : event.key;
  const shifted = event.shiftKey ? KEYS.find(({ key }) => key === `Shift+${name}`) : undefined;
  return shifted ?? KEYS.find(({ key }) => key === name || key === name.toLowerCase());
}

export function listenToKeys(store: Store): void {
  window.addEventListener("keydown", (event) => {
    const key = keyOf(event, event.target instanceof Element ? event.target : null);
    if (!key) return;
    if (!store.page.keysOn.value && event.key.length === 1) return;
    if (store.page.screen.value === "gallery" && !key.everywhere) return;
    event.preventDefault();
    key.run(store);
  });
}
