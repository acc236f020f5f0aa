// The tools as an agent uses them, through the SDK's own client, on the whole service.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";
import { Agent } from "./agent.ts";

let server: RunningServer;
const agents: Agent[] = [];

beforeAll(async () => {
  server = await startServer();
  await put("/regions/north", { description: "The north" });
  await put("/regions/south", { description: "The south" });
  await put("/images/ubuntu", { number: 1, default: true });
  const size = { vcpus: 8, memory_gib: 64, storage_gb: 500 };
  const gpus = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ address: `0000:0${at + 1}:00.0`, model: "A10", memory_gib: 24 }));
  await put("/instance-types/gpu_1x_a10", {
    ...size,
    description: "1x A10 (24 GB)",
    gpu_model: "A10",
    gpus: 1,
    price_cents_per_hour: 60,
  });
  await put("/instance-types/gpu_8x_a10", { ...size, gpu_model: "A10", gpus: 8, price_cents_per_hour: 480 });
  await put("/instance-types/cpu", { vcpus: 1, memory_gib: 1, storage_gb: 1, gpus: 0, price_cents_per_hour: 6 });
  const host = { engine: "simulated", region: "north", vcpus: 400, memory_gib: 4000, storage_gb: 40_000 };
  await put("/hosts/host-1", { ...host, gpus: gpus(4) });
});
afterAll(() => server?.close());
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

const put = async (path: string, body: object) => {
  const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  expect(status, text).toBe(200);
};

let count = 0;
/** An agent of a new account, with a token like a customer's. */
async function agentOf(scopes: readonly ("read" | "write")[] = ["read", "write"]) {
  count += 1;
  const token = await server.customerToken(`account-${count}`, scopes);
  const agent = await Agent.overHttp(server.url, token);
  agents.push(agent);
  return { agent, token };
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly max_lifetime_seconds: number | null;
}
const instancesIn = (data: Readonly<Record<string, unknown>>) => data.instances as Shown[]; // as the tools say
const cheap = { instance_type: "cpu", max_price_cents_per_hour: 6 };

async function launched(agent: Agent, more: object = {}): Promise<Shown> {
  const [one] = instancesIn(await agent.need("launch_instance", { ...cheap, ...more }));
  if (one === undefined) throw new Error("nothing was launched");
  return one;
}

/** What the account has, whatever its agent says. */
async function countOf(token: string): Promise<number> {
  const { body } = await call("GET", `${server.direct}/instance`, { token });
  return (body as { runningInstances: unknown[] }).runningInstances.length;
}

describe("the tools", () => {
  it("are described, and say which of them only read and which destroy", async () => {
    const { agent } = await agentOf();
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_products",
      "launch_instance",
      "wait_for_instance",
      "list_waiting_launches",
      "cancel_waiting_launch",
      "list_reservations",
      "quote_reservation",
      "reserve_capacity",
      "cancel_reservation",
      "list_capacity_notices",
      "add_capacity_notice",
      "delete_capacity_notice",
      "list_instances",
      "show_instance",
      "show_metrics",
      "stop_instances",
      "restart_instances",
      "terminate_instances",
      "list_ssh_keys",
      "add_ssh_key",
      "delete_ssh_key",
      "show_account",
      "show_usage",
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/\.$/);
      expect(inputSchema.type).toBe("object");
    }
    const destroying = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    expect(destroying.map(({ name }) => name)).toEqual([
      "cancel_waiting_launch",
      "cancel_reservation",
      "delete_capacity_notice",
      "terminate_instances",
      "delete_ssh_key",
    ]);
    expect(agent.client.getInstructions()).toContain("terminated");
    expect(agent.client.getServerVersion()?.name).toBe("lessor");
  });

  it("refuse what their schema does not allow, and do nothing", async () => {
    const { agent, token } = await agentOf();
    for (const input of [
      {},
      { instance_type: "cpu" },
      { ...cheap, quantity: 0 },
      { ...cheap, quantity: "1" },
      { ...cheap, max_price_cents_per_hour: 1.5 },
      { ...cheap, ssh_keys: ["laptop"] },
      { ...cheap, max_lifetime: 60 },
    ]) {
      const { failed, text } = await agent.call("launch_instance", input);
      expect(failed, JSON.stringify(input)).toBe(true);
      expect(text).toMatch(/^Nothing was done\. /);
    }
    const wrong = await agent.call("cancel_waiting_launch", { id: "7" });
    expect(wrong.text).toBe(
      "Nothing was done. arguments: must have required properties launch_id; " +
        "id: this tool has no such argument; it takes launch_id.",
    );
    expect((await agent.call("list_reservations", { all: true })).text).toBe(
      "Nothing was done. all: this tool has no such argument; it takes none.",
    );
    expect(await countOf(token)).toBe(0);
    await expect(agent.call("rent_everything")).rejects.toThrow("There is no tool named rent_everything");
  });
});

