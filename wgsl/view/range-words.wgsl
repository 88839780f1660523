// Which of the pixels of a picture its brightness is taken from, and how; bins of their values.

struct Range {
  pixels: u32,
  stride: u32, // every how many pixels are looked at
  share: f32, // of them may be brighter
  pace: f32, // of the way to the new value [0…1]
  map: u32,
  fewest: f32, // particles of a pixel whose motion counts
  width: u32, // of the picture
}

const BIN_BITS = 19u; // below the sixteenth of an octave
