/**
 * Returns a list whose first entries are read in groups, each when one of its entries is needed. It is for reading: it can be
 * neither frozen nor cloned, and an entry that is deleted may come back.
 * @param length the number of these entries
 * @param groupOf returns the entries of a group, which are `groupLength`
 * @param added the entries behind them
 */
export function lateList(
  {
    length,
    groupLength,
    groupOf,
  }: { length: number; groupLength: number; groupOf: (group: number) => readonly unknown[] },
  added: readonly unknown[],
): unknown[] {
  const list = new Array<unknown>(length).concat(added);
  const groups = new Set<number>();
  const read = (index: number): void => {
    const group = Math.floor(index / groupLength);
    // The name of a method is not a number.
    if (!(index >= 0 && index < length) || groups.has(group)) return;
    for (const [at, entry] of groupOf(group).entries()) list[group * groupLength + at] = entry;
    groups.add(group);
  };
  return new Proxy(list, {
    get(target, name) {
      read(indexIn(name));
      return Reflect.get(target, name) as unknown;
    },
    has(target, name) {
      read(indexIn(name));
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      read(indexIn(name));
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      for (let index = 0; index < length; index += groupLength) read(index);
      return Reflect.ownKeys(target);
    },
  });
}

const indexIn = (name: string | symbol): number => (typeof name === 'string' ? Number(name) : Number.NaN);
