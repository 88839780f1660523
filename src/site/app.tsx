/** The page as a whole. */
import type { Store } from "./store.ts";

export function App({ store }: { store: Store }) {
  return <main>{store.panes.a.state.value.title || "gravmesh"}</main>;
}
