// Launching through the control interface, and how long instances may live.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { untilOthersEnded } from "../../../../test/support/interleave.ts";
import { changeAccount } from "../../../rental/accounts/account-store.ts";
import { recordObservation } from "../../../rental/instances/record-observation.ts";

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  await world.host({ name: "host-a", region: "north", gpus: 8, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu" });
  await world.image({ name: "debian", isDefault: false });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
  await world.coupon({ code: "TENTH", discountBasisPoints: 1000 });
  await world.sshKey(mine.principal, "laptop");
  await world.fileSystem(mine.principal, { name: "data" });
});
afterAll(() => control.close());

const launch = (body: object, token = mine.token) => control.ask("POST", "/instances", { token, body });
async function launched(body: object = {}): Promise<Record<string, unknown>> {
  const data = await control.data("POST", "/instances", { token: mine.token, body: { instance_type: "cpu", ...body } });
  return (data as Record<string, unknown>[])[0] ?? {};
}
const change = (id: string, body: unknown, token = mine.token) =>
  control.ask("PATCH", `/instances/${id}`, { token, body });

describe("a launch", () => {
  it("needs an instance type only, and answers with the whole record", async () => {
    const one = await launched();
    expect(one).toMatchObject({
      account_id: mine.principal.accountId,
      token_id: mine.tokenId,
      status: "booting",
      max_lifetime_seconds: null,
      expires_at: null,
      ended_by: null,
      image: { name: "ubuntu" },
    });
    const read = await control.data("GET", `/instances/${idOf(one)}`, { token: mine.token });
    expect(read).toEqual({ ...one, password: null, command: null });
  });

  it("is refused when it costs more than was counted on, and takes nothing then", async () => {
    const before = await control.data("GET", "/account", { token: mine.token });
    const refused = await launch({ instance_type: "cpu", quantity: 2, max_price_cents_per_hour: 15 });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ["max_price_cents_per_hour"]]);
    expect(JSON.stringify(refused.body)).toContain(
      "cpu costs 16 cents per hour, which is more than 15: nothing was launched.",
    );
    expect(await control.data("GET", "/account", { token: mine.token })).toEqual(before);
    expect(await launched({ max_price_cents_per_hour: 16 })).toMatchObject({ status: "booting" });
  });

  it("takes everything there is to say", async () => {
    const one = await launched({
      region: "north",
      quantity: 1,
      name: "training",
      image: "debian",
      ssh_key_names: ["laptop"],
      file_system_names: ["data"],
      env_vars: { SECRET: "squirrel" },
      command: "true",
      coupon: "TENTH",
      password_without_keys: true,
      max_lifetime_seconds: 3600,
    });
    expect(one).toMatchObject({
      name: "training",
      image: { name: "debian" },
      ssh_key_names: ["laptop"],
      file_system_names: ["data"],
      coupon: { code: "TENTH", discount_percent: 10 },
      max_lifetime_seconds: 3600,
    });
    expect(JSON.stringify(one)).not.toContain("squirrel");
  });

  it("takes mount points and user data, and shows the first only", async () => {
    const { id } = await control.world.fileSystem(mine.principal, { name: "own-place" });
    const mounts = [{ mount_point: "/srv/models", file_system_id: id }];
    const one = await launched({ file_system_mounts: mounts, user_data: "#!/bin/sh\n# squirrel\n" });
    expect(one).toMatchObject({ file_system_names: ["own-place"], file_system_mounts: mounts });
    expect(JSON.stringify(one)).not.toContain("squirrel");
    const refused = await launch({ instance_type: "cpu", user_data: "x".repeat(1_048_577) });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ["user_data"]]);
  });

  it("gives a quantity of instances their name with a number each, up to 64 characters", async () => {
    const names = async (body: object) =>
      (
        (await control.data("POST", "/instances", { token: mine.token, body })) as { name: string; hostname: string }[]
      ).map(({ name }) => name);
    expect(await names({ instance_type: "cpu", quantity: 3, name: "l" })).toEqual(["l-1", "l-2", "l-3"]);
    expect(await names({ instance_type: "cpu", quantity: 1, name: "l" })).toEqual(["l"]);
    const ten = { instance_type: "cpu", quantity: 10 };
    expect((await names({ ...ten, name: "ä".repeat(61) })).at(-1)).toBe(`${"ä".repeat(61)}-10`);
    const tooLong = await launch({ ...ten, name: "ä".repeat(62) });
    expect([tooLong.status, fieldsOf(tooLong)]).toEqual([400, ["name"]]);
    expect(tooLong.text).toContain("Give a name of 1 to 61 characters (-1 to -10 is added");
  });

  it("leaves a shared name to the interfaces whose clients expect it", async () => {
    const body = { instance_type_name: "cpu", region_name: "any", quantity: 2, name: "group", ssh_key_names: [] };
    const url = `${control.marketplace}/instance-operations/launch`;
    expect((await control.call("POST", url, { token: mine.token, body })).status).toBe(200);
    const listed = (await control.data("GET", "/instances", { token: mine.token })) as { name: string }[];
    expect(listed.filter(({ name }) => name.startsWith("group")).map(({ name }) => name)).toEqual(["group", "group"]);
  });

  it("takes tags and sets of firewall rules, which the record then has", async () => {
    const rules = { name: "web", region: "north", rules: [] };
    const ruleset = idOf(await control.data("POST", "/firewall-rulesets", { token: mine.token, body: rules }));
    const tags = [{ key: "team", value: "vision" }];
    expect(await launched({ tags, firewall_ruleset_ids: [ruleset] })).toMatchObject({
      tags,
      firewall_ruleset_ids: [ruleset],
    });
    const refused = await launch({ instance_type: "cpu", tags: [{ key: "a=b", value: "" }] });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ["tags.0.key"]]);
    const unknown = await launch({ instance_type: "cpu", firewall_ruleset_ids: [mine.tokenId] });
    expect([unknown.status, fieldsOf(unknown)]).toEqual([400, ["firewall_ruleset_ids"]]);
  });

  it("makes all of a quantity, and shows operators where they are", async () => {
    const body = { instance_type: "cpu", quantity: 3 };
    const made = (await control.data("POST", "/instances", { body })) as object[];
    expect(made).toHaveLength(3);
    for (const one of made) {
      expect(one).toMatchObject({ host: "host-a", generation: 1 });
      expect(await control.data("GET", `/instances/${idOf(one)}`)).toEqual({ ...one, password: null, command: null });
    }
    const { body: own } = await launch({ ...body, quantity: 1 });
    expect(JSON.stringify(own)).not.toContain("host-a");
  });

  it("happens once for an Idempotency-Key", async () => {
    const options = { token: mine.token, body: { instance_type: "cpu" }, headers: { "idempotency-key": "once" } };
    const first = await control.data("POST", "/instances", options);
    expect(await control.data("POST", "/instances", options)).toEqual(first);
  });

  it.each([
    [{}, "instance_type"],
    [{ instance_type: "gone" }, "instance_type"],
    [{ instance_type: "cpu", region: "gone" }, "region"],
    [{ instance_type: "cpu", image: "gone" }, "image"],
    [{ instance_type: "cpu", quantity: 0 }, "quantity"],
    [{ instance_type: "cpu", quantity: 65 }, "quantity"],
    [{ instance_type: "cpu", ssh_key_names: ["gone"] }, "ssh_key_names"],
    [{ instance_type: "cpu", env_vars: { PATH: "x" } }, "env_vars.PATH"],
    [{ instance_type: "cpu", max_lifetime_seconds: 59 }, "max_lifetime_seconds"],
    [{ instance_type: "cpu", max_lifetime_seconds: 1.5 }, "max_lifetime_seconds"],
    [{ instance_type: "cpu", password_without_keys: "yes" }, "password_without_keys"],
  ])("is refused for %j, naming %s", async (body, field) => {
    const result = await launch(body);
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it("is refused beyond the account's lifetime, and over the token's spend limit", async () => {
    const { principal, token, tokenId } = await control.customer(["read", "write"]);
    await control.world.tx((tx) => changeAccount(tx, principal.accountId, { maxLifetimeSeconds: 7200 }));
    const tooLong = await launch({ instance_type: "cpu", max_lifetime_seconds: 7201 }, token);
    expect([tooLong.status, fieldsOf(tooLong)]).toEqual([400, ["max_lifetime_seconds"]]);
    const { body } = await launch({ instance_type: "cpu" }, token);
    expect(body).toMatchObject({ data: [{ max_lifetime_seconds: 7200 }] });
    await control.data("PATCH", `/tokens/${tokenId}`, { token, body: { spend_limit_cents: 0 } });
    const spent = await launch({ instance_type: "cpu" }, token);
    expect([spent.status, codeOf(spent)]).toEqual([402, "global/spend-limit-exceeded"]);
    expect(spent.text).toContain("This token has reached its spend limit of 0 cents");
  });

  it("is refused where it costs more until the next limit check than is left, and says how much", async () => {
    await control.world.product({ name: "dear", gpus: 0, priceCentsPerHour: 24_000 });
    const { token, tokenId } = await control.customer(["read", "write"]);
    await control.data("PATCH", `/tokens/${tokenId}`, { token, body: { spend_limit_cents: 1 } });
    const refused = await launch({ instance_type: "dear" }, token);
    expect([refused.status, codeOf(refused)]).toEqual([402, "global/spend-limit-exceeded"]);
    expect(refused.text).toContain("This launch costs up to 200 cents");
    expect(refused.text).toContain("(1 cents for this month), 1 cents are neither used nor reserved");
  });
});

