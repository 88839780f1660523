/** The keys of the page, from the list by which they work; and the switch for single keys. */
import { Checkbox } from "../controls.tsx";
import { KEY_GROUPS, KEYS, type KeyBinding } from "../keys.ts";
import type { Store } from "../store.ts";

/** "Shift ←"; letters as on a keyboard. */
const shown = ({ key, shown: word }: KeyBinding) => word ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key);

export function Shortcuts({ store }: { store: Store }) {
  const { keysOn } = store.page;
  return (
    <section class="part form shortcuts" aria-label="Keys">
      <Checkbox
        checked={keysOn.value}
        set={(on) => {
          keysOn.value = on;
        }}
        label="Single letters do something"
      />
      {KEY_GROUPS.map((group) => (
        <KeyTable
          key={group}
          caption={group}
          keys={KEYS.filter((key) => key.group === group).map((key) => [shown(key), key.meaning])}
        />
      ))}
      <KeyTable caption="In a panel" keys={IN_PANELS} />
    </section>
  );
}

function KeyTable({ caption, keys }: { caption: string; keys: readonly (readonly [key: string, meaning: string])[] }) {
  return (
    <table>
      <caption>{caption}</caption>
      <tbody>
        {keys.map(([key, meaning]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
