// Points of a line from the mass words of a row. High words are read where the row is marked: nearly all are zero, and a
// word that is read costs a processor more than all that is done with it.
//#import "fft-lines.wgsl"
//#import "poisson-mass.wgsl"
//#expects CELLS, field (low words)

@group(0) @binding(3) var<storage, read> highWords: array<vec2u>;
@group(0) @binding(5) var<storage, read> marks: array<u32>; // of the rows that have any

// What an invocation knows of its line's row.
var<private> isLight = false;

fn loadPoint(place: Place, i: u32) -> vec2f {
  var high = vec2u();
  if (!isLight) {
    high = highWords[place.line * (CELLS / 2u) + i];
    isLight = marks[place.line] == 0u;
  }
  return massContrast(field[sourceIndex(place, i)], high);
}

// One condition for all four.
fn loadFour(place: Place, i: u32) -> array<vec2f, 4> {
  var high: array<vec2u, 4>;
  if (!isLight) {
    let first = place.line * (CELLS / 2u) + i;
    high = array(highWords[first], highWords[first + 1u], highWords[first + 2u], highWords[first + 3u]);
    isLight = marks[place.line] == 0u;
  }
  return array(
    massContrast(field[sourceIndex(place, i)], high[0]),
    massContrast(field[sourceIndex(place, i + 1u)], high[1]),
    massContrast(field[sourceIndex(place, i + 2u)], high[2]),
    massContrast(field[sourceIndex(place, i + 3u)], high[3]),
  );
}