describe("a change of the name and the tags", () => {
  const tags = [{ key: "team", value: "vision" }];

  it("changes what is given and leaves the rest, and is told in events", async () => {
    const one = await launched({ name: "before", max_lifetime_seconds: 3600 });
    const id = idOf(one);
    expect((await change(id, { name: "after" })).body).toMatchObject({
      data: { name: "after", hostname: one.hostname, tags: [], max_lifetime_seconds: 3600 },
    });
    expect((await change(id, { tags })).body).toMatchObject({ data: { name: "after", tags } });
    expect((await change(id, { max_lifetime_seconds: 7200 })).body).toMatchObject({
      data: { name: "after", tags, max_lifetime_seconds: 7200 },
    });
    expect((await change(id, {})).body).toMatchObject({ data: { name: "after", tags } });
    await untilOthersEnded(control.world.db); // A reader sees nothing newer than the oldest running transaction.
    const events = (await control.data("GET", "/events?limit=1000", { token: mine.token })) as {
      type: string;
      data: object;
    }[];
    const told = events.filter(({ data }) => "instance_id" in data && data.instance_id === id).map(({ type }) => type);
    expect(told).toEqual([
      "instance.booting",
      "instance.renamed",
      "instance.tags_changed",
      "instance.lifetime_changed",
    ]);
  });

  it("gives the default name back for an empty one, and takes tags away for an empty list", async () => {
    const id = idOf(await launched({ name: "named", tags }));
    expect((await change(id, { name: "", tags: [] })).body).toMatchObject({
      data: { name: `cpu-${id.slice(-8)}`, tags: [] },
    });
  });

  it.each([
    [{ name: "two\nlines" }, "name"],
    [{ name: 7 }, "name"],
    [{ tags: [{ key: "", value: "x" }] }, "tags.0.key"],
    [{ tags: null }, "tags"],
  ])("is refused for %j, naming %s", async (body, field) => {
    const result = await change(idOf(await launched()), body);
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it("changes nothing where the lifetime is refused", async () => {
    const id = idOf(await launched({ name: "whole" }));
    await control.world.change(mine.principal, "terminate", [id]);
    expect((await change(id, { name: "half", max_lifetime_seconds: 100 })).status).toBe(409);
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ name: "whole" });
  });
});

