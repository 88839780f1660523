/** Where frames go: a film, an animated picture, or a folder of pictures. */
export interface FrameSink {
  /** A frame's colours by number [width·height]. */
  add(pixels: Uint8Array): Promise<void>;
  /** All frames are there: only now is there a file of the name that was asked for. Resolves to its size [byte]. */
  end(): Promise<number>;
  /** Leaves nothing behind. */
  abort(): void;
}

/** What a film is made of. */
export interface FilmShape {
  width: number;
  height: number;
  frames: number;
  /** Frames a second. */
  rate: number;
}
