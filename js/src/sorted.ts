/** Helpers for what comes in order, and for things in groups. */

/** How many of `n` things in order come before a place: those for which `isBefore` is true are the first ones. */
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

/** Adds one to the group of a key. */
export function pushTo<K, T>(groups: Map<K, T[]>, key: K, one: T): void {
  const group = groups.get(key);
  if (group) group.push(one);
  else groups.set(key, [one]);
}
