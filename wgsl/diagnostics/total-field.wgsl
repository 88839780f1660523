// Acceleration (xyz) and potential (w) at a particle for the diagnostics, by source: the mesh, or the monopole of what
// is inside for a particle that has escaped; and the external potentials. The values around a cell are kept, with KEEP,
// until the cell changes, which wins where consecutive particles share cells; TSC also keeps two columns when the next cell
// follows along x.
//#import "../lib/cells.wgsl"
//#import "../lib/interpolate.wgsl"
//#import "../potentials/field.wgsl"
//#expects ISOLATED, KEEP, ORDER

struct TotalField {
  own: vec4f, // of the particles: mesh or monopole
  applied: vec4f, // of the external potentials
}

struct KeptWindow {
  cell: vec3u,
  values: Window,
}

const NO_CELL = vec3u(0xffffffffu);

fn emptyWindow() -> KeptWindow {
  var window: KeptWindow;
  window.cell = NO_CELL;
  return window;
}

fn moveWindow(window: ptr<function, KeptWindow>, cell: vec3u) {
  if (KEEP && all((*window).cell == cell)) { return; }
  let x = touched(cell.x);
  let follows = KEEP && ORDER == 3 && all((*window).cell + vec3u(1u, 0u, 0u) == cell);
  for (var i = 0; i < ORDER - 1; i++) {
    if (follows) {
      (*window).values.columns[i] = (*window).values.columns[i + 1];
    } else {
      (*window).values.columns[i] = readColumn(x[i], cell);
    }
  }
  (*window).values.columns[ORDER - 1] = readColumn(x[ORDER - 1], cell);
  (*window).cell = cell;
}

fn totalFieldAt(window: ptr<function, KeptWindow>, u: vec3u, image: u32) -> TotalField {
  let base = baseOf(u);
  let applied = externalField(u, image);
  if (ISOLATED && !insideMesh(u, base.cell, image)) {
    return TotalField(monopoleField(u, image), applied);
  }
  moveWindow(window, base.cell);
  var values = (*window).values;
  return TotalField(interpolated(&values, base.offset), applied);
}
