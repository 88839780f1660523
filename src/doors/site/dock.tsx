/** The panels: tabs at the picture's right, or below it on a narrow screen, and the one that is open. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { setPanel } from "./actions.ts";
import { Button, Icon, IconButton, type IconName } from "./controls.tsx";
import { CameraPresets } from "./panels/camera-panel.tsx";
import { Curves } from "./panels/curves.tsx";
import { Editor } from "./panels/editor.tsx";
import { Export } from "./panels/export.tsx";
import { Shortcuts } from "./panels/shortcuts.tsx";
import { Sliders } from "./panels/sliders.tsx";
import { PicturePanel } from "./picture-panel.tsx";
import type { Store } from "./store.ts";

function moveAmong(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]")];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  tabs[(at + step + tabs.length) % tabs.length].focus();
}

export interface DockPanel {
  id: string;
  /** One short word, on its tab and as its heading. */
  tab: string;
  icon: IconName;
  Content: ComponentType<{ store: Store }>;
  /** Needs a deck that can be run again. */
  ofDecks?: boolean;
}

/** In the order of their tabs. A new panel is a line here. */
const PANELS: readonly DockPanel[] = [
  { id: "picture", tab: "Picture", icon: "picture", Content: PicturePanel },
  { id: "parameters", tab: "Sliders", icon: "sliders", Content: Sliders, ofDecks: true },
  { id: "deck", tab: "Deck", icon: "deck", Content: Editor, ofDecks: true },
  { id: "curves", tab: "Curves", icon: "curves", Content: Curves },
  { id: "camera", tab: "Camera", icon: "camera", Content: CameraPresets },
  { id: "export", tab: "Export", icon: "export", Content: Export },
  { id: "keys", tab: "Keys", icon: "keys", Content: Shortcuts },
];

export function Dock({ store }: { store: Store }) {
  const { panel } = store.page;
  const ofDeck = store.sources.a.value?.kind === "deck";
  const panels = PANELS.filter(({ ofDecks }) => ofDeck || !ofDecks);
  const open = panels.find(({ id }) => id === panel.value);
  const last = useRef<string>("picture");
  const tabs = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (open) last.current = open.id;
    // Whoever closes a panel from inside it goes on at its tab.
    else if (wasOpen.current && document.activeElement === document.body) {
      tabs.current?.querySelector<HTMLElement>(`#tab-${last.current}`)?.focus();
    }
    wasOpen.current = open !== undefined;
  });
  const current = open?.id ?? (panels.some(({ id }) => id === last.current) ? last.current : panels[0]?.id);
  return (
    <aside class={open ? "dock open" : "dock"} aria-label="Panels">
      {open && (
        <div class="panel" role="tabpanel" id={`panel-${open.id}`} aria-labelledby={`tab-${open.id}`}>
          <div class="panel-head">
            <h2>{open.tab}</h2>
            <IconButton icon="close" label="Close the panel" keyName="Esc" run={() => setPanel(store, open.id)} />
          </div>
          <div class="panel-body">
            <open.Content store={store} />
          </div>
        </div>
      )}
      <div class="tabs" role="tablist" aria-label="Panels" aria-orientation="vertical" ref={tabs} onKeyDown={moveAmong}>
        {panels.map(({ id, tab, icon }) => (
          <Button
            role="tab"
            key={id}
            id={`tab-${id}`}
            aria-selected={open?.id === id}
            aria-controls={`panel-${id}`}
            tabIndex={current === id ? 0 : -1}
            onClick={() => setPanel(store, id)}
          >
            <Icon name={icon} />
            <span>{tab}</span>
          </Button>
        ))}
      </div>
    </aside>
  );
}
