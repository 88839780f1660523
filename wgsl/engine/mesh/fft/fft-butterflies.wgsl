// Short Fourier transforms in registers, X_k = Σ_j x_j e^{−2πi jk/r}, for r = 2, 3, 4, 5, 6, 8, 9, 10, 12 and 16, in place on
// the first r of sixteen points. r = p·q is split into q-point transforms of every p-th point, twiddles, and p-point
// transforms (Cooley & Tukey 1965). The constants are literals: WGSL's own sine is too coarse.
//#import "fft-lines.wgsl"

alias Points = array<vec2f, 16>;

const SIN_60 = 0.86602540378443864676f;
const COS_10 = 0.98480775301220802032f;
const SIN_10 = 0.17364817766693033119f;
const COS_20 = 0.93969262078590842791f;
const SIN_20 = 0.34202014332566871291f;
const COS_40 = 0.76604444311897801345f;
const SIN_40 = 0.64278760968653925190f;
const COS_36 = 0.80901699437494742410f;
const SIN_36 = 0.58778525229247312917f;
const COS_72 = 0.30901699437494742410f;
const SIN_72 = 0.95105651629515357212f;
const COS_45 = 0.70710678118654752440f;
const COS_22 = 0.92387953251128675613f; // cos(π/8)
const SIN_22 = 0.38268343236508977173f; // sin(π/8)

// Complex product. An exclusive or with zero hides it from compilers, which would put it together with the sums that
// follow, each in its own way and with other roundings.
fn times(a: vec2f, b: vec2f) -> vec2f {
  let product = vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
  return bitcast<vec2f>(bitcast<vec2u>(product) ^ vec2u(lines.zero));
}

// −i·a: a quarter turn.
fn turned(a: vec2f) -> vec2f {
  return vec2f(a.y, -a.x);
}

// a·e^{−iπ/4} and a·e^{−3iπ/4}.
fn turnedHalf(a: vec2f) -> vec2f {
  return COS_45 * vec2f(a.x + a.y, a.y - a.x);
}
fn turnedThreeHalves(a: vec2f) -> vec2f {
  return COS_45 * vec2f(a.y - a.x, -a.x - a.y);
}

fn butterfly2(p: ptr<function, Points>, i: u32, j: u32) {
  let a = (*p)[i];
  let b = (*p)[j];
  (*p)[i] = a + b;
  (*p)[j] = a - b;
}

fn butterfly3(p: ptr<function, Points>, i: u32, j: u32, k: u32) {
  let a = (*p)[i];
  let sum = (*p)[j] + (*p)[k];
  let difference = SIN_60 * turned((*p)[j] - (*p)[k]);
  let middle = a - 0.5 * sum;
  (*p)[i] = a + sum;
  (*p)[j] = middle + difference;
  (*p)[k] = middle - difference;
}

fn butterfly4(p: ptr<function, Points>, i: u32, j: u32, k: u32, l: u32) {
  let even = (*p)[i] + (*p)[k];
  let evenDifference = (*p)[i] - (*p)[k];
  let odd = (*p)[j] + (*p)[l];
  let oddDifference = turned((*p)[j] - (*p)[l]);
  (*p)[i] = even + odd;
  (*p)[j] = evenDifference + oddDifference;
  (*p)[k] = even - odd;
  (*p)[l] = evenDifference - oddDifference;
}

fn butterfly5(p: ptr<function, Points>, i: u32, j: u32, k: u32, l: u32, m: u32) {
  let a = (*p)[i];
  let near = (*p)[j] + (*p)[m];
  let far = (*p)[k] + (*p)[l];
  let nearDifference = turned((*p)[j] - (*p)[m]);
  let farDifference = turned((*p)[k] - (*p)[l]);
  let middle1 = a + COS_72 * near - COS_36 * far;
  let middle2 = a - COS_36 * near + COS_72 * far;
  let side1 = SIN_72 * nearDifference + SIN_36 * farDifference;
  let side2 = SIN_36 * nearDifference - SIN_72 * farDifference;
  (*p)[i] = a + near + far;
  (*p)[j] = middle1 + side1;
  (*p)[m] = middle1 - side1;
  (*p)[k] = middle2 + side2;
  (*p)[l] = middle2 - side2;
}

fn butterfly6(p: ptr<function, Points>) {
  butterfly3(p, 0u, 2u, 4u);
  butterfly3(p, 1u, 3u, 5u);
  let x = *p;
  let odd1 = times(x[3], vec2f(0.5, -SIN_60));
  let odd2 = times(x[5], vec2f(-0.5, -SIN_60));
  (*p)[0] = x[0] + x[1];
  (*p)[3] = x[0] - x[1];
  (*p)[1] = x[2] + odd1;
  (*p)[4] = x[2] - odd1;
  (*p)[2] = x[4] + odd2;
  (*p)[5] = x[4] - odd2;
}

fn butterfly8(p: ptr<function, Points>) {
  butterfly4(p, 0u, 2u, 4u, 6u);
  butterfly4(p, 1u, 3u, 5u, 7u);
  let x = *p;
  let odd1 = turnedHalf(x[3]);
  let odd2 = turned(x[5]);
  let odd3 = turnedThreeHalves(x[7]);
  (*p)[0] = x[0] + x[1];
  (*p)[4] = x[0] - x[1];
  (*p)[1] = x[2] + odd1;
  (*p)[5] = x[2] - odd1;
  (*p)[2] = x[4] + odd2;
  (*p)[6] = x[4] - odd2;
  (*p)[3] = x[6] + odd3;
  (*p)[7] = x[6] - odd3;
}

