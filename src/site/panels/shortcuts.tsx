/** The keys of the page, from the list by which they work; and whether single keys do anything at all. */
import { KEY_GROUPS, KEYS, type Key } from "../keys.ts";
import type { Store } from "../store.ts";

/** "Shift ←"; letters as they stand on a keyboard. */
const shown = ({ key, shown: word }: Key) => word ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key);

export function Shortcuts({ store }: { store: Store }) {
  const { keysOn } = store.page;
  return (
    <section class="part form shortcuts" aria-label="Keys">
      <label class="row-check">
        <input
          type="checkbox"
          checked={keysOn.value}
          onChange={() => {
            keysOn.value = !keysOn.value;
          }}
        />
        <span>Single letters do something</span>
      </label>
      {KEY_GROUPS.map((group) => (
        <table key={group}>
          <caption>{group}</caption>
          <tbody>
            {KEYS.filter((key) => key.group === group).map((key) => (
              <tr key={key.key}>
                <th scope="row">
                  <kbd>{shown(key)}</kbd>
                </th>
                <td>{key.meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      <table>
        <caption>In a panel</caption>
        <tbody>
          {IN_PANELS.map(([key, meaning]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const IN_PANELS = [
  ["Ctrl Space", "in the deck: what may stand here"],
  ["F8", "in the deck: the next error"],
  ["Tab", "in the deck: takes the word that is offered, or leaves"],
  ["← →", "on a chart: the value before or after; with Shift ten at a time"],
  ["Home, End", "on a chart: the first value, the last"],
  ["Alt ↑ ↓", "on a keyframe: earlier or later"],
] as const;
