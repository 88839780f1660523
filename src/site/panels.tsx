/** The panels beside the picture, in the order of their tabs. A new one is a line here. */
import type { ComponentType } from "preact";
import type { IconName } from "./icons.tsx";
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
];
