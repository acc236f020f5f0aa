// Whatever happened to hosts, in transactions that end in whatever order: the mirror's numbers are those of the rows.

import { expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { begin, type OpenTransaction } from "../../../test/support/interleave.ts";
import { fc } from "../../../test/support/properties.ts";
import { anyHost, anyProduct, isOpen, type RandomHost, roomOf, writeHost } from "../../../test/support/random-hosts.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { InstanceType } from "../instances/instance.ts";
import { CapacityCache, type CapacityView } from "./cache.ts";
import { howManyFit } from "./requirements.ts";

const world = worldOfFile();

/** Each transaction has hosts of its own, so that none waits for another and the history can be told in one thread. */
interface Step {
  readonly transaction: number;
  readonly host: number;
  /** What happens to the host in the transaction; null: it is removed. Absent: the transaction ends. */
  readonly change?: RandomHost | null;
  readonly ends?: "commit" | "rollback";
  readonly lookAfter: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record(
  {
    transaction: fc.integer({ min: 0, max: 2 }),
    host: fc.integer({ min: 0, max: 1 }),
    change: fc.option(anyHost, { freq: 4 }),
    ends: fc.constantFrom("commit", "commit", "rollback"),
    lookAfter: fc.boolean(),
  },
  { requiredKeys: ["transaction", "host", "lookAfter"] },
);

/** The state of the world as it is committed, told apart from the database. */
class Committed {
  readonly hosts = new Map<string, RandomHost>();
  readonly #pending = new Map<number, Map<string, RandomHost | null>>();

  note(transaction: number, name: string, change: RandomHost | null): void {
    const changes = this.#pending.get(transaction) ?? new Map<string, RandomHost | null>();
    this.#pending.set(transaction, changes.set(name, change));
  }

  end(transaction: number, how: "commit" | "rollback"): void {
    for (const [name, host] of (how === "commit" && this.#pending.get(transaction)) || []) {
      if (host === null) this.hosts.delete(name);
      else this.hosts.set(name, host);
    }
    this.#pending.delete(transaction);
  }

  /** The numbers, computed from scratch. */
  numbers(products: readonly InstanceType[]): Record<string, Record<string, number>> {
    const numbers: Record<string, Record<string, number>> = {};
    for (const product of products) {
      const byRegion: Record<string, number> = {};
      for (const host of [...this.hosts.values()].filter(isOpen)) {
        const fits = howManyFit(roomOf(host), product);
        if (fits > 0) byRegion[host.region] = (byRegion[host.region] ?? 0) + fits;
      }
      numbers[product.name] = byRegion;
    }
    return numbers;
  }
}

function plain(view: CapacityView, products: readonly InstanceType[]): Record<string, Record<string, number>> {
  return Object.fromEntries(products.map(({ name }) => [name, Object.fromEntries(view.get(name) ?? [])]));
}

it("the mirror shows what is committed, after any history of changes, removals, looks and ends in any order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 5, maxLength: 30 }),
      fc.uniqueArray(anyProduct, { selector: (product) => product.name, maxLength: 4 }),
      async (steps, products) => {
        await world.empty();
        for (const region of ["east", "north", "west"]) await world.region(region);
        const mirror = new CapacityCache(world.db);
        const committed = new Committed();
        const open = new Map<number, OpenTransaction>();
        try {
          for (const step of steps) {
            const existing = open.get(step.transaction);
            if (step.change !== undefined) {
              const transaction = existing ?? (await begin(world.db));
              open.set(step.transaction, transaction);
              const name = `host-${step.transaction}-${step.host}`;
              if (step.change === null) await transaction.tx.deleteFrom("hosts").where("name", "=", name).execute();
              else await writeHost(transaction.tx, name, step.change);
              committed.note(step.transaction, name, step.change);
            }
            if (step.ends !== undefined) {
              await open.get(step.transaction)?.[step.ends]();
              open.delete(step.transaction);
              committed.end(step.transaction, step.ends);
            }
            if (step.lookAfter) {
              expect(plain(await mirror.view(products), products)).toEqual(committed.numbers(products));
            }
          }
        } finally {
          for (const transaction of open.values()) await transaction.rollback();
        }
      },
    ),
    { numRuns: sample(15, 200) },
  );
});
