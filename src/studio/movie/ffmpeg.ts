/** An MP4 by ffmpeg, where it is installed: frames go through its standard input, nothing is written in between. */
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { newTemporary, publishAll, removeLeftover } from "../../run/io/files.node.ts";
import { rgbOf } from "./frame.ts";
import type { FilmShape, FrameSink } from "./frames.ts";

/** H.264 as every player has it, or what a build of ffmpeg without x264 has. */
const CODECS = {
  libx264: ["-c:v", "libx264", "-crf", "18", "-preset", "medium"],
  mpeg4: ["-c:v", "mpeg4", "-q:v", "3"],
};
/** How much of its complaints is passed on [characters]. */
const LONGEST_REASON = 400;

/** The encoder that ffmpeg has; undefined where there is no ffmpeg, or one that has neither. */
export function filmCodec(): keyof typeof CODECS | undefined {
  try {
    const listed = execFileSync("ffmpeg", ["-hide_banner", "-encoders"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return (Object.keys(CODECS) as (keyof typeof CODECS)[]).find((name) => new RegExp(`\\b${name}\\b`).test(listed));
  } catch {
    return undefined;
  }
}

export class Film implements FrameSink {
  readonly #temporary: string;
  readonly #process: ChildProcessByStdio<Writable, null, Readable>;
  readonly #ended: Promise<number | null>;
  #said = "";
  #failure: Error | undefined;

  constructor(
    private readonly path: string,
    { width, height, rate }: FilmShape,
    codec: keyof typeof CODECS,
  ) {
    this.#temporary = newTemporary(path);
    const input = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", `${width}x${height}`, "-r", String(rate), "-i", "-"];
    const output = [...CODECS[codec], "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", this.#temporary];
    this.#process = spawn("ffmpeg", ["-hide_banner", "-loglevel", "error", "-y", ...input, ...output], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    this.#process.stderr.on("data", (text) => {
      this.#said = `${this.#said}${text}`.slice(-LONGEST_REASON);
    });
    // A pipe that ffmpeg has closed: why is what it says itself.
    this.#process.stdin.on("error", (error) => {
      this.#failure ??= error;
    });
    this.#ended = new Promise((resolve) => {
      this.#process.on("error", (error) => {
        this.#failure = error;
        resolve(null);
      });
      this.#process.on("close", resolve);
    });
  }

  async add(pixels: Uint8Array): Promise<void> {
    const { stdin } = this.#process;
    if (this.#failure || this.#process.exitCode !== null) throw await this.#failed();
    if (stdin.write(rgbOf(pixels))) return;
    await Promise.race([new Promise((resolve) => stdin.once("drain", resolve)), this.#ended]);
  }

  async end(): Promise<number> {
    this.#process.stdin.end();
    const code = await this.#ended;
    if (code !== 0) throw await this.#failed();
    publishAll([{ path: this.path, temporary: this.#temporary }]);
    return statSync(this.path).size;
  }

  abort(): void {
    this.#process.kill("SIGKILL");
    removeLeftover(this.#temporary);
  }

  async #failed(): Promise<GravmeshError> {
    const code = await this.#ended;
    const reason = this.#said.trim() || this.#failure?.message || `it ended with ${code}`;
    return new GravmeshError(
      "io",
      `ffmpeg can't write ${this.path}: ${reason}. Try --format apng, which needs no other program.`,
      { cause: this.#failure },
    );
  }
}
