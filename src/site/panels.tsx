/** The panels beside the picture, in the order of their tabs. A new one is a line here. */
import type { ComponentType } from "preact";
import type { IconName } from "./icons.tsx";
import { CameraPresets } from "./panels/camera-panel.tsx";
import { Curves } from "./panels/curves.tsx";
import { Editor } from "./panels/editor.tsx";
import { Export } from "./panels/export.tsx";
import { Shortcuts } from "./panels/shortcuts.tsx";
import { Sliders } from "./panels/sliders.tsx";
import { PicturePanel } from "./picture-panel.tsx";
import type { Store } from "./store.ts";

export interface Panel {
  id: string;
  /** On its tab: one short word. */
  tab: string;
  title: string;
  icon: IconName;
  Content: ComponentType<{ store: Store }>;
  /** Needs a deck that can be run again. */
  ofDecks?: boolean;
}

export const PANELS: readonly Panel[] = [
  { id: "picture", tab: "Picture", title: "Picture", icon: "picture", Content: PicturePanel },
  { id: "parameters", tab: "Sliders", title: "Parameters", icon: "sliders", Content: Sliders, ofDecks: true },
  { id: "deck", tab: "Deck", title: "Deck", icon: "deck", Content: Editor, ofDecks: true },
  { id: "curves", tab: "Curves", title: "Curves", icon: "curves", Content: Curves },
  { id: "camera", tab: "Camera", title: "Camera", icon: "camera", Content: CameraPresets },
  { id: "export", tab: "Export", title: "Export", icon: "export", Content: Export },
  { id: "keys", tab: "Keys", title: "Keys", icon: "keys", Content: Shortcuts },
];