fn butterfly9(p: ptr<function, Points>) {
  butterfly3(p, 0u, 3u, 6u);
  butterfly3(p, 1u, 4u, 7u);
  butterfly3(p, 2u, 5u, 8u);
  (*p)[4] = times((*p)[4], vec2f(COS_40, -SIN_40));
  (*p)[7] = times((*p)[7], vec2f(SIN_10, -COS_10));
  (*p)[5] = times((*p)[5], vec2f(SIN_10, -COS_10));
  (*p)[8] = times((*p)[8], vec2f(-COS_20, -SIN_20));
  butterfly3(p, 0u, 1u, 2u);
  butterfly3(p, 3u, 4u, 5u);
  butterfly3(p, 6u, 7u, 8u);
  // Row k1, column k2 holds frequency k1 + 3·k2.
  let x = *p;
  (*p)[1] = x[3];
  (*p)[2] = x[6];
  (*p)[3] = x[1];
  (*p)[5] = x[7];
  (*p)[6] = x[2];
  (*p)[7] = x[5];
}

fn butterfly10(p: ptr<function, Points>) {
  butterfly5(p, 0u, 2u, 4u, 6u, 8u);
  butterfly5(p, 1u, 3u, 5u, 7u, 9u);
  let x = *p;
  let odd1 = times(x[3], vec2f(COS_36, -SIN_36));
  let odd2 = times(x[5], vec2f(COS_72, -SIN_72));
  let odd3 = times(x[7], vec2f(-COS_72, -SIN_72));
  let odd4 = times(x[9], vec2f(-COS_36, -SIN_36));
  (*p)[0] = x[0] + x[1];
  (*p)[5] = x[0] - x[1];
  (*p)[1] = x[2] + odd1;
  (*p)[6] = x[2] - odd1;
  (*p)[2] = x[4] + odd2;
  (*p)[7] = x[4] - odd2;
  (*p)[3] = x[6] + odd3;
  (*p)[8] = x[6] - odd3;
  (*p)[4] = x[8] + odd4;
  (*p)[9] = x[8] - odd4;
}

fn butterfly12(p: ptr<function, Points>) {
  butterfly4(p, 0u, 3u, 6u, 9u);
  butterfly4(p, 1u, 4u, 7u, 10u);
  butterfly4(p, 2u, 5u, 8u, 11u);
  (*p)[4] = times((*p)[4], vec2f(SIN_60, -0.5));
  (*p)[7] = times((*p)[7], vec2f(0.5, -SIN_60));
  (*p)[10] = turned((*p)[10]);
  (*p)[5] = times((*p)[5], vec2f(0.5, -SIN_60));
  (*p)[8] = times((*p)[8], vec2f(-0.5, -SIN_60));
  (*p)[11] = -(*p)[11];
  butterfly3(p, 0u, 1u, 2u);
  butterfly3(p, 3u, 4u, 5u);
  butterfly3(p, 6u, 7u, 8u);
  butterfly3(p, 9u, 10u, 11u);
  // Row k1, column k2 holds frequency k1 + 4·k2.
  let x = *p;
  (*p)[1] = x[3];
  (*p)[2] = x[6];
  (*p)[3] = x[9];
  (*p)[4] = x[1];
  (*p)[5] = x[4];
  (*p)[6] = x[7];
  (*p)[7] = x[10];
  (*p)[8] = x[2];
  (*p)[9] = x[5];
  (*p)[10] = x[8];
}

fn butterfly16(p: ptr<function, Points>) {
  butterfly4(p, 0u, 4u, 8u, 12u);
  butterfly4(p, 1u, 5u, 9u, 13u);
  butterfly4(p, 2u, 6u, 10u, 14u);
  butterfly4(p, 3u, 7u, 11u, 15u);
  (*p)[5] = times((*p)[5], vec2f(COS_22, -SIN_22));
  (*p)[9] = turnedHalf((*p)[9]);
  (*p)[13] = times((*p)[13], vec2f(SIN_22, -COS_22));
  (*p)[6] = turnedHalf((*p)[6]);
  (*p)[10] = turned((*p)[10]);
  (*p)[14] = turnedThreeHalves((*p)[14]);
  (*p)[7] = times((*p)[7], vec2f(SIN_22, -COS_22));
  (*p)[11] = turnedThreeHalves((*p)[11]);
  (*p)[15] = times((*p)[15], vec2f(-COS_22, SIN_22));
  butterfly4(p, 0u, 1u, 2u, 3u);
  butterfly4(p, 4u, 5u, 6u, 7u);
  butterfly4(p, 8u, 9u, 10u, 11u);
  butterfly4(p, 12u, 13u, 14u, 15u);
  // Row k1, column k2 holds frequency k1 + 4·k2.
  let x = *p;
  (*p)[1] = x[4];
  (*p)[2] = x[8];
  (*p)[3] = x[12];
  (*p)[4] = x[1];
  (*p)[6] = x[9];
  (*p)[7] = x[13];
  (*p)[8] = x[2];
  (*p)[9] = x[6];
  (*p)[11] = x[14];
  (*p)[12] = x[3];
  (*p)[13] = x[7];
  (*p)[14] = x[11];
}
