// Capacity notices over the control interface.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { announceCapacity } from "../../../rental/capacity-notices/announce.ts";

let control: Control;
let ann: Awaited<ReturnType<Control["customer"]>>;
let bob: typeof ann;
beforeAll(async () => {
  control = await startControl();
  [ann, bob] = [await control.customer(), await control.customer()];
  await control.world.host({ name: "host-a", region: "north", gpus: 1, vcpus: 64 });
  await control.world.image();
  await control.world.product({ name: "gpu", gpus: 1, priceCentsPerHour: 100 });
});
afterAll(() => control.close());

const create = (body: object, { token } = ann) => control.data("POST", "/capacity-notices", { token, body });
const list = ({ token } = ann) => control.data("GET", "/capacity-notices", { token });
const read = () => announceCapacity(control.world.db, control.world.service.capacity);

it("is listed with where there is capacity, and its event comes when there is again", async () => {
  const full = await create({ instance_type: "gpu" });
  const shown = { instance_type: "gpu", region: null, available: [{ instance_type: "gpu", region: "north" }] };
  expect(full).toMatchObject(shown);
  expect(await create({ instance_type: "gpu", region: "any" })).toEqual(full);
  expect([await list(), await list(bob)]).toEqual([[full], []]);

  const mode = (word: string) => control.world.db.updateTable("hosts").set({ mode: word }).execute();
  await mode("cordoned");
  await read();
  await travel(control.world.db, "60 seconds");
  await read();
  expect(await list()).toMatchObject([{ available: [] }]);
  await mode("up");
  await read();
  await travel(control.world.db, "15 seconds");
  await read();
  expect(await list()).toMatchObject([shown]);
  const events = () => control.data("GET", "/events?types=capacity.*", { token: ann.token });
  await expect.poll(events).toMatchObject([
    {
      type: "capacity.available",
      data: { capacity: { instance_type: "gpu", region: "north", available: 1 }, notice_ids: [idOf(full)] },
    },
  ]);
  expect(await control.data("GET", "/events?types=capacity.*", { token: bob.token })).toEqual([]);
});

it("is paged as other lists are", async () => {
  const carl = await control.customer();
  for (const body of [{}, { region: "north" }, { instance_type: "gpu" }]) await create(body, carl);
  const pages = await control.pages("/capacity-notices", 2, { token: carl.token });
  expect(pages.map((page) => page.length)).toEqual([2, 1]);
  expect(pages.flat()).toEqual(await list(carl));
});

it("is rejected for unknown names with the field, and beyond the limit of an account", async () => {
  const post = (body: object) => control.ask("POST", "/capacity-notices", { token: bob.token, body });
  for (const [body, field] of [
    [{ instance_type: "none" }, "instance_type"],
    [{ region: "none" }, "region"],
    [{ region: 1 }, "region"],
  ] as const) {
    const answer = await post(body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  }
  for (let n = 0; n < 100; n++) {
    await control.world.product({ name: `type-${n}` });
    await create({ instance_type: `type-${n}` }, bob);
  }
  const answer = await post({});
  expect(codeOf(answer)).toBe("global/quota-exceeded");
  expect(answer.body).toMatchObject({ error: { suggestion: expect.stringContaining("Delete a capacity notice") } });
});

it("is deleted once, by its account only", async () => {
  const id = idOf(await create({ region: "north" }));
  const remove = (token: string) => control.ask("DELETE", `/capacity-notices/${id}`, { token });
  expect((await remove(bob.token)).status).toBe(404);
  expect(await remove(ann.token)).toMatchObject({ status: 200, body: { data: {} } });
  expect((await remove(ann.token)).status).toBe(404);
});
