// The lambda edition's instances as its clients use them: tags, host names, restarts that reboot, lists. Each behavior with
// the client that asks for it, where one does. Used with lambda-edition.test.ts beside it.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { call } from "../support/http.ts";
import { type Json, order, Shop } from "./lambda-shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop?.server.close());

const vision = { key: "team", value: "vision" };
const spot = { key: "spot", value: "" };

describe("tags", () => {
  it("are there from the launch, in their order; without any the list is empty, never null or absent", async () => {
    const [tagged, plain] = [await shop.launchOne({ tags: [vision, spot] }), await shop.launchOne({ tags: null })];
    expect((await shop.read(tagged)).tags).toEqual([vision, spot]);
    expect((await shop.read(plain)).tags).toEqual([]);
    await shop.terminate(tagged, plain);
  });

  it("are of each instance of a launch, and not of the next one", async () => {
    const ids = await shop.launch({ quantity: 2, tags: [vision] });
    for (const id of ids) expect((await shop.read(id)).tags).toEqual([vision]);
    await shop.terminate(...ids);
  });

  it.each([
    ["two of one key", [vision, { ...vision, value: "other" }], "tags.1.key"],
    ["a key that no filter could name", [{ key: "a=b", value: "" }], "tags.0.key"],
    ["a control character", [{ key: "a", value: "b\n" }], "tags.0.value"],
    ["too many", Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, value: "" })), "tags"],
    ["no value", [{ key: "a" }], "tags.0.value"],
  ])("are refused where there is %s, by the name of the field", async (_, tags, field) => {
    const before = await shop.list("");
    const { status, fields, error } = await shop.ask("POST", "/instance-operations/launch", { ...order, tags });
    expect([status, error.code]).toEqual([400, "global/invalid-parameters"]);
    expect(Object.keys(fields)).toContain(field);
    expect(await shop.list("")).toEqual(before);
  });

  it("filter the list: by key, by key and value, by several at once", async () => {
    const one = await shop.launchOne({
      tags: [
        { key: "unit", value: "vision" },
        { key: "run", value: "a,b" },
      ],
    });
    const two = await shop.launchOne({
      tags: [
        { key: "unit", value: "audio" },
        { key: "cheap", value: "" },
      ],
    });
    const filtered = (tags: string) => shop.list(`?tags=${encodeURIComponent(tags)}`);
    expect(await filtered("unit")).toEqual([one, two]);
    expect(await filtered("unit=vision")).toEqual([one]);
    expect(await filtered("unit,cheap")).toEqual([two]);
    expect(await filtered("cheap=")).toEqual([two]);
    expect(await filtered(String.raw`run=a\,b`)).toEqual([one]);
    expect(await filtered("unit=vision,cheap")).toEqual([]);
    expect(await filtered("Unit")).toEqual([]);
    await shop.terminate(one, two);
  });

  it("filter together with a status and with pages", async () => {
    const tags = [{ key: "paged", value: "" }];
    const ids = [await shop.active({ tags }), await shop.active({ tags }), await shop.active()];
    expect(await shop.list("?tags=paged&status=active&limit=1")).toEqual([ids[0]]);
    expect(await shop.list("?tags=paged&status=active&limit=5")).toEqual([ids[0], ids[1]]);
    expect(await shop.list("?tags=paged&status=booting")).toEqual([]);
    await shop.terminate(...ids);
  });

  it.each(["", "a,,b", "=x"])("that are no filter are refused by name: %j", async (tags) => {
    const { status, fields } = await shop.ask("GET", `/instances?tags=${encodeURIComponent(tags)}`);
    expect([status, Object.keys(fields)]).toEqual([400, ["tags"]]);
  });

  it("change alone or with the name, are told in an event, and show at once in a list that was read before", async () => {
    const now = { key: "now", value: "" };
    const id = await shop.launchOne({ name: "before", tags: [vision] });
    expect(await shop.list("?tags=now")).toEqual([]);
    const tagged = await shop.ask("POST", `/instances/${id}`, { tags: [now] });
    expect(tagged.data).toMatchObject({ id, name: "before", tags: [now] });
    expect(await shop.list("?tags=now")).toEqual([id]);
    await shop.ask("POST", `/instances/${id}`, { name: "after", tags: [] });
    expect(await shop.read(id)).toMatchObject({ name: "after", tags: [] });
    await shop.ask("POST", `/instances/${id}`, { name: "last", tags: null });
    const told = (await shop.events(id)).filter((type) => /renamed|tags/.test(type));
    expect(told).toEqual(["tags_changed", "renamed", "tags_changed", "renamed"]);
    await shop.terminate(id);
  });

  it("that are wrong leave the name as it was too", async () => {
    const id = await shop.launchOne({ name: "before" });
    const { status, fields } = await shop.ask("POST", `/instances/${id}`, { name: "after", tags: [vision, vision] });
    expect([status, Object.keys(fields)]).toEqual([400, ["tags.1.key"]]);
    expect(await shop.read(id)).toMatchObject({ name: "before", tags: [] });
    await shop.terminate(id);
  });

  it("of another account's instance are neither seen nor changed", async () => {
    const id = await shop.launchOne({ tags: [vision] });
    const token = await shop.server.customerToken("eve");
    const list = await call("GET", `${shop.server.lambda}/instances?tags=team`, { token });
    expect(list.body).toEqual({ data: [] });
    const changed = await call("POST", `${shop.server.lambda}/instances/${id}`, { token, body: { tags: [] } });
    expect(changed.status).toBe(404);
    expect((await shop.read(id)).tags).toEqual([vision]);
    await shop.terminate(id);
  });
});

