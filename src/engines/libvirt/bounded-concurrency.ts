// The same work for many hosts, some at once, and what it tells in the order of the hosts. Used by the check and
// the import of images.

/** So many at once: each is a process of virsh, and perhaps one of ssh. */
const AT_ONCE = 8;

/** Throws what the work throws; before it ends, all work that was begun has ended. */
export async function* sideBySide<Item, Told>(
  items: readonly Item[],
  work: (item: Item) => AsyncIterable<Told>,
): AsyncGenerator<Told> {
  const begun: Promise<Told[]>[] = [];
  const beginNext = () => {
    const next = items[begun.length];
    if (next === undefined) return;
    const told = all(work(next));
    // It is waited for in its turn; until then nobody else listens.
    told.catch(() => {});
    begun.push(told);
  };
  for (let count = 0; count < AT_ONCE; count++) beginNext();
  try {
    for (let at = 0; at < items.length; at++) {
      const told = await begun[at];
      beginNext();
      yield* told ?? [];
    }
  } finally {
    await Promise.allSettled(begun);
  }
}

async function all<Told>(telling: AsyncIterable<Told>): Promise<Told[]> {
  const told: Told[] = [];
  for await (const one of telling) told.push(one);
  return told;
}
