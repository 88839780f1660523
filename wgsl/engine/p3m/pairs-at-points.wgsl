// Adds the pairs of any points with the sources near them to the field of the mesh there, a workgroup each point
// (engine/diagnostics/point-field.wgsl); nothing outside an isolated mesh.
//#import "../../lib/cells.wgsl"
//#import "pairs.wgsl"
//#expects ISOLATED, UNIT (cells of a unit of position), CELL (its side)

@group(0) @binding(8) var<storage, read> points: array<vec4u>; // [K] fixed point, and packed box image
@group(0) @binding(9) var<storage, read_write> fieldsAtPoints: array<vec4f>; // [K]

const LANES = 32u;

var<workgroup> parts: array<vec4f, LANES>;

@compute @workgroup_size(LANES)
fn atPoints(@builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) all: vec3u, @builtin(local_invocation_index) l: u32) {
  let k = w.y * all.x + w.x;
  if (k >= work.end) { return; }
  let point = points[k];
  let cell = baseOf(point.xyz).cell;
  if (ISOLATED && !insideMesh(cell, point.w)) { return; }
  let pencil = (cell.z >> 1u) * PENCILS + (cell.y >> 1u);
  findReach(vec4u(pencil, 0u, 0u, cell.x | (cell.x << 16u)), l, LANES);
  let end = workgroupUniformLoad(&ends[2u * NEAR_PENCILS]);
  let here = select(point.xyz, point.xyz >> vec3u(1u), ISOLATED);
  var sums = vec4f();
  for (var source = l; source < end; source += LANES) { sums = withPair(sums, here, sourceAt(source, end)); }
  parts[l] = sums;
  workgroupBarrier();
  if (l > 0u) { return; }
  var field = fieldsAtPoints[k];
  for (var part = 0u; part < LANES; part++) {
    field = vec4f(fma(parts[part].xyz, vec3f(UNIT), field.xyz), fma(parts[part].w, CELL, field.w));
  }
  fieldsAtPoints[k] = field;
}
