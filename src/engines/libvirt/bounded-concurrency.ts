// Runs the same work for many hosts with bounded concurrency, and yields results in the order of the hosts. Used by the
// check and the import of images.

/** Each is a virsh process, and possibly an ssh process. */
const AT_ONCE = 8;

/** Throws what the work throws, after all started work has ended. */
export async function* sideBySide<Item, Told>(
  items: readonly Item[],
  work: (item: Item) => AsyncIterable<Told>,
): AsyncGenerator<Told> {
  const begun: Promise<Told[]>[] = [];
  const beginNext = () => {
    const next = items[begun.length];
    if (next === undefined) return;
    const told = all(work(next));
    // Awaited later, in order; until then an error must not be unhandled.
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
