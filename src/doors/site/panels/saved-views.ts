/** Views that the reader keeps under a name, in this browser. Lengths are shares of the box, so that they fit any run. */
import { z } from "zod";
import type { View } from "../../../studio/view/view.ts";
import { viewSchema } from "../link.ts";

export interface SavedView {
  name: string;
  /** Lengths in box sides. */
  view: View;
}

const KEY = "gravmesh views";

function scaled(view: View, factor: number): View {
  const { camera } = view;
  const [x, y, height] = camera.centre;
  const centre = [factor * x, factor * y, factor * height] as const;
  return { ...view, camera: { ...camera, centre, span: factor * camera.span } };
}

/** `boxSize` [length] of the run that is shown. */
export function savedAs(name: string, view: View, boxSize: number): SavedView {
  // A brightest value in one run's units says nothing of another's.
  return { name, view: { ...scaled(view, 1 / boxSize), brightest: "auto", hidden: [] } };
}

export const shownIn = ({ view }: SavedView, boxSize: number): View => scaled(view, boxSize);

const saved = z.object({ name: z.string(), view: viewSchema });

/** What the browser has kept. What can't be read, of another version or none of ours, is left out; a private window keeps nothing. */
export function keptViews(read = () => localStorage.getItem(KEY)): SavedView[] {
  try {
    const found: unknown = JSON.parse(read() ?? "[]");
    return Array.isArray(found) ? found.flatMap((one) => saved.safeParse(one).data ?? []) : [];
  } catch {
    return [];
  }
}

/** Whether the browser has kept them. */
export function keepViews(views: readonly SavedView[]): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}
