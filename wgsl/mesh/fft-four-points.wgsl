// Four neighbouring points of a line, each for itself.
//#import "fft-lines.wgsl"
//#expects loadPoint

fn loadFour(place: Place, i: u32) -> array<vec2f, 4> {
  return array(loadPoint(place, i), loadPoint(place, i + 1u), loadPoint(place, i + 2u), loadPoint(place, i + 3u));
}
