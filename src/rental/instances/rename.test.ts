// Renaming an instance, as a customer meets it, and what goes with it.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Tenant } from "../service.ts";
import { type Product, read, rename } from "./index.ts";
import { states } from "./lifecycle.ts";

const world = worldOfFile();
let tenant: Tenant;
let product: Product;
beforeEach(async () => {
  tenant = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0 });
});

const launchOne = (name?: string) =>
  world.launchOne(tenant, { instanceType: product.name, ...(name !== undefined && { name }) });
const renamed = (id: string, name: string | undefined, by = tenant) =>
  world.tx((tx) => rename(tx, world.service, by, id, name, "name"));
const look = (id: string) => read(world.db, world.service, tenant, id);

async function eventsOf(id: string): Promise<{ type: string; data: unknown }[]> {
  const { rows } = await sql<{ type: string; data: unknown }>`
    select type, data from events where subject_id = ${id} and type = 'instance.renamed' order by id`.execute(world.db);
  return rows;
}

describe("a new name", () => {
  it.each(states)("is taken by a %s instance, and told in an event", async (state) => {
    const { id } = await launchOne("before");
    await world.put(id, state);
    expect(await renamed(id, "after")).toMatchObject({ id, name: "after", state });
    expect(await look(id)).toMatchObject({ name: "after" });
    expect(await eventsOf(id)).toMatchObject([{ data: { instance_id: id, name: "after", state } }]);
  });

  it("leaves the host name and everything else as they were", async () => {
    const { id } = await launchOne("before");
    const before = await look(id);
    await renamed(id, "something else");
    expect(await look(id)).toEqual({ ...before, name: "something else" });
  });

  it("that is empty is the one it would have had without one", async () => {
    const { id } = await launchOne("before");
    const { name } = await renamed(id, "");
    expect(name).toBe(`${product.name}-${id.slice(-8)}`);
  });

  it("that is none, or the same, changes nothing and is no event", async () => {
    const { id } = await launchOne("before");
    for (const name of [undefined, "before"]) {
      const same = await changingNothing(world.db, () => renamed(id, name));
      expect(same.name).toBe("before");
    }
    expect(await eventsOf(id)).toEqual([]);
  });

  it.each(["x".repeat(65), "two\nlines", "\u{d800}"])("that breaks the rule for names is refused: %j", async (name) => {
    const { id } = await launchOne("before");
    const details = await changingNothing(world.db, () => refusal("invalid-parameters", renamed(id, name)));
    expect(Object.keys(details.fields ?? {})).toEqual(["name"]);
  });

  it("of another account's instance, or of none, is refused as unknown", async () => {
    const { id } = await launchOne("before");
    const eve = await world.account();
    for (const unknown of [id, "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", "no-id"]) {
      await changingNothing(world.db, () => refusal("unknown-object", renamed(unknown, "mine", eve)));
    }
    expect((await look(id)).name).toBe("before");
  });

  it("given twice at once is one of the two, and each that was is told", async () => {
    const { id } = await launchOne("before");
    await Promise.all([renamed(id, "one"), renamed(id, "two")]);
    const told = (await eventsOf(id)).map(({ data }) => (data as { name: string }).name);
    expect(told.toSorted()).toEqual(["one", "two"]);
    expect((await look(id)).name).toBe(told.at(-1));
  });
});
