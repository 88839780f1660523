/** Groups that were found in parts, by domains: those that have a particle in common are one. */
import { GROUP_WORDS } from "./friends-of-friends-catalogue.ts";

/** The number of a group that isn't in the catalogue. */
const NONE = 0xffffffff;

export class OpenGroups {
  /** By open group: particles of its own domain, smallest id. */
  readonly #sizes: number[] = [];
  readonly #labels: number[] = [];
  readonly #parents: number[] = [];

  get count(): number {
    return this.#sizes.length;
  }

  /** words: [2·groups] own members and label; they get the next numbers. */
  add(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += GROUP_WORDS) {
      this.#parents.push(this.count);
      this.#sizes.push(words[at]);
      this.#labels.push(words[at + 1]);
    }
  }

  /** pairs: [2·pairs] groups that are one. */
  join(pairs: Uint32Array): void {
    for (let k = 0; k < pairs.length; k += 2) {
      const [a, b] = [this.#rootOf(pairs[k]), this.#rootOf(pairs[k + 1])];
      if (a === b) continue;
      const [root, child] = a < b ? [a, b] : [b, a];
      this.#parents[child] = root;
      this.#sizes[root] += this.#sizes[child];
      this.#labels[root] = Math.min(this.#labels[root], this.#labels[child]);
    }
  }

  /** What has become of each open group; those of enough members are numbered from `firstNumber` on. */
  outcome({ minimumMembers, firstNumber }: { minimumMembers: number; firstNumber: number }) {
    const numbers = new Uint32Array(Math.max(1, this.count));
    const labels = new Uint32Array(Math.max(1, this.count));
    const groups: number[] = [];
    let [groupsInAll, membersInAll] = [0, 0];
    // A root has the smallest number of its tree.
    for (let group = 0; group < this.count; group++) {
      const root = this.#rootOf(group);
      if (root === group) {
        groupsInAll++;
        const size = this.#sizes[group];
        const listed = size >= minimumMembers;
        numbers[group] = listed ? firstNumber + groups.length / GROUP_WORDS : NONE;
        if (listed) {
          membersInAll += size;
          groups.push(size, this.#labels[group]);
        }
      }
      numbers[group] = numbers[root];
      labels[group] = this.#labels[root];
    }
    return { numbers, labels, groups: Uint32Array.from(groups), groupsInAll, membersInAll };
  }

  #rootOf(group: number): number {
    let root = group;
    while (this.#parents[root] !== root) root = this.#parents[root];
    for (let node = group; node !== root; ) {
      const next = this.#parents[node];
      this.#parents[node] = root;
      node = next;
    }
    return root;
  }
}
