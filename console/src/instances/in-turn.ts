// The same request for many things: a few at a time, each with its own outcome. Pure; used by bulk-actions.tsx.

export interface Outcome<Item> {
  readonly item: Item;
  /** Undefined: it was done. */
  readonly error: unknown;
}

/** At most `together` at once, in the order of `items`. Never throws; the outcomes are in that order too. */
export async function inTurn<Item>(
  items: readonly Item[],
  together: number,
  ask: (item: Item) => Promise<unknown>,
): Promise<readonly Outcome<Item>[]> {
  const outcomes = new Map<Item, unknown>();
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const done = item;
      await ask(done).then(
        () => outcomes.set(done, undefined),
        (error: unknown) => outcomes.set(done, error ?? new Error("It failed.")),
      );
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return items.map((item) => ({ item, error: outcomes.get(item) }));
}