describe("a change of the lifetime", () => {
  it("is shown at once, with the new end where it is active", async () => {
    const id = idOf(await launched());
    expect((await change(id, { max_lifetime_seconds: 100 })).body).toMatchObject({
      data: { id, max_lifetime_seconds: 100, expires_at: null },
    });
    await control.world.tx((tx) => recordObservation(tx, { id, generation: 1 }, "ready", { ip: "203.0.113.7" }));
    const { body } = await change(id, { max_lifetime_seconds: 200 });
    const { active_at, expires_at } = (body as { data: { active_at: string; expires_at: string } }).data;
    expect(Date.parse(expires_at) - Date.parse(active_at)).toBe(200_000);
    expect((await change(id, { max_lifetime_seconds: null })).body).toMatchObject({ data: { expires_at: null } });
  });

  it.each([[{ max_lifetime_seconds: "1" }], [{ max_lifetime_seconds: 0 }]])("is refused for %j", async (body) => {
    const result = await change(idOf(await launched()), body);
    expect([result.status, fieldsOf(result)]).toEqual([400, ["max_lifetime_seconds"]]);
  });

  it("is of one's own live instances", async () => {
    const id = idOf(await launched());
    const stranger = await control.customer();
    expect((await change(id, { max_lifetime_seconds: 100 }, stranger.token)).status).toBe(404);
    await control.world.change(mine.principal, "terminate", [id]);
    const late = await change(id, { max_lifetime_seconds: 100 });
    expect([late.status, codeOf(late)]).toEqual([409, "global/conflict"]);
    expect(await control.data("GET", `/instances/${id}`, { token: mine.token })).toMatchObject({
      ended_by: "customer",
    });
  });
});

