/** Decks and snapshots that the reader brings: dropped, pasted or chosen. */

import { useRef } from "preact/hooks";
import { openSnapshot, openText, say } from "./actions.ts";
import { Button, Icon } from "./controls.tsx";
import type { Store } from "./store.ts";

const isDeck = ({ name, type }: File) => /\.toml$/i.test(name) || type === "application/toml";
/** In order of time, as names in a result folder have it. */
const isSnapshot = ({ name }: File) => /\.(hdf5|h5)$/i.test(name);
const LARGEST_DECK = 4 << 20;

/** Opens a deck with the files that it reads, or else snapshots; a result folder's own deck isn't what it shows. */
export async function openFiles(store: Store, files: readonly File[]): Promise<void> {
  const decks = files.filter(isDeck);
  const snapshots = files.filter(isSnapshot).sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  const folder = decks.some(({ name }) => name === "scenario.toml") && snapshots.length > 0;
  if (decks.length > 0 && !folder) {
    if (decks.length > 1) return say(store, `One deck at a time, please: ${decks.map(({ name }) => name).join(", ")}`);
    if (decks[0].size > LARGEST_DECK) return say(store, `${decks[0].name} is too large for a deck`);
    await openText(store, await decks[0].text(), { files: files.filter((file) => file !== decks[0]) });
  } else if (snapshots.length > 0) await openSnapshot(store, snapshots);
  else if (files.length > 0) {
    say(store, `${files[0].name} is neither a deck (.toml) nor a snapshot (.hdf5)`);
  }
}

/** The files of a drop, with those in a folder. */
async function filesOf(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (!entries.some(({ isDirectory }) => isDirectory)) return [...transfer.files];
  const read = async (entry: FileSystemEntry): Promise<File[]> => {
    if (entry.isFile) return [await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail))];
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const found: FileSystemEntry[] = [];
    // A reader tells a part of a folder at a time, and nothing at its end.
    for (;;) {
      const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (part.length === 0) break;
      found.push(...part);
    }
    return (await Promise.all(found.filter(({ isFile }) => isFile).map(read))).flat();
  };
  return (await Promise.all(entries.map(read))).flat();
}

const looksLikeDeck = (text: string) => /^\s*\[\[?[a-z]+\]\]?\s*$/m.test(text) && /^\s*\w+\s*=/m.test(text);
const isTypedInto = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, [contenteditable], .cm-editor") !== null;

/** Takes what is dropped or pasted anywhere on the page. */
export function takeFiles(store: Store): void {
  let inside = 0;
  const shown = (is: boolean) => document.body.classList.toggle("dropping", is);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.some((type) => type === "Files") === true;
  window.addEventListener("dragenter", (event) => {
    if (hasFiles(event)) shown(++inside > 0);
  });
  window.addEventListener("dragleave", (event) => {
    if (hasFiles(event)) shown(--inside > 0);
  });
  window.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    inside = 0;
    shown(false);
    if (!event.dataTransfer || !hasFiles(event)) return;
    event.preventDefault();
    void filesOf(event.dataTransfer).then((files) => openFiles(store, files));
  });
  window.addEventListener("paste", (event) => {
    if (!event.clipboardData || isTypedInto(event.target)) return;
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData("text/plain");
    if (files.length > 0) void openFiles(store, files);
    else if (looksLikeDeck(text)) void openText(store, text);
    else if (text.trim() !== "") say(store, "What was pasted is no deck");
  });
}

export function FileButton({ store }: { store: Store }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button class="button" onClick={() => chooser.current?.click()}>
        <Icon name="open" /> Open a deck or snapshots…
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        accept=".toml,.hdf5,.h5"
        aria-label="Deck or snapshot files"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          void openFiles(store, files);
        }}
      />
    </>
  );
}
