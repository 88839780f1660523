/**
 * The page of `gravmesh view` and `gravmesh run --live`: its address carries a token, and what is shown is the server's folder
 * or run, from the start.
 */

import { type About, API, type Remote, TOKEN } from "../live/protocol.ts";
import { say } from "./actions.ts";
import { openIn, type Store } from "./store.ts";
import { messageOf } from "./words.ts";
import { withToken } from "./worker/connection.ts";

/** Where the page comes from such a server. */
export function remoteOf(address: Location): Remote | undefined {
  const token = new URLSearchParams(address.search).get(TOKEN);
  return token ? { base: new URL("./", address.href).href.replace(/\?.*$/, ""), token } : undefined;
}

/** Opens it; a server that can't be reached yet is asked again by the worker, which says so. */
export async function openServed(store: Store, remote: Remote): Promise<void> {
  const { page } = store;
  page.screen.value = "studio";
  page.served.value = { live: false };
  await openIn(store, "a", { kind: "remote", remote });
  try {
    const response = await fetch(remote.base + API.about, withToken(remote));
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    const about = (await response.json()) as About;
    page.served.value = { live: about.kind === "live" };
    store.deck.value = about.deck;
  } catch (error) {
    say(store, `The server doesn't answer: ${messageOf(error)}`);
  }
}