describe("products", () => {
  it("are listed cheapest first, with the price and where there is capacity", async () => {
    const { agent } = await agentOf();
    const { text } = await agent.call("list_products");
    const lines = text.split("\n");
    expect(lines.map((line) => line.split(":")[0])).toEqual(["cpu", "gpu_1x_a10", "gpu_8x_a10"]);
    expect(lines[1]).toBe("gpu_1x_a10: 1x A10 (24 GB), 8 vCPUs, 64 GiB, 500 GB, $0.60/hour: north");
    expect(lines[2]).toContain("no capacity now");
    const available = await agent.call("list_products", { available_only: true });
    expect(available.text).not.toContain("gpu_8x_a10");
  });
});

describe("an agent", () => {
  it("rents a machine: launch, wait, look, stop, restart, terminate", async () => {
    const { agent, token } = await agentOf();
    await agent.need("add_ssh_key", { name: "laptop", public_key: examplePublicKey });
    const order = { name: "training", ssh_key_names: ["laptop"], max_lifetime_seconds: 3600 };
    const one = await launched(agent, { ...order, instance_type: "gpu_1x_a10", max_price_cents_per_hour: 60 });
    expect(one).toMatchObject({ name: "training", max_lifetime_seconds: 3600, ssh_key_names: ["laptop"] });
    const up = await agent.call("wait_for_instance", { instance_id: one.id });
    expect(up.data).toMatchObject({ reached: true, instance: { id: one.id, status: "active" } });
    expect(up.text).toMatch(/training \[.*\]; active; gpu_1x_a10 in north; \$0\.60\/hour, \$0\.00 so far; ssh ubuntu@/);
    expect((await agent.call("list_instances")).text).toBe(
      (await agent.call("show_instance", { instance_id: one.id })).text,
    );

    await agent.need("stop_instances", { instance_ids: [one.id] });
    await agent.need("wait_for_instance", { instance_id: one.id, until: "stopped" });
    await agent.need("restart_instances", { instance_ids: [one.id] });
    await agent.need("wait_for_instance", { instance_id: one.id });

    const asked = await agent.need("terminate_instances", { instance_ids: [one.id] });
    await agent.need("terminate_instances", { instance_ids: [one.id], confirmation: asked.confirmation });
    const gone = await agent.need("wait_for_instance", { instance_id: one.id, until: "terminated" });
    expect(gone.reached).toBe(true);
    expect((await agent.call("list_instances")).text).toBe("No instances.");
    expect(instancesIn(await agent.need("list_instances", { include_terminated: true }))).toHaveLength(1);
    expect((await agent.call("show_usage")).text).toMatch(/^training, gpu_1x_a10: \d+ s, \$0\.0\d\nTotal \$0\.0\d\.$/);
    expect(await countOf(token)).toBe(0);
  });

  it("launches what does not fit now when it does, or cancels that", async () => {
    const { agent } = await agentOf();
    const order = { instance_type: "gpu_8x_a10", quantity: 2, max_price_cents_per_hour: 10_000 };
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { data, text } = await agent.call("launch_instance", { ...order, wait_until: until });
    const { launch } = data as { launch: Readonly<Record<string, unknown>> };
    expect(launch).toMatchObject({ state: "waiting", max_price_cents_per_hour: 10_000 });
    expect(text).toMatch(/^waiting: 2 instances of gpu_8x_a10.*\[.{36}\]$/);
    const listed = await agent.call("list_waiting_launches");
    expect(listed.text).toContain(`It waits until ${launch.until}; when it is placed is not known. [${launch.id}]`);
    expect(listed.data.launches).toMatchObject([{ id: launch.id, explanation: [launch.blocked_message] }]);
    await agent.need("cancel_waiting_launch", { launch_id: launch.id });
    expect((await agent.call("list_waiting_launches")).text).toMatch(/^cancelled: 2 instances/);
  });

  it("reserves capacity at no higher cost than it says, launches with it, and cancels what has not begun", async () => {
    const { agent } = await agentOf();
    const from = new Date(Date.now() + 48 * 3_600_000).toISOString();
    const to = new Date(Date.now() + 50 * 3_600_000).toISOString();
    const order = { instance_type: "cpu", from, to };
    const quoted = await agent.call("quote_reservation", order);
    expect(quoted.text).toMatch(/^1 of cpu .+: \$0\.12 in total\. It fits in north\.$/);
    const dear = await agent.call("reserve_capacity", { ...order, max_cost_cents: 11 });
    expect([dear.failed, dear.text]).toEqual([true, expect.stringContaining("more than")]);
    expect((await agent.call("list_reservations")).text).toBe("No reservations.");
    const made = await agent.call("reserve_capacity", { ...order, max_cost_cents: 12, idempotency_key: "one" });
    const again = await agent.call("reserve_capacity", { ...order, max_cost_cents: 12, idempotency_key: "one" });
    expect([made.text, again.text]).toEqual([
      expect.stringMatching(/^scheduled: 1 of cpu in north, 0 used/),
      made.text,
    ]);
    const { id } = made.data.reservation as { id: string };
    expect((await agent.call("cancel_reservation", { reservation_id: id })).text).toMatch(/^cancelled: /);
    const now = await agent.call("reserve_capacity", { instance_type: "cpu", to, max_cost_cents: 1000 });
    const { id: active } = now.data.reservation as { id: string };
    expect((await agent.call("cancel_reservation", { reservation_id: active })).failed).toBe(true);
    const launched = await agent.call("launch_instance", { ...cheap, reservation_id: active });
    expect([launched.failed, launched.text]).toEqual([false, expect.stringContaining("$0.00/hour")]);
    expect((await agent.call("list_reservations")).text).toContain("1 used");
  });

  it("lets its account be notified of capacity, and ends that", async () => {
    const { agent } = await agentOf();
    const { data, text } = await agent.call("add_capacity_notice", { instance_type: "gpu_8x_a10" });
    expect(text).toMatch(/^gpu_8x_a10 in every region: no capacity now \[.{36}\]$/);
    expect((await agent.call("list_capacity_notices")).text).toBe(text);
    expect((await agent.call("add_capacity_notice", { region: "north" })).text).toMatch(
      /^every instance type in north: capacity now: cpu in north, gpu_1x_a10 in north \[/,
    );
    const { id } = data.capacity_notice as { id: string };
    await agent.need("delete_capacity_notice", { capacity_notice_id: id });
    expect((await agent.call("list_capacity_notices")).text).not.toContain("gpu_8x_a10");
    expect((await agent.call("add_capacity_notice", { instance_type: "gpu_9x" })).failed).toBe(true);
  });

  it("is told how far it is while it waits, and comes back when its time is over", async () => {
    const { agent } = await agentOf();
    const { id } = await launched(agent);
    await agent.need("wait_for_instance", { instance_id: id });
    const told: string[] = [];
    const input = { instance_id: id, until: "stopped", timeout_seconds: 1 };
    const { data, text } = await agent.call("wait_for_instance", input, ({ message = "" }) => void told.push(message));
    expect(data.reached).toBe(false);
    expect(text).toMatch(/^It is not stopped\. /);
    expect(told).toEqual([expect.stringContaining("active")]);
  });

  it("does not wait for what cannot come any more", async () => {
    const { agent } = await agentOf();
    const { id } = await launched(agent);
    const { confirmation } = await agent.need("terminate_instances", { instance_ids: [id] });
    // It may have become active in between, which makes another confirmation.
    const again = await agent.need("terminate_instances", { instance_ids: [id], confirmation });
    if (again.terminated === false)
      await agent.need("terminate_instances", { instance_ids: [id], confirmation: again.confirmation });
    const { data } = await agent.call("wait_for_instance", { instance_id: id, until: "active", timeout_seconds: 600 });
    expect(data.reached).toBe(false);
  });

  it("stops nothing with a token that could not be shown what was done", async () => {
    const { agent, token } = await agentOf();
    const { id } = await launched(agent);
    await agent.need("wait_for_instance", { instance_id: id });
    const body = { name: "writer", scopes: ["write"] };
    const made = await call("POST", `${server.control}/tokens`, { token, body });
    const writer = await Agent.overHttp(server.url, (made.body as { data: { token: string } }).data.token);
    agents.push(writer);
    const refused = await writer.call("stop_instances", { instance_ids: [id] });
    expect(refused).toMatchObject({ failed: true, data: { error: { code: "global/forbidden" } } });
    expect((await agent.call("show_instance", { instance_id: id })).data).toMatchObject({
      instance: { status: "active" },
    });
  });

  it("sees and does what its token may, and nothing of others", async () => {
    const ada = await agentOf();
    const eve = await agentOf();
    const reader = await agentOf(["read"]);
    const { id } = await launched(ada.agent);
    await ada.agent.need("wait_for_instance", { instance_id: id });
    for (const [tool, input] of [
      ["show_instance", { instance_id: id }],
      ["wait_for_instance", { instance_id: id }],
      ["stop_instances", { instance_ids: [id] }],
      ["terminate_instances", { instance_ids: [id] }],
    ] as const) {
      const { failed, text } = await eve.agent.call(tool, input);
      expect([failed, text], tool).toEqual([true, expect.stringContaining(id)]);
    }
    expect((await eve.agent.call("list_instances")).text).toBe("No instances.");
    const refused = await reader.agent.call("launch_instance", cheap);
    expect(refused).toMatchObject({ failed: true, data: { error: { code: "global/forbidden" } } });
    expect((await reader.agent.call("list_products")).failed).toBe(false);
    expect((await ada.agent.call("show_instance", { instance_id: id })).data).toMatchObject({
      instance: { status: "active" },
    });
  });

  it("without a valid token is not let in", async () => {
    await expect(Agent.overHttp(server.url, "lessor_nobody")).rejects.toThrow();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await call("POST", `${server.url}/mcp`, { body, headers });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });
});

describe("a launch", () => {
  it("above the price that the agent counts on is refused", async () => {
    const { agent, token } = await agentOf();
    const order = { instance_type: "gpu_1x_a10", max_price_cents_per_hour: 59 };
    const { failed, text } = await agent.call("launch_instance", order);
    expect([failed, text]).toEqual([true, expect.stringContaining("60 cents per hour, which is more than 59")]);
    expect(await countOf(token)).toBe(0);
  });

  it("within the spend limit is done, and over it refused", async () => {
    const { agent, token } = await agentOf();
    const { body } = await call("GET", `${server.control}/account`, { token });
    const { id } = (body as { data: { id: string } }).data;
    const limit = (spend_limit_cents: number) =>
      call("PATCH", `${server.control}/accounts/${id}`, { token: server.operatorToken, body: { spend_limit_cents } });
    await limit(100);
    expect((await launched(agent)).id).toBeTruthy();
    expect((await agent.call("show_account")).text).toContain("of $1.00 spent this month");
    await limit(0);
    const { failed, text, data } = await agent.call("launch_instance", cheap);
    expect([failed, data.error]).toEqual([true, expect.objectContaining({ code: "global/spend-limit-exceeded" })]);
    expect(text).toContain("spend limit of 0 cents");
  });

  it("that is repeated with its key is the same one", async () => {
    const { agent, token } = await agentOf();
    const order = { ...cheap, quantity: 2, idempotency_key: "of-today" };
    const first = instancesIn(await agent.need("launch_instance", order));
    const again = instancesIn(await agent.need("launch_instance", order));
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(await countOf(token)).toBe(2);
    const other = await agent.call("launch_instance", { ...order, quantity: 1 });
    expect(other.data.error).toMatchObject({ code: "idempotency/key-reused" });
  });

  it("that finds no room says so, with what to do", async () => {
    const { agent } = await agentOf();
    const order = { instance_type: "gpu_8x_a10", max_price_cents_per_hour: 480 };
    const { failed, text } = await agent.call("launch_instance", order);
    expect([failed, text]).toEqual([true, expect.stringContaining("not enough capacity to launch 1 of gpu_8x_a10")]);
  });

  it("of a product that every object has by that name is refused in words", async () => {
    const { agent } = await agentOf();
    for (const instance_type of ["toString", "constructor", "__proto__"]) {
      const { failed, text } = await agent.call("launch_instance", { ...cheap, instance_type });
      expect([failed, text]).toEqual([true, expect.stringContaining(instance_type)]);
    }
  });

  it("of something unknown names the field", async () => {
    const { agent } = await agentOf();
    const { text } = await agent.call("launch_instance", { ...cheap, region: "nowhere" });
    expect(text).toContain("nowhere");
  });
});

describe("a termination", () => {
  it("does nothing before it is confirmed, and says what would be lost", async () => {
    const { agent, token } = await agentOf();
    const { id } = await launched(agent, { name: "precious" });
    await agent.need("wait_for_instance", { instance_id: id });
    const { text, data } = await agent.call("terminate_instances", { instance_ids: [id] });
    expect(data).toMatchObject({ terminated: false, confirmation: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(text).toContain("Nothing has been terminated yet.");
    expect(text).toContain("precious");
    expect(text).toContain(`confirmation "${data.confirmation}"`);
    expect(await countOf(token)).toBe(1);
  });

  it("is not done with the confirmation of others, of fewer, or of another state", async () => {
    const { agent, token } = await agentOf();
    const one = await launched(agent);
    const two = await launched(agent);
    for (const { id } of [one, two]) await agent.need("wait_for_instance", { instance_id: id });
    const ids = [one.id, two.id];
    const { confirmation } = await agent.need("terminate_instances", { instance_ids: [one.id] });
    for (const [instance_ids, given] of [
      [[two.id], confirmation],
      [ids, confirmation],
      [[one.id], "yes"],
      [[one.id], ""],
    ]) {
      const { text, data } = await agent.call("terminate_instances", { instance_ids, confirmation: given });
      expect([data.terminated, text]).toEqual([false, expect.stringContaining("does not match")]);
    }
    await agent.need("stop_instances", { instance_ids: [one.id] });
    await agent.need("wait_for_instance", { instance_id: one.id, until: "stopped" });
    const late = await agent.call("terminate_instances", { instance_ids: [one.id], confirmation });
    expect(late.data.terminated).toBe(false);
    expect(await countOf(token)).toBe(2);

    const both = await agent.need("terminate_instances", { instance_ids: ids });
    const done = await agent.need("terminate_instances", { instance_ids: ids, confirmation: both.confirmation });
    expect(instancesIn(done).map(({ id }) => id)).toEqual(ids);
    expect(await countOf(token)).toBe(0);
  });

  it("of one that is named in several spellings is of one", async () => {
    const { agent } = await agentOf();
    const { id } = await launched(agent);
    const spellings = [id, id.toUpperCase(), id.replaceAll("-", "")];
    const { text } = await agent.call("terminate_instances", { instance_ids: spellings });
    expect(text).toContain("terminates 1 instance ");
  });

  it("of something that is not there says so and ends nothing", async () => {
    const { agent, token } = await agentOf();
    const { id } = await launched(agent);
    const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
    const { failed, text } = await agent.call("terminate_instances", { instance_ids: [id, nobody] });
    expect([failed, text]).toEqual([true, expect.stringContaining(nobody)]);
    expect(await countOf(token)).toBe(1);
  });
});

describe("keys", () => {
  it("are added, listed and deleted; a private key is refused", async () => {
    const { agent } = await agentOf();
    expect((await agent.call("list_ssh_keys")).text).toBe("No SSH keys.");
    const { ssh_key: key } = await agent.need("add_ssh_key", { name: "laptop", public_key: examplePublicKey });
    const { id } = key as { id: string };
    expect((await agent.call("list_ssh_keys")).text).toBe(`laptop [${id}]`);
    const twice = await agent.call("add_ssh_key", { name: "laptop", public_key: examplePublicKey });
    expect(twice.data.error).toMatchObject({ code: "global/duplicate" });
    const secret = "-----BEGIN OPENSSH PRIVATE KEY-----";
    expect((await agent.call("add_ssh_key", { name: "mine", public_key: secret })).failed).toBe(true);
    await agent.need("delete_ssh_key", { ssh_key_id: id });
    expect((await agent.call("list_ssh_keys")).text).toBe("No SSH keys.");
  });
});
