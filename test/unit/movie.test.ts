/** `gravmesh movie`: frames of maps and of particles, what is in them, and what is left when it can't go on. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { decode, decodeApng } from "fast-png";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryName } from "../../src/run/io/files.node.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { run } from "../../src/run/runner.ts";
import { COLOUR_STEPS, PALETTE } from "../../src/studio/movie/frame.ts";
import type { MovieRequest } from "../../src/studio/movie/frames.ts";
import { type MovieEvent, movie } from "../../src/studio/movie/movie.ts";
import { CameraSums } from "../../src/studio/movie/particle-frames.ts";

const work = mkdtempSync(join(tmpdir(), "gravmesh-movie-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const folder = join(work, "run");
const DECK = `
title = "Two clumps <&>"
gravity = "direct"
[box]
size = 16.0
[[particles]]
kind = "plummer"
name = "one"
count = 40
scale = 0.6
offset = [-3.0, 0.0, 0.0]
[[particles]]
kind = "plummer"
name = "other"
species = "halo"
count = 24
scale = 0.6
offset = [3.0, 0.0, 1.0]
[time]
end = 0.25
step = 0.03125
[direct]
steps = "shared"
softening = 0.01
[output]
snapshots = 2
frames = 4
[maps]
axes = ["z", "y"]
by = "species"
width = 40
`;

beforeAll(async () => {
  writeFileSync(join(work, "deck.toml"), DECK);
  const request = { scenario: join(work, "deck.toml"), overrides: [], backend: "cpu" as const, out: folder };
  expect(await run(request, () => {}, new AbortController().signal)).toBe(0);
});

async function made(request: Partial<MovieRequest>, signal = new AbortController().signal) {
  const events: MovieEvent[] = [];
  const code = await movie({ folder, format: "apng", ...request }, (event) => events.push(event), signal);
  return { code, events };
}

const of = <E extends MovieEvent["event"]>(events: MovieEvent[], event: E) =>
  events.filter((one): one is Extract<MovieEvent, { event: E }> => one.event === event);

/** Row by row, the colours by number in a rectangle of a frame. */
function part(data: ArrayLike<number>, width: number, [x, y, w, h]: [number, number, number, number]): number[] {
  return Array.from({ length: w * h }, (_, i) => data[(y + Math.floor(i / w)) * width + x + (i % w)]);
}

const highest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value));

/** Whether there is more light in the left half of a picture. */
function leansLeft(picture: readonly number[], side: number): boolean {
  return picture.reduce((sum, value, i) => sum + (i % side < side / 2 ? value : -value), 0) > 0;
}