describe("a host name", () => {
  const inGuest = async (id: string) => {
    const { rows } = await sql<{ hostname: string }>`
      select hostname from simulated.machines where id = ${id}`.execute(shop.server.db);
    return rows[0]?.hostname;
  };

  it("that is asked for is what is shown and what the guest is told, and stays when the name changes", async () => {
    const id = await shop.active({ name: "anything", hostname: "worker-7" });
    expect((await shop.read(id)).hostname).toBe("worker-7");
    expect(await inGuest(id)).toBe("worker-7");
    await shop.ask("POST", `/instances/${id}`, { name: "other" });
    expect((await shop.read(id)).hostname).toBe("worker-7");
    await shop.terminate(id);
  });

  it("of several has a number for each, in the order of their ids", async () => {
    const ids = await shop.launch({ hostname: "node", quantity: 3 });
    const shown = await Promise.all(ids.map(async (id) => (await shop.read(id)).hostname));
    expect(shown).toEqual(["node-1", "node-2", "node-3"]);
    await shop.terminate(...ids);
  });

  it("is made from the name where none is asked for, also with null", async () => {
    const id = await shop.launchOne({ name: "My Box", hostname: null });
    expect((await shop.read(id)).hostname).toBe(`my-box-${id.slice(-8)}`);
    await shop.terminate(id);
  });

  it("may be 63 characters long, less what a number takes", async () => {
    const long = "h".repeat(63);
    const id = await shop.launchOne({ hostname: long });
    expect((await shop.read(id)).hostname).toBe(long);
    await shop.terminate(id);
    const { status, fields } = await shop.ask("POST", "/instance-operations/launch", {
      ...order,
      hostname: long,
      quantity: 2,
    });
    expect([status, Object.keys(fields)]).toEqual([400, ["hostname"]]);
  });

  it.each(["", "-a", "a-", "a_b", "a.b", "Upper", "ü", "a b", "h".repeat(64)])(
    "that is no label of RFC 1123 in lower case is refused by name: %j",
    async (hostname) => {
      const { status, fields } = await shop.ask("POST", "/instance-operations/launch", { ...order, hostname });
      expect([status, Object.keys(fields)]).toEqual([400, ["hostname"]]);
    },
  );
});

