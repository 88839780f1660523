// The RUN slots of an invocation: of the section.
//#import "../../../lib/section.wgsl"
//#expects RUN

fn depositedRun(k: u32, slots: u32) -> vec2u {
  let here = slotsOfSection(slots);
  let first = here.x + k * u32(RUN);
  return vec2u(first, min(first + u32(RUN), here.y));
}