describe("spend limits of tokens", () => {
  it("are given at the making and changed later, by an operator and by the account", async () => {
    const { principal, token } = await control.customer();
    const path = `/accounts/${principal.accountId}/tokens`;
    const body = { name: "robot", scopes: ["write"], spend_limit_cents: 500 };
    const made = await control.data("POST", path, { body });
    expect(made).toMatchObject({ spend_limit_cents: 500 });
    const one = `${path}/${idOf(made)}`;
    expect(await control.data("PATCH", one, { body: { spend_limit_cents: null } })).toMatchObject({
      spend_limit_cents: null,
    });
    const own = { token, body: { spend_limit_cents: 700 } };
    await control.data("PATCH", `/tokens/${idOf(made)}`, own);
    expect(await control.data("GET", "/tokens", { token })).toContainEqual(
      expect.objectContaining({ id: idOf(made), spend_limit_cents: 700 }),
    );
  });

  it("are not raised by their own token, nor gone around with another", async () => {
    const { token, tokenId } = await control.customer();
    await control.data("PATCH", `/tokens/${tokenId}`, { token, body: { spend_limit_cents: 100 } });
    const raised = await control.ask("PATCH", `/tokens/${tokenId}`, { token, body: { spend_limit_cents: 101 } });
    expect([raised.status, codeOf(raised)]).toEqual([409, "global/conflict"]);
    const body = { name: "way around", scopes: ["write"], spend_limit_cents: 100 };
    expect((await control.ask("POST", "/tokens", { token, body })).status).toBe(409);
  });

  it("are not changed with scopes that the token lacks", async () => {
    const { principal, token } = await control.customer(["write"]);
    const strong = await control.data("POST", `/accounts/${principal.accountId}/tokens`, {
      body: { name: "strong", scopes: ["read", "write"] },
    });
    const refused = await control.ask("PATCH", `/tokens/${idOf(strong)}`, { token, body: { spend_limit_cents: 1 } });
    expect([refused.status, codeOf(refused)]).toEqual([403, "global/forbidden"]);
  });
});
