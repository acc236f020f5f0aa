// What agents are told of spot instances, and how they launch them.

import { afterEach, beforeAll, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { Agent } from "./agent.ts";

const whenOver = afterFile();
let server: RunningServer;
const agents: Agent[] = [];

beforeAll(async () => {
  server = await startServer();
  whenOver(() => server.close());
  await put("/regions/north", { description: "The north" });
  await put("/images/ubuntu", { number: 1, default: true });
  const size = { vcpus: 8, memory_gib: 64, storage_gb: 500, gpu_model: "A10", gpus: 1, description: "1x A10 (24 GB)" };
  await put("/instance-types/full", { ...size, price_cents_per_hour: 60 });
  await put("/instance-types/idle", { ...size, price_cents_per_hour: 61, spot_price_cents_per_hour: 20 });
  const host = { engine: "simulated", region: "north", vcpus: 8, memory_gib: 64, storage_gb: 500 };
  await put("/hosts/host-1", { ...host, gpus: [{ address: "0000:01:00.0", model: "A10", memory_gib: 24 }] });
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

const put = async (path: string, body: object) => {
  const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  expect(status, text).toBe(200);
};

async function agentOf(account: string): Promise<Agent> {
  const agent = await Agent.overHttp(server.url, await server.customerToken(account));
  agents.push(agent);
  return agent;
}

const spot = { instance_type: "idle", spot: true, max_price_cents_per_hour: 20 };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

it("are told the spot price of types that have one", async () => {
  const { text, data } = await (await agentOf("ann")).call("list_products");
  expect(text.split("\n")).toEqual([
    "full: 1x A10 (24 GB), 8 vCPUs, 64 GiB, 500 GB, $0.60/hour: north",
    "idle: 1x A10 (24 GB), 8 vCPUs, 64 GiB, 500 GB, $0.61/hour, $0.20/hour as spot: north",
  ]);
  expect(data.spot_prices_cents_per_hour).toEqual({ full: null, idle: 20 });
});

it("launch nothing as spot without a spot price, above their maximum, or with another word", async () => {
  const agent = await agentOf("ann");
  for (const [input, told] of [
    [{ ...spot, instance_type: "full" }, "full has no spot price"],
    [{ ...spot, max_price_cents_per_hour: 19 }, "20 cents per hour, which is more than 19"],
    [{ ...spot, spot: false }, "61 cents per hour, which is more than 20"],
    [{ ...spot, spot: "yes" }, "Nothing was done."],
  ] as const) {
    const { failed, text } = await agent.call("launch_instance", input);
    expect([failed, text], told).toEqual([true, expect.stringContaining(told)]);
  }
  expect((await agent.call("list_instances")).text).toBe("No instances.");
});

it("launch at the spot price, and read when it is evicted for a launch that waits", async () => {
  const [ann, bob] = [await agentOf("ann"), await agentOf("bob")];
  const { data } = await bob.call("launch_instance", spot);
  const [one] = data.instances as readonly { readonly id: string }[];
  await bob.need("wait_for_instance", { instance_id: one?.id });
  expect((await bob.call("list_instances")).text).toMatch(/; idle \(spot\) in north; \$0\.20\/hour, /);
  expect((await bob.call("list_instances")).text).not.toContain("evicted");

  // Behind all that are not spot.
  const behind = await bob.call("launch_instance", { ...spot, wait_until: inAnHour() });
  expect(behind.text).toMatch(/^waiting: 1 instance of idle \(spot\), position 1\./);
  const full = { instance_type: "full", max_price_cents_per_hour: 60, wait_until: inAnHour() };
  expect((await ann.call("launch_instance", full)).text).toMatch(/^waiting: 1 instance of full, position 1\./);
  expect((await bob.call("list_waiting_launches")).text).toMatch(/^waiting: 1 instance of idle \(spot\), position 2\./);

  const line = async () => (await bob.call("show_instance", { instance_id: one?.id })).text;
  await expect.poll(line, { timeout: 20_000 }).toMatch(/; evicted at \d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect((await ann.call("list_waiting_launches")).text).toContain("1 spot instance is being evicted for it, by ");
});
