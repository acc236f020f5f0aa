// Firewall rules through the control interface: the same rules as the lambda edition's. What rules do is tested where they
// are kept (test/reconciler/firewall.test.ts).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  await world.host({ name: "host-a", region: "north", gpus: 0, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu" });
  await world.product({ name: "cpu", gpus: 0 });
});
afterAll(() => control.close());

const ask = (method: string, path: string, body?: object, token = mine.token) =>
  control.ask(method, path, { token, body });
const data = (method: string, path: string, body?: object, token = mine.token) =>
  control.data(method, path, { token, body });

const ssh = { protocol: "tcp", port_range: [22, 22], source_network: "192.0.2.0/24", description: "SSH" };
const ping = { protocol: "icmp", source_network: "2001:db8::/32", description: "" };
const everything = {
  protocol: "all",
  port_range: [1, 65_535],
  source_network: "0.0.0.0/0",
  description: "Default: everything",
};

describe("the rules of an account", () => {
  it("let everything in until others are given, and are those of the lambda edition", async () => {
    const { token } = await control.customer();
    expect(await data("GET", "/firewall-rules", undefined, token)).toEqual([everything]);
    expect(await data("PUT", "/firewall-rules", { rules: [ssh, ping] }, token)).toEqual([ssh, ping]);
    expect(await data("GET", "/firewall-rules", undefined, token)).toEqual([ssh, ping]);
    const { body } = await control.call("GET", `${control.lambda}/firewall-rules`, { token });
    expect(body).toEqual({ data: [ssh, ping] });
    expect(await data("PUT", "/firewall-rules", { rules: [] }, token)).toEqual([]);
  });

  it("hold for the account's own instances, which say so until their machines know them", async () => {
    const [one] = (await data("POST", "/instances", { instance_type: "cpu" })) as unknown[];
    expect(one).toMatchObject({ firewall_pending: false });
    await data("PUT", "/firewall-rules", { rules: [ssh] });
    expect(await data("GET", `/instances/${idOf(one)}`)).toMatchObject({ firewall_pending: true });
  });

  it.each([
    [{ ...ssh, port_range: [23, 22] }, "rules.0.port_range"],
    [{ ...ssh, port_range: undefined }, "rules.0.port_range"],
    [{ ...ping, port_range: [1, 2] }, "rules.0.port_range"],
    [{ ...ssh, source_network: "anywhere" }, "rules.0.source_network"],
    [{ ...ssh, protocol: "sctp" }, "rules.0.protocol"],
    [{ ...ssh, description: "x".repeat(129) }, "rules.0.description"],
  ])("are refused with %j, naming %s", async (rule, field) => {
    const before = await data("GET", "/firewall-rules");
    const answer = await ask("PUT", "/firewall-rules", { rules: [rule] });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect(await data("GET", "/firewall-rules")).toEqual(before);
  });

  it("are refused where a host of the account cannot filter", async () => {
    await data("POST", "/instances", { instance_type: "cpu" });
    const { world } = control;
    const filters = world.service.enginesWithoutFirewall;
    Object.assign(world.service, { enginesWithoutFirewall: () => new Set(["simulated"]) });
    const answer = await ask("PUT", "/firewall-rules", { rules: [] });
    Object.assign(world.service, { enginesWithoutFirewall: filters });
    expect([answer.status, codeOf(answer)]).toEqual([409, "global/conflict"]);
  });
});

describe("a set of rules", () => {
  const order = { name: "web", region: "north", rules: [ssh] };

  it("is created, read, changed and deleted by its account, and has its live instances", async () => {
    const made = await data("POST", "/firewall-rulesets", order);
    const id = idOf(made);
    expect(made).toMatchObject({ name: "web", region: { name: "north" }, rules: [ssh], instance_ids: [] });
    const launch = { instance_type: "cpu", firewall_ruleset_ids: [id] };
    const [instance] = (await data("POST", "/instances", launch)) as unknown[];
    const changed = await data("PATCH", `/firewall-rulesets/${id}`, { name: "api", rules: [ping] });
    expect(changed).toMatchObject({ id, name: "api", rules: [ping], instance_ids: [idOf(instance)] });
    expect(await data("GET", `/firewall-rulesets/${id}`)).toEqual(changed);
    expect(await data("GET", "/firewall-rulesets")).toEqual([changed]);
    const inUse = await ask("DELETE", `/firewall-rulesets/${id}`);
    expect([inUse.status, inUse.text]).toEqual([409, expect.stringContaining("in-use")]);
    await data("POST", `/instances/${idOf(instance)}/terminate`);
    expect(await data("DELETE", `/firewall-rulesets/${id}`)).toEqual({});
    expect((await ask("GET", `/firewall-rulesets/${id}`)).status).toBe(404);
  });

  it("comes in pages, oldest first", async () => {
    const { token } = await control.customer();
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      ids.push(idOf(await data("POST", "/firewall-rulesets", { ...order, name }, token)));
    }
    const first = await ask("GET", "/firewall-rulesets?limit=2", undefined, token);
    expect((first.body as { data: unknown[] }).data.map(idOf)).toEqual(ids.slice(0, 2));
    expect(first.headers.get("link")).toContain('rel="next"');
  });

  it("of another account is not found", async () => {
    const id = idOf(await data("POST", "/firewall-rulesets", order));
    const { token } = await control.customer();
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "mine" } : undefined;
      expect((await ask(method, `/firewall-rulesets/${id}`, body, token)).status).toBe(404);
    }
  });
});
