// Acceleration (xyz) and potential (w) at a particle, or any other point: of the mesh, or of the monopole of what is inside
// for one outside the mesh; and of the external potentials.
//#import "../lib/cells.wgsl"
//#import "../lib/interpolate.wgsl"
//#import "../potentials/field.wgsl"
//#expects ISOLATED, ORDER, MeshValue, meshValue, UNROLLED, BY_SLOT (whether fields lie by slot: fieldBySlot)

struct TotalField {
  own: vec4f, // of the particles: mesh or monopole
  applied: vec4f, // of the external potentials
  outside: bool, // of an isolated mesh
}

// As `interpolated`, value by value; unless UNROLLED in loops that no compiler unrolls, which compile in a tenth of the time.
fn interpolatedAt(base: Base) -> MeshValue {
  let x = touched(base.cell.x);
  let y = touched(base.cell.y);
  let z = touched(base.cell.z);
  let wx = axisWeights(base.offset.x);
  let wy = axisWeights(base.offset.y);
  let wz = axisWeights(base.offset.z);
  let order = select(0, ORDER, UNROLLED || base.cell.x < 0xffffffffu); // which is always so, but compilers don't know
  var sum = MeshValue();
  for (var k = 0; k < order; k++) {
    var plane = MeshValue();
    for (var j = 0; j < order; j++) {
      var row = MeshValue();
      for (var i = 0; i < order; i++) {
        row = fma(MeshValue(wx[i]), meshValue(vec3u(x[i], y[j], z[k])), row);
      }
      plane = fma(MeshValue(wy[j]), row, plane);
    }
    sum = fma(MeshValue(wz[k]), plane, sum);
  }
  return sum;
}

// `slot`: of the particle, or number of the point, where fields lie by slot.
fn totalFieldAt(slot: u32, u: vec3u, image: u32) -> TotalField {
  let base = baseOf(u);
  let applied = externalField(u, image);
  if (ISOLATED && !insideMesh(base.cell, image)) {
    return TotalField(monopoleField(u, image), applied, true);
  }
//#if BY_SLOT
  return TotalField(fieldBySlot[slot], applied, false);
//#end
//#if !BY_SLOT
  return TotalField(interpolatedAt(base), applied, false);
//#end
}
