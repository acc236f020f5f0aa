// The name and the tags of an instance, changed after its launch, and what goes with it.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { states } from "../../rules/lifecycle.ts";
import type { Tag } from "../../rules/tag-rules.ts";
import type { Principal } from "../service.ts";
import { changeLabels, type Labels } from "./change-labels.ts";
import type { InstanceType } from "./instance.ts";
import { read } from "./instance-store.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0 });
});

const launchOne = (name?: string) =>
  world.launchOne(principal, { instanceType: product.name, ...(name !== undefined && { name }) });
const labelled = (id: string, labels: Omit<Labels, "fields">, by = principal) =>
  world.tx((tx) => changeLabels(tx, world.service, by, id, { ...labels, fields: { name: "name", tags: "labels" } }));
const renamed = (id: string, name: string | undefined, by = principal) => labelled(id, { name }, by);
const look = (id: string) => read(world.db, world.service, principal, id);

async function eventsOf(id: string): Promise<{ type: string; data: unknown }[]> {
  const { rows } = await sql<{ type: string; data: unknown }>`
    select type, data from events where subject_id = ${id} and type in ('instance.renamed', 'instance.tags_changed')
    order by tx, position`.execute(world.db);
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

describe("new tags", () => {
  const vision: Tag = { key: "team", value: "vision" };
  const spot: Tag = { key: "spot", value: "" };

  it.each(states)("are taken by a %s instance in their order, and told in an event that has them", async (state) => {
    const { id, tags } = await launchOne("before");
    expect(tags).toEqual([]);
    await world.put(id, state);
    expect(await labelled(id, { tags: [vision, spot] })).toMatchObject({ id, name: "before", tags: [vision, spot] });
    expect((await look(id)).tags).toEqual([vision, spot]);
    expect(await eventsOf(id)).toMatchObject([
      { type: "instance.tags_changed", data: { state, tags: [vision, spot] } },
    ]);
  });

  it("take the place of all there were, and an empty list takes them away", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name, tags: [vision] });
    expect((await labelled(id, { tags: [spot] })).tags).toEqual([spot]);
    expect((await labelled(id, { tags: [] })).tags).toEqual([]);
    expect((await look(id)).tags).toEqual([]);
  });

  it("that are none, or the same, change nothing and are no event", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name, tags: [vision] });
    for (const tags of [undefined, [vision]]) await changingNothing(world.db, () => labelled(id, { tags }));
    expect(await eventsOf(id)).toEqual([]);
  });

  it("may come with a new name: both are told, each by its own event, or neither is taken", async () => {
    const { id } = await launchOne("before");
    await labelled(id, { name: "after", tags: [vision] });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(["instance.renamed", "instance.tags_changed"]);
    const wrong = { name: "later", tags: [vision, vision] };
    const details = await changingNothing(world.db, () => refusal("invalid-parameters", labelled(id, wrong)));
    expect(Object.keys(details.fields ?? {})).toEqual(["labels.1.key"]);
  });
});
