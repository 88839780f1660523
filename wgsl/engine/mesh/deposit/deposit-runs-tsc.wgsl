// The sums of deposit-slots.wgsl for TSC: those of a cell by planes (dz), those of a pencil by rows, which pencil-tsc.wgsl
// places; both before, at and after the base cell along x.
//#import "../../../lib/mass-tsc.wgsl"
//#import "pencil-tsc.wgsl"
//#expects addTo, SIDE

var<private> below: Columns; // dz = -1
var<private> level: Columns; // dz = 0
var<private> above: Columns; // dz = 1
var<private> last: Rows;
var<private> here: Rows;
var<private> next: Rows;

fn added(a: Columns, b: Columns) -> Columns {
  return Columns(a.last + b.last, a.here + b.here, a.next + b.next);
}

fn addToCell(mass: u32, offsets: vec3u) {
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  below = added(below, columnsOf(z.x, x, y));
  level = added(level, columnsOf(z.y, x, y));
  above = added(above, columnsOf(z.z, x, y));
}

// Hands the sums of a cell over to those of its pencil.
fn leaveCell(cell: vec3u) {
  let upper = (cell.yz & vec2u(1u)) == vec2u(1u);
  last = placed(last, Column(below.last, level.last, above.last), upper);
  here = placed(here, Column(below.here, level.here, above.here), upper);
  next = placed(next, Column(below.next, level.next, above.next), upper);
  let none = Columns(vec3u(0u), vec3u(0u), vec3u(0u));
  below = none;
  level = none;
  above = none;
}

// Adds the first `count` columns to the mesh. Drivers don't unroll the loop over planes, whose bounds aren't constants.
fn leaveColumns(cell: vec3u, count: u32) {
  for (var dx = 0u; dx < count; dx++) {
    // One cell back on every axis; addTo wraps.
    let corner = vec3u(cell.x + dx, cell.yz & vec2u(~1u)) + vec3u(SIDE - 1u);
    for (var z = corner.z; z < corner.z + 4u; z++) {
      let masses = rowsAt(last, z - corner.z);
      for (var j = 0u; j < 4u; j++) { addTo(vec3u(corner.x, corner.y + j, z), masses[j]); }
    }
    last = here;
    here = next;
    next = noRows();
  }
}