describe("a movie of maps", () => {
  it("has every map, row by view and column by species, in one scale of colours beside the time", async () => {
    const out = join(work, "maps.png");
    const { code, events } = await made({ out, by: "species", rate: 20 });
    expect(code).toBe(0);
    const [start] = of(events, "start");
    expect(start).toMatchObject({ frames: 5, format: "apng", from: "maps" });
    const { width, height, frames, palette } = decodeApng(readFileSync(out));
    expect([width, height, frames.length]).toEqual([start.width, start.height, 5]);
    expect(frames.map(({ delayNumber, delayDenominator }) => delayNumber / delayDenominator)).toEqual(
      new Array(5).fill(1 / 20),
    );
    expect(palette?.map((colour) => [...colour].slice(0, 3))).toEqual(PALETTE);
    // Pictures of 40 × 40 pixels are shown 12 times as large; the views from the side are as high as they need to be.
    const [side, left, top] = [480, 16, 56];
    const pictures = [0, 1].map((column) => left + column * (side + 12));
    for (const { data } of [frames[0], frames[4]]) {
      for (const [column, x] of pictures.entries()) {
        const picture = part(data as Uint8Array, width, [x, top, side, side]);
        expect(highest(picture)).toBeLessThan(COLOUR_STEPS);
        // "one" lies to the left of the middle, "other" to the right.
        expect(leansLeft(picture, side)).toBe(column === 0);
      }
    }
    const moments = frames.map(({ data }) => part(data as Uint8Array, width, [width - 276, 0, 276, 34]).join(" "));
    expect(new Set(moments).size).toBe(5);
    const titles = frames.map(({ data }) => part(data as Uint8Array, width, [0, 0, width - 276, 34]).join(" "));
    expect(new Set(titles).size).toBe(1);
    expect(of(events, "frame").at(-1)).toMatchObject({ index: 4, fraction: 1 });
    expect(of(events, "end")[0]).toMatchObject({ file: out, frames: 5, bytes: readFileSync(out).length });
  });

  it("is not made over a file that is there, nor of maps that there aren't", async () => {
    const out = join(work, "kept.png");
    writeFileSync(out, "mine");
    await expect(made({ out })).rejects.toThrow(/kept\.png is there already\. Nothing was changed/);
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await made({ out, force: true })).code).toBe(0);
    await expect(made({ from: "maps", views: ["side"] })).rejects.toThrow(
      /expected maps of what is to be shown, found face-on of stars, face-on of halo, edge-on of stars, edge-on of halo/,
    );
    await expect(made({ from: "maps", turn: 90 })).rejects.toThrow(/move the camera, which maps don't let/);
    await expect(made({ from: "subsamples" })).rejects.toThrow(
      /expected subsamples, found maps and snapshots\. A run with output\.frames=200/,
    );
    await expect(made({ folder: join(work, "nowhere") })).rejects.toThrow(
      /expected the result folder of a run, found nothing/,
    );
  });

  it("that is stopped leaves nothing", async () => {
    const stop = new AbortController();
    const out = join(work, "stopped.png");
    const events: MovieEvent[] = [];
    const code = await movie(
      { folder, format: "apng", out },
      (event) => {
        events.push(event);
        if (event.event === "frame" && event.index === 1) stop.abort();
      },
      stop.signal,
    );
    expect(code).not.toBe(0);
    expect(of(events, "end")).toEqual([]);
    expect(readdirSync(work).filter((name) => name.includes("stopped"))).toEqual([]);
  });

  it("removes what a killed one has left, and nothing of one that lives or is on another machine", async () => {
    const at = join(work, "parts");
    mkdirSync(at);
    const own = basename(temporaryName(join(at, "movie.png")));
    const dead = own.replace(/\d+$/, String(spawnSync("true").pid));
    const alive = own.replace(/\d+$/, String(process.ppid));
    const elsewhere = dead.replace(/[0-9a-f]{6}(?=-[0-9a-f]+\.part)/, (tag) =>
      tag === "000000" ? "000001" : "000000",
    );
    for (const name of [dead, alive, elsewhere]) writeFileSync(join(at, name), "half a movie");
    mkdirSync(join(at, dead.replace("movie.png", "frames")));
    expect((await made({ out: join(at, "movie.png") })).code).toBe(0);
    expect(readdirSync(at).sort()).toEqual([alive, elsewhere, "movie.png"].sort());
  });

  it("as a folder of frames has them all or none, and none of a longer one that it replaces", async () => {
    const out = join(work, "whole-frames");
    const stop = new AbortController();
    const stopping = movie(
      { folder, format: "png", out },
      (event) => {
        if (event.event !== "frame" || event.index !== 1) return;
        expect(readdirSync(out).filter((name) => name.endsWith(".png"))).toEqual([]);
        stop.abort();
      },
      stop.signal,
    );
    expect(await stopping).not.toBe(0);
    expect(existsSync(out)).toBe(false);
    mkdirSync(out);
    for (const name of ["frame_0000.png", "frame_9999.png", "mine.txt"]) writeFileSync(join(out, name), "earlier");
    await expect(made({ format: "png", out })).rejects.toThrow(/is there already/);
    const { events } = await made({ format: "png", out, force: true });
    const frames = of(events, "start")[0].frames;
    const names = Array.from({ length: frames }, (_, i) => `frame_${String(i).padStart(4, "0")}.png`);
    expect(readdirSync(out).sort()).toEqual([...names, "mine.txt"]);
  });
});

