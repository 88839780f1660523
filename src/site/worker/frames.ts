/** The next picture's turn: an animation frame of the worker, or a moment later where the tab is hidden or has none. */

/** A tab that isn't seen has no animation frames; its runs go on [ms]. */
const HIDDEN = 100;

export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const { requestAnimationFrame, cancelAnimationFrame } = globalThis;
    let frame = 0;
    const timer = setTimeout(() => {
      if (frame) cancelAnimationFrame?.(frame);
      resolve();
    }, HIDDEN);
    if (typeof requestAnimationFrame !== "function") return;
    frame = requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
