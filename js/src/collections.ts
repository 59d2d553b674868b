/** Helpers for sorted and grouped things, and for what takes long to make. */

/** How many of `n` sorted things come before a place; `isBefore` is true for these, and false for the rest. */
export function countBefore(n: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds an item to the group of a key. */
export function addToGroup<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

/** The items in groups of one key, in the order of their first. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) addToGroup(groups, keyOf(item), item);
  return [...groups.values()] as [T, ...T[]][];
}

/** The same function, which makes each thing once: a tab that is opened again has what it had. */
export function once<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const made = new WeakMap<K, T>();
  return (of) => {
    const known = made.get(of) ?? make(of);
    made.set(of, known);
    return known;
  };
}

/** A set with these in it that were not, and without those that were. */
export function toggled<T>(set: ReadonlySet<T>, ...items: readonly T[]): ReadonlySet<T> {
  const next = new Set(set);
  for (const item of items) if (!next.delete(item)) next.add(item);
  return next;
}
