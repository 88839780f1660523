/** What the reader can take away: a picture, a film, the numbers, the deck as run, a link. */

import { useState } from "preact/hooks";
import { columnHeads, numbersOf } from "../../../engine/diagnostics/columns.ts";
import { csvText } from "../../../run/io/csv.ts";
import { percentage, thinGrouped } from "../../../run/page/numbers.ts";
import { attempt, copyLink, say } from "../actions.ts";
import { Button, Checkbox, NumberField, Select } from "../controls.tsx";
import type { FilmSettings } from "../page-state.ts";
import { PANES, type Pane, type PictureRequest } from "../stage.ts";
import type { Store } from "../store.ts";
import { messageText } from "../words.ts";
import { download, fileName } from "./download.ts";
import { filmProblem, makeFilm } from "./film.ts";

const LEGEND = "With scale bar, time and colour bar";
const ON_SCREEN = "as on the screen";
const SIZES = ["1280 × 720", "1920 × 1080", "3840 × 2160", "1080 × 1080", "2160 × 2160"];

/** Panes that show something. */
const shownPanes = (store: Store): Pane[] =>
  PANES.filter((pane) => (pane === "a" || store.comparing.value) && store.panes[pane].state.value.status !== "empty");

function PanesChoice({ panes, value, set }: { panes: Pane[]; value: string; set: (value: string) => void }) {
  if (panes.length < 2) return null;
  return (
    <Select
      {...{ label: "Pictures", value, set }}
      options={[
        ["both", "both beside each other"],
        ...panes.map((pane) => [pane, `${pane.toUpperCase()} alone`] as const),
      ]}
    />
  );
}

function SizeChoice(props: {
  width: number | undefined;
  height: number | undefined;
  screen: boolean;
  set: (width?: number, height?: number) => void;
}) {
  const { width, height, screen, set } = props;
  const [own, setOwn] = useState(false);
  const words = width === undefined || height === undefined ? ON_SCREEN : `${width} × ${height}`;
  const known = words === ON_SCREEN || SIZES.includes(words);
  const names = [...(screen ? [ON_SCREEN] : []), ...SIZES].map((name) => [name, name] as const);
  const pixels = { unit: "pixel", least: 64, step: 2 };
  return (
    <>
      <Select
        label="Size"
        value={own || !known ? "own" : words}
        options={[...names, ["own", "another"]]}
        set={(name) => {
          setOwn(name === "own");
          const [wide, high] = SIZES.includes(name) ? name.split(" × ").map(Number) : [];
          if (name === "own") set(width ?? 1600, height ?? 1200);
          else set(wide, high);
        }}
      />
      {(own || !known) && (
        <div class="field-pair">
          <NumberField {...pixels} label="Width" value={width ?? 0} set={(value) => set(value, height)} />
          <NumberField {...pixels} label="Height" value={height ?? 0} set={(value) => set(width, value)} />
        </div>
      )}
    </>
  );
}

/** `pane` "both", or one. */
const chosen = (panes: Pane[], pane: string): Pane[] => (pane === "both" ? panes : panes.filter((one) => one === pane));

