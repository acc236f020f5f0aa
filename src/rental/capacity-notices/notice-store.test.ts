import { beforeEach, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { noticesPerAccount } from "../../rules/capacity-notices.ts";
import type { Principal } from "../service.ts";
import { createNotice, deleteNotice, listNotices, type NoticeOrder } from "./notice-store.ts";

const world = worldOfFile();
let ann: Principal;
let bob: Principal;
beforeEach(async () => {
  [ann, bob] = [await world.account(), await world.account()];
  await world.region("north");
  await world.product({ name: "gpu" });
});

const create = (of: Principal, order: NoticeOrder = {}) => world.tx((tx) => createNotice(tx, of, order, []));

it("is one for the same instance type and region of an account, also when it is asked for at once", async () => {
  const orders: NoticeOrder[] = [
    {},
    { instanceType: "gpu" },
    { region: "north" },
    { instanceType: "gpu", region: "north" },
  ];
  const ids = await Promise.all([...orders, ...orders].map(async (order) => (await create(ann, order)).id));
  expect(new Set(ids).size).toBe(4);
  expect(ids.slice(0, 4)).toEqual(ids.slice(4));
  // Any region is every one.
  expect((await create(ann, { region: "any" })).id).toBe(ids[0]);
  expect((await create(bob)).id).not.toBe(ids[0]);
  const listed = await listNotices(world.db, ann);
  expect(listed.map(({ id }) => id)).toEqual([...ids.slice(0, 4)].sort());
  expect(listed.find(({ id }) => id === ids[1])).toMatchObject({ instanceType: "gpu", region: null, available: [] });
});

it("is rejected for what does not exist, with the field", async () => {
  await changingNothing(world.db, async () => {
    expect(await refusal("unknown-name", create(ann, { instanceType: "none" }))).toMatchObject({
      what: "instance type",
      fields: { instance_type: { code: "global/object-does-not-exist" } },
    });
    expect(await refusal("unknown-name", create(ann, { region: "none" }))).toMatchObject({
      what: "region",
      fields: { region: { code: "global/object-does-not-exist" } },
    });
  });
});

it("is one of at most a hundred of an account, however many are asked for at once", async () => {
  const names = Array.from({ length: noticesPerAccount - 2 }, (_, n) => `type-${n}`);
  for (const name of [...names, "a", "b", "c"]) await world.product({ name });
  for (const name of names) await create(ann, { instanceType: name });
  const last = await Promise.allSettled(["a", "b", "c"].map((instanceType) => create(ann, { instanceType })));
  const failed = last.filter((one) => one.status === "rejected");
  expect(failed.map(({ reason }) => reason)).toEqual([
    expect.objectContaining({
      kind: "quota-exceeded",
      details: { what: "capacity_notices", limit: noticesPerAccount, used: noticesPerAccount, requested: 1 },
    }),
  ]);
  // One that is there already is not one more.
  expect(await create(ann, { instanceType: "type-0" })).toMatchObject({ instanceType: "type-0" });
  await create(bob);
});

it("is deleted by its account only, and once", async () => {
  const { id } = await create(ann);
  const remove = (of: Principal) => world.tx((tx) => deleteNotice(tx, of, id));
  expect(await refusal("unknown-object", remove(bob))).toEqual({ what: "capacity notice", ids: [id] });
  await remove(ann);
  await refusal("unknown-object", remove(ann));
  expect(await listNotices(world.db, ann)).toEqual([]);
});
