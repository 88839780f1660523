// Mean velocity, or dispersion, of the sums of a pixel.
//#expects MOMENTS

fn momentOf(sums: vec2f, moments: vec2f) -> f32 {
  if (sums.y <= 0.0) { return 0.0; }
  let mean = moments.x / sums.y;
  if (MOMENTS < 2) { return mean; }
  return sqrt(max(0.0, moments.y / sums.y - mean * mean));
}