function Picture({ store, panes }: { store: Store; panes: Pane[] }) {
  const [size, setSize] = useState<{ width?: number; height?: number }>({});
  const [legend, setLegend] = useState(true);
  const [which, setWhich] = useState("both");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const save = async () => {
    setBusy(true);
    setProblem("");
    try {
      const request: PictureRequest = { panes: chosen(panes, which), legend, ...size };
      const picture = await store.stage.picture(request);
      const { title, time } = store.panes.a.state.value;
      download(fileName(`${title} ${Number(time.toPrecision(4))}`, ".png"), picture);
      say(store, "The picture is saved");
    } catch (error) {
      setProblem(messageText(error));
    }
    setBusy(false);
  };
  return (
    <fieldset class="group">
      <legend>Picture</legend>
      <PanesChoice panes={panes} value={which} set={setWhich} />
      <SizeChoice
        {...{ width: size.width, height: size.height, screen: true }}
        set={(width, height) => setSize(width === undefined || height === undefined ? {} : { width, height })}
      />
      <Checkbox checked={legend} set={setLegend} label={LEGEND} />
      <div class="buttons">
        <Button primary disabled={busy || panes.length === 0} onClick={() => void save()}>
          {busy ? "Drawing …" : "Save picture (PNG)"}
        </Button>
      </div>
      {problem && (
        <p role="alert" class="wrong">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

function FilmForm({ store, panes }: { store: Store; panes: Pane[] }) {
  const { settings, progress, ended } = store.page.film;
  const film = settings.value;
  const set = (change: Partial<FilmSettings>) => {
    settings.value = { ...film, ...change };
  };
  const [which, setWhich] = useState("both");
  const { time, end, units, status } = store.panes.a.state.value;
  const problem = filmProblem(film, time);
  const keyframes = store.keyframes.value.length;
  const making = progress.value;
  const shown = status === "shown";
  return (
    <fieldset class="group">
      <legend>Film</legend>
      <PanesChoice panes={panes} value={which} set={setWhich} />
      <SizeChoice
        {...{ width: film.width, height: film.height, screen: false }}
        set={(width = film.width, height = film.height) => set({ width, height })}
      />
      <div class="field-pair">
        <NumberField label="Length" unit="s" value={film.seconds} least={0.1} set={(seconds) => set({ seconds })} />
        <NumberField
          {...{ label: "Pictures a second", value: film.rate, least: 1, most: 120, step: 1 }}
          set={(rate) => set({ rate })}
        />
      </div>
      <Checkbox
        {...{ checked: film.still || shown, disabled: shown, label: "Time stands still, the camera moves" }}
        set={(still) => set({ still })}
      />
      {!film.still && !shown && (
        <NumberField label="Until time" unit={units.time} value={film.until ?? end} set={(until) => set({ until })} />
      )}
      <Checkbox checked={film.legend} set={(legend) => set({ legend })} label={LEGEND} />
      <p class="soft">
        {thinGrouped(Math.round(film.seconds * film.rate))} pictures;{" "}
        {keyframes === 0
          ? "the camera stays where it is"
          : `the camera goes through ${keyframes} keyframe${keyframes > 1 ? "s" : ""}`}{" "}
        (panel Camera).
      </p>
      {problem && <p class="wrong">{problem}</p>}
      {making === undefined ? (
        <div class="buttons">
          <Button
            primary
            disabled={problem !== undefined || panes.length === 0}
            onClick={() => void makeFilm(store, chosen(panes, which))}
          >
            Make film (MP4)
          </Button>
        </div>
      ) : (
        <div class="buttons">
          <progress value={making} max={1} aria-label="The film is being made" />
          <span>{percentage(making)}</span>
          <Button onClick={() => void store.stage.cancelFilm()}>Cancel</Button>
        </div>
      )}
      <p role="status" class="soft">
        {ended.value}
      </p>
    </fieldset>
  );
}

function Files({ store, panes }: { store: Store; panes: Pane[] }) {
  const name = (pane: Pane, ending: string) =>
    fileName(store.panes[pane].state.value.title, `${pane === "b" ? "-b" : ""}${ending}`);
  const saveDeck = (pane: Pane) =>
    attempt(store, async () => download(name(pane, ".toml"), await store.stage.deck(pane), "application/toml"));
  const saveRows = (pane: Pane) => {
    const rows = store.panes[pane].rows.value.map(numbersOf);
    download(name(pane, "-diagnostics.csv"), csvText(columnHeads(), rows), "text/csv");
  };
  const ofPane = (pane: Pane) => (panes.length > 1 ? ` of ${pane.toUpperCase()}` : "");
  return (
    <fieldset class="group">
      <legend>Numbers, deck, link</legend>
      <div class="buttons">
        {panes.map((pane) => (
          <Button key={pane} disabled={store.panes[pane].rows.value.length === 0} onClick={() => saveRows(pane)}>
            diagnostics.csv{ofPane(pane)}
          </Button>
        ))}
        {panes
          .filter((pane) => store.sources[pane].value?.kind !== "snapshot")
          .map((pane) => (
            <Button key={pane} onClick={() => void saveDeck(pane)}>
              Deck as run{ofPane(pane)}
            </Button>
          ))}
        <Button disabled={store.sources.a.value?.kind !== "deck"} onClick={() => void copyLink(store)}>
          Copy link
        </Button>
      </div>
      <p class="soft">The link holds deck, seed and camera: whoever opens it sees the same run.</p>
    </fieldset>
  );
}

export function Export({ store }: { store: Store }) {
  const panes = shownPanes(store);
  return (
    <section class="part form export" aria-label="Export">
      {panes.length === 0 && <p class="soft">Nothing is shown yet.</p>}
      <Picture {...{ store, panes }} />
      <FilmForm {...{ store, panes }} />
      <Files {...{ store, panes }} />
    </section>
  );
}