describe("a restart of what runs", () => {
  const operations = { restart: "restarted_instances", "power-cycle": "power_cycled_instances" } as const;

  describe.each(Object.entries(operations))("by %s, where the operator does not let it reboot", (name) => {
    let strict: Shop;
    beforeAll(async () => {
      strict = await Shop.open({ restartReboots: false });
    });
    afterAll(() => strict?.server.close());

    it("is refused, and shown as not available with a reason: NVSentinel looks first", async () => {
      const id = await strict.active();
      const { actions } = (await strict.read(id)) as { actions: Record<string, Json> };
      for (const action of [actions.restart, actions.cold_reboot]) {
        expect(action).toMatchObject({ available: false, reason_code: "vm-has-not-launched" });
      }
      const { status, error } = await strict.ask("POST", `/instance-operations/${name}`, { instance_ids: [id] });
      expect([status, error.code]).toEqual([400, "global/invalid-parameters"]);
      expect(error.suggestion).toContain("Shut it down from inside");
      expect((await strict.read(id)).status).toBe("active");
      await strict.terminate(id);
    });
  });

  describe.each(Object.entries(operations))("by %s, as by default", (name, list) => {
    let rebooting: Shop;
    beforeAll(async () => {
      rebooting = await Shop.open();
    });
    afterAll(() => rebooting?.server.close());
    const restart = (...ids: string[]) => rebooting.ask("POST", `/instance-operations/${name}`, { instance_ids: ids });
    const spans = async (id: string) =>
      rebooting.server.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).execute();

    it("reboots it: it boots and is active again, with its address, its bill going on", async () => {
      const id = await rebooting.active();
      const before = await rebooting.read(id);
      const { actions } = before as { actions: Record<string, Json> };
      expect([actions.restart, actions.cold_reboot]).toEqual([{ available: true }, { available: true }]);
      const bill = await spans(id);
      const { status, text, data } = await restart(id);
      expect(status, text).toBe(200);
      expect(data[list]).toMatchObject([{ id, status: "booting", ip: before.ip }]);
      await rebooting.becomes(id, "active");
      expect(await rebooting.read(id)).toMatchObject({ ip: before.ip, hostname: before.hostname, status: "active" });
      expect(await spans(id)).toEqual(bill);
      expect(await rebooting.events(id)).toEqual(["booting", "active", "booting", "active"]);
      await rebooting.terminate(id);
    });

    it("comes once where it is asked for twice, and may be asked for again when it is done", async () => {
      const id = await rebooting.active();
      expect((await restart(id, id)).data[list]).toHaveLength(1);
      expect((await restart(id)).status).toBe(200);
      await rebooting.becomes(id, "active");
      await restart(id);
      await rebooting.becomes(id, "active");
      await rebooting.server.reconciler.idle();
      expect((await rebooting.events(id)).filter((type) => type === "active").length).toBeLessThanOrEqual(3);
      await rebooting.terminate(id);
    });

    it("takes stopped ones in the same request, and nothing where one is unknown", async () => {
      const [running, stopped] = [await rebooting.active(), await rebooting.active()];
      const { marketplace } = rebooting.server;
      const body = { instance_uuids: [stopped] };
      await call("POST", `${marketplace}/instance-operations/stop`, { token: rebooting.token, body });
      await rebooting.becomes(stopped, "unhealthy");
      const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
      expect((await restart(running, stopped, unknown)).status).toBe(404);
      expect((await rebooting.read(running)).status).toBe("active");
      expect((await restart(running, stopped)).data[list]).toMatchObject([{ id: running }, { id: stopped }]);
      for (const id of [running, stopped]) await rebooting.becomes(id, "active");
      await rebooting.terminate(running, stopped);
    });

    it("leaves the other interfaces as they are: R still restarts what is stopped, and nothing else", async () => {
      const id = await rebooting.active();
      const { referenceUrl } = rebooting.server;
      const body = { instance_ids: [id] };
      const { status } = await call("POST", `${referenceUrl}/instance-operations/restart`, {
        token: rebooting.token,
        body,
      });
      expect(status).toBe(400);
      await rebooting.terminate(id);
    });
  });
});

describe("the list", () => {
  /** Halts in its own time, so that it is being terminated for as long as the test looks. */
  const terminating = async (at: Shop) => {
    const id = await at.active();
    await at.ask("POST", "/instance-operations/terminate", { instance_ids: [id] });
    return id;
  };

  it("leaves out what is being or was terminated, which a single read finds: clients act on what they are listed", async () => {
    const [live, ended] = [await shop.active(), await terminating(shop)];
    expect(await shop.list("")).toEqual([live]);
    await shop.becomes(ended, "terminated");
    expect(await shop.list("")).toEqual([live]);
    const { marketplace } = shop.server;
    const inM = await call("GET", `${marketplace}/instances`, { token: shop.token });
    expect((inM.body as { data: Json[] }).data.map(({ id }) => id)).toContain(ended);
    await shop.terminate(live);
  });

  it("keeps it for as long as the operator says, from the request to terminate on", async () => {
    const keeping = await Shop.open({ terminatedVisibleSeconds: 90 });
    onTestFinished(() => keeping.server.close());
    const [live, ended] = [await keeping.active(), await terminating(keeping)];
    expect(await keeping.list("")).toEqual([live, ended]);
    await keeping.becomes(ended, "terminated");
    expect(await keeping.list("?status=terminated")).toEqual([ended]);
    await sql`update instances set terminating_at = now() - interval '91 seconds' where id = ${ended}`.execute(
      keeping.server.db,
    );
    expect(await keeping.list("?status=terminated&region=us-east-1")).toEqual([]);
    expect((await keeping.read(ended)).status).toBe("terminated");
  });
});

describe("a spend limit that is reached", () => {
  it("is a quota that is exceeded: the code after which clients of the family stop to ask", async () => {
    const { control, operatorToken: token, lambda } = shop.server;
    const made = await call("POST", `${control}/accounts`, { token, body: { name: "poor", spend_limit_cents: 0 } });
    expect(made.status, made.text).toBeLessThan(300);
    const poor = await shop.server.customerToken("poor");
    const body = { ...order, ssh_key_names: [] };
    const refused = await call("POST", `${lambda}/instance-operations/launch`, { token: poor, body });
    expect([refused.status, (refused.body as { error: Json }).error.code]).toEqual([400, "global/quota-exceeded"]);
    const inR = `${shop.server.referenceUrl}/instance-operations/launch`;
    const other = await call("POST", inR, { token: poor, body });
    expect((other.body as { error: Json }).error.code).toBe("global/spend-limit-exceeded");
  });
});