describe("a movie of snapshots", () => {
  it("is made where the maps don't have what is asked for, which is said", async () => {
    for (const [name, request] of Object.entries({
      "sides.png": { views: ["face-on", "side"] },
      "components.png": { by: "component", only: ["one"] },
    } satisfies Record<string, Partial<MovieRequest>>)) {
      const { code, events } = await made({ ...request, pixels: 60, out: join(work, name) } as Partial<MovieRequest>);
      expect(code).toBe(0);
      expect(of(events, "start")[0]).toMatchObject({ from: "snapshots", frames: 3 });
      expect(of(events, "warning")[0].message).toMatch(/expected maps of what is to be shown.*the run's snapshots/);
    }
    // Maps by species are no maps by galaxy, nor turned into them.
    const wrong = made({ by: "galaxy", from: "maps" });
    await expect(wrong).rejects.toThrow(/maps\.by="species": --by galaxy wants a new run, with maps\.by="galaxy"/);
    const asked = await made({ views: ["edge-on"], by: "species", out: join(work, "there.png") });
    expect(of(asked.events, "start")[0]).toMatchObject({ from: "maps", frames: 5 });
    expect(of(asked.events, "warning")).toEqual([]);
  });

  it("says how far it is all the time, and what is left", async () => {
    const { events } = await made({ turn: 90, still: 3, pixels: 200, out: join(work, "progress.png") });
    const looked = of(events, "activity").map(({ what }) => what);
    expect(looked).toEqual([1, 2, 3, 4, 5, 6].map((n) => `looking at the densities of frame ${n} of 6`));
    const left = of(events, "frame").map(({ remainingSeconds }) => remainingSeconds);
    expect(left).toHaveLength(6);
    expect(left[0]).toBeGreaterThan(0);
    expect(left[5]).toBe(0);
  });

  it("turns the camera over all frames and goes on after the last state", async () => {
    const out = join(work, "frames");
    const { events } = await made({
      from: "snapshots",
      turn: 180,
      elevation: 0,
      still: 1,
      pixels: 120,
      format: "png",
      out,
    });
    expect(of(events, "start")[0]).toMatchObject({ frames: 4, format: "png" });
    const names = readdirSync(out).sort();
    expect(names).toEqual(["frame_0000.png", "frame_0001.png", "frame_0002.png", "frame_0003.png"]);
    const side = 480;
    const left = names.map((name) => {
      const { data, width } = decode(readFileSync(join(out, name)));
      return leansLeft(part(data as Uint8Array, width, [16, 56, side, side]), side);
    });
    // The clump goes from the left to the right as the camera comes to the other side.
    expect([left[0], left[3]]).toEqual([true, false]);
    await expect(made({ from: "snapshots", format: "png", out })).rejects.toThrow(/is there already/);
  });

  it("shows what is asked for, by name", async () => {
    const out = join(work, "one.png");
    const { events } = await made({ from: "snapshots", only: ["one"], by: "component", pixels: 60, out });
    expect(of(events, "end")).toHaveLength(1);
    await expect(made({ from: "snapshots", only: ["gas"], out: join(work, "gas.png") })).rejects.toThrow(
      /--only: expected some of one, stars, other, halo, found gas/,
    );
  });
});

describe("a movie of a run with a level", () => {
  it("has the edges of its core where it is, of maps and of snapshots, unless they aren't wanted", async () => {
    const deck = DECK.replace('gravity = "direct"', "")
      .replace("[time]", '[mesh]\ncells = 32\n[[level]]\naround = "one"\nrefinement = 2\ncells = 48\n[time]')
      .replace(/\[direct\][\s\S]*?\[output\]/, "[output]")
      .replace("end = 0.25", "end = 0.0625")
      .replace("frames = 4", "frames = 1")
      .replace('by = "species"', "");
    writeFileSync(join(work, "level.toml"), deck);
    const out = join(work, "level");
    const request = { scenario: join(work, "level.toml"), overrides: [], backend: "cpu" as const, out };
    expect(await run(request, () => {}, new AbortController().signal)).toBe(0);
    const [core] = (await readSnapshot(join(out, "snapshot_002.hdf5"))).cores!;
    expect(core).toMatchObject({ name: "one", h: 0.25 });
    const span = 16;
    for (const from of ["maps", "snapshots"] as const) {
      const frames = join(work, `level-${from}`);
      const asked = { folder: out, from, format: "png", views: ["face-on"], span, pixels: 480 } as const;
      await made({ ...asked, out: frames });
      await made({ ...asked, out: `${frames}-none`, cores: false });
      const last = readdirSync(frames).sort().at(-1)!;
      const [drawn, plain] = [frames, `${frames}-none`].map((one) => {
        const { data, width } = decode(readFileSync(join(one, last)));
        return part(data as Uint8Array, width, [16, 56, 480, 480]).map((colour) => colour >= COLOUR_STEPS);
      });
      expect(plain).not.toContain(true);
      const places = drawn.flatMap((line, i) => (line ? [[i % 480, Math.floor(i / 480)]] : []));
      const ends = [0, 1].map((k) => [Math.min, Math.max].map((end) => end(...places.map((place) => place[k]))));
      const expected = [core.centre[0], span - core.centre[1]].map((at) =>
        [-1, 1].map((side) => Math.floor(((at + side * core.halfWidth) * 480) / span)),
      );
      expect(ends).toEqual(expected);
    }
  });
});

describe("a camera", () => {
  const camera = { azimuth: 0, elevation: 90, centre: [1, 2, 3] as const, span: 10, width: 10, height: 10 };
  /** Column and row of a particle beside the centre. */
  function pixelOf(offset: number[], change: Partial<typeof camera> & { period?: number } = {}) {
    const sums = new CameraSums({ ...camera, ...change });
    const positions = Float64Array.from(offset, (d, k) => camera.centre[k] + d);
    sums.add(positions, Float64Array.of(2), 0, 1);
    const at = sums.mass.indexOf(2);
    return at < 0 ? undefined : [at % 10, Math.floor(at / 10)];
  }

  it("sees x to the right and y up from above, z up from the plane, and turns about z", () => {
    expect(pixelOf([2.5, 1.5, 4])).toEqual([7, 3]);
    expect(pixelOf([2.5, 1.5, 4], { elevation: 0 })).toEqual([7, 1]);
    expect(pixelOf([2.5, 1.5, 4], { elevation: 0, azimuth: 90 })).toEqual([6, 1]);
    expect(pixelOf([2.5, 1.5, 4], { elevation: 0, azimuth: 180 })).toEqual([2, 1]);
    expect(pixelOf([0, 3, 0], { elevation: 30 })).toEqual([5, 3]);
    expect(pixelOf([6, 0, 0])).toBeUndefined();
    expect(pixelOf([9.5, 0.5, 0], { period: 12 })).toEqual([2, 4]);
  });
});

describe("a movie by ffmpeg", () => {
  const bin = join(work, "bin");
  const path = process.env.PATH;
  /** A program of that name that does no more than it is told here. */
  function standIn(script: string): void {
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, "ffmpeg"),
      `#!/bin/sh\ncase "$*" in *-encoders*) echo " V....D libx264  H.264"; exit 0;; esac\n${script}\n`,
    );
    chmodSync(join(bin, "ffmpeg"), 0o755);
    process.env.PATH = `${bin}:${path}`;
  }
  afterAll(() => {
    process.env.PATH = path;
  });

  it("gets all frames in three bytes a pixel, with their size and rate", async () => {
    standIn('for last; do :; done; cat > "$last"; echo "$*" > "$(dirname "$0")/arguments"');
    const out = join(work, "film.mp4");
    const { events } = await made({ out, format: "auto", rate: 12 });
    const [{ width, height, frames, format }] = of(events, "start");
    expect([width % 2, height % 2, format]).toEqual([0, 0, "mp4"]);
    expect(readFileSync(out)).toHaveLength(3 * width * height * frames);
    expect([...readFileSync(out).subarray(0, 3)]).toEqual(PALETTE[COLOUR_STEPS]);
    const given = readFileSync(join(bin, "arguments"), "utf8");
    expect(given).toContain(`-f rawvideo -pix_fmt rgb24 -s ${width}x${height} -r 12 -i -`);
    expect(given).toContain("-c:v libx264");
  });

  it("says why it can't, and leaves nothing", async () => {
    standIn('echo "no room on the device" >&2; exit 1');
    const out = join(work, "failed.mp4");
    await expect(made({ out, format: "mp4" })).rejects.toThrow(
      /ffmpeg can't write .*failed\.mp4: no room on the device\. Try --format apng/,
    );
    expect(readdirSync(work).filter((name) => name.includes("failed"))).toEqual([]);
  });

  it("is an animated PNG where there is none, which is said", async () => {
    process.env.PATH = join(work, "no-programs");
    const copy = join(work, "auto.png");
    const { events } = await made({ out: copy, format: "auto" });
    expect(existsSync(copy)).toBe(true);
    expect(of(events, "start")[0].format).toBe("apng");
    await expect(made({ out: join(work, "other.mp4"), format: "auto" })).rejects.toThrow(/An MP4 needs ffmpeg/);
    const { events: chosen } = await made({ format: "auto" });
    expect(of(chosen, "warning")[0].message).toMatch(/ffmpeg isn't installed/);
    expect(of(chosen, "end")[0].file).toBe(join(folder, "movie.png"));
  });
});
