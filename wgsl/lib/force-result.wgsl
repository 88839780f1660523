// Where totals come from and where they go. Needs lib/force-job.wgsl and a Force with its Totals.

@group(0) @binding(5) var<storage, read_write> result: array<Force>;
@group(0) @binding(6) var<storage, read_write> state: array<Totals>;

// Totals of a slot (less than the end) before this dispatch.
fn totalsBefore(slot: u32) -> Totals {
  if (job.start == FROM_STATE) { return state[slot - job.firstTarget]; }
  if (job.start == FROM_RESULT) { return totalsOf(result[slot]); }
  return noTotals();
}

fn setTotals(slot: u32, totals: Totals) {
  if (job.finish == 1u) {
    result[slot] = forceOf(totals);
  } else {
    state[slot - job.firstTarget] = totals;
  }
}
