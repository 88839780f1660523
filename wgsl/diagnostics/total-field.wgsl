// Acceleration (xyz) and potential (w) at a particle, or any other point: of the mesh, or of the monopole of what is inside
// for one outside the mesh; and of the external potentials. With KEEP the values around a cell are kept until the cell
// changes; TSC also keeps two columns when the next cell follows along x.
//#import "../lib/cells.wgsl"
//#import "../lib/interpolate.wgsl"
//#import "../potentials/field.wgsl"
//#expects ISOLATED, KEEP, ORDER, BY_SLOT (whether fields lie by slot: fieldBySlot)

struct TotalField {
  own: vec4f, // of the particles: mesh or monopole
  applied: vec4f, // of the external potentials
}

struct KeptStencil {
  cell: vec3u,
  values: Stencil,
}

const NO_CELL = vec3u(0xffffffffu);

fn emptyStencil() -> KeptStencil {
  var stencil: KeptStencil;
  stencil.cell = NO_CELL;
  return stencil;
}

fn moveStencil(stencil: ptr<function, KeptStencil>, cell: vec3u) {
  if (KEEP && all((*stencil).cell == cell)) { return; }
  let x = touched(cell.x);
  let follows = KEEP && ORDER == 3 && all((*stencil).cell + vec3u(1u, 0u, 0u) == cell);
  for (var i = 0; i < ORDER - 1; i++) {
    if (follows) {
      (*stencil).values.columns[i] = (*stencil).values.columns[i + 1];
    } else {
      (*stencil).values.columns[i] = readColumn(x[i], cell);
    }
  }
  (*stencil).values.columns[ORDER - 1] = readColumn(x[ORDER - 1], cell);
  (*stencil).cell = cell;
}

// `slot`: of the particle, or number of the point, where fields lie by slot.
fn totalFieldAt(stencil: ptr<function, KeptStencil>, slot: u32, u: vec3u, image: u32) -> TotalField {
  let base = baseOf(u);
  let applied = externalField(u, image);
  if (ISOLATED && !insideMesh(base.cell, image)) {
    return TotalField(monopoleField(u, image), applied);
  }
//#if BY_SLOT
  return TotalField(fieldBySlot[slot], applied);
//#end
//#if !BY_SLOT
  moveStencil(stencil, base.cell);
  var values = (*stencil).values;
  return TotalField(interpolated(&values, base.offset), applied);
//#end
}
