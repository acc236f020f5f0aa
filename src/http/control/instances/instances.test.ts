import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { closeSpans, openSpans } from "../../../rental/billing/spans.ts";
import type { Instance } from "../../../rental/instances/instance.ts";
import { states } from "../../../rules/lifecycle.ts";

const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
let yours: Awaited<ReturnType<Control["customer"]>>;
let instance: Instance;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  yours = await control.customer();
  await world.host({ name: "host-a", region: "north", gpus: 8, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.host({ name: "host-b", region: "south", gpus: 0, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu", number: 7 });
  await world.product({ name: "gpu_2x", gpus: 2, priceCentsPerHour: 360 });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
  await world.coupon({ code: "TENTH", discountBasisPoints: 1000 });
  await world.sshKey(mine.principal, "laptop");
  instance = await world.launchOne(mine.principal, {
    instanceType: "gpu_2x",
    name: "training",
    sshKeyNames: ["laptop"],
    coupon: "TENTH",
    envVars: { SECRET: "squirrel" },
  });
  await world.launchOne(yours.principal, { instanceType: "cpu", region: "south" });
  await world.launch(mine.principal, { instanceType: "cpu", region: "south", quantity: 2 });
});
afterAll(() => control.close());

/** The instance as its account sees it while it boots. */
const ofAccount = () => ({
  id: instance.id,
  account_id: mine.principal.accountId,
  name: "training",
  hostname: instance.hostname,
  status: "booting",
  health: "ok",
  progress: expect.any(String),
  failure: null,
  ip: null,
  region: { name: "north", description: "The region north" },
  instance_type: {
    name: "gpu_2x",
    description: "A machine for tests",
    gpu_model: "H100",
    gpu_description: "H100 (80 GB)",
    gpus: 2,
    vcpus: 8,
    memory_gib: 64,
    storage_gb: 500,
    price_cents_per_hour: 360,
    spot_price_cents_per_hour: null,
    architecture: "x86_64",
  },
  coupon: { code: "TENTH", discount_percent: 10 },
  image: { name: "ubuntu", number: 7, description: "An image for tests" },
  login_user: "ubuntu",
  login: "ssh_key",
  simulated: true,
  ssh_key_names: ["laptop"],
  file_system_names: [],
  file_system_mounts: [],
  tags: [],
  firewall_ruleset_ids: [],
  has_env_vars: true,
  metrics: false,
  has_user_data: false,
  firewall_pending: false,
  token_id: mine.tokenId,
  max_lifetime_seconds: null,
  idle_rule: null,
  reservation_id: null,
  expires_at: null,
  spot: false,
  evict_at: null,
  ended_by: null,
  cost_micro_cents: "0",
  cost_cents: "0.000000",
  downtime_seconds: 0,
  credit_micro_cents: "0",
  availability_percent: null,
  maintenance: null,
  created_at: instance.createdAt.toISOString(),
  active_at: null,
  terminating_at: null,
  terminated_at: null,
});

const ofOperators = () => ({
  engine: "simulated",
  host: "host-a",
  gpu_addresses: [...instance.gpuAddresses],
  generation: 1,
  fulfilled_generation: 0,
  attempts: 0,
  next_look_at: expect.any(String),
  trouble: null,
  move: null,
});

describe("an account that reads its instance", () => {
  it("sees all of it but where it is", async () => {
    for (const id of [instance.id, instance.id.replaceAll("-", ""), instance.id.toUpperCase()]) {
      expect(await control.data("GET", `/instances/${id}`, { token: mine.token })).toEqual({
        ...ofAccount(),
        password: null,
        command: null,
      });
    }
  });

  it("never sees an env value, in any list either", async () => {
    for (const path of ["/instances", `/instances/${instance.id}`]) {
      expect((await control.ask("GET", path)).text).not.toContain("squirrel");
    }
  });

  it("does not find another account's, nor what does not exist", async () => {
    for (const [id, token] of [
      [instance.id, yours.token],
      [unknown, mine.token],
      ["nonsense", mine.token],
    ] as const) {
      const result = await control.ask("GET", `/instances/${id}`, { token });
      expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
    }
  });

  it("sees why it failed", async () => {
    const failed = await control.world.launchOne(mine.principal, { instanceType: "cpu", region: "south" });
    await control.world.put(failed.id, "terminated");
    await control.world.db
      .updateTable("instances")
      .set({ failure_code: "boot-deadline", failure_message: "It did not boot in 600 seconds.", health: "unreachable" })
      .where("id", "=", failed.id)
      .execute();
    expect(await control.data("GET", `/instances/${failed.id}`, { token: mine.token })).toMatchObject({
      status: "terminated",
      health: "unreachable",
      failure: { code: "boot-deadline", message: "It did not boot in 600 seconds." },
      terminated_at: expect.any(String),
    });
  });
});

describe("an operator", () => {
  it("reads any account's instance, with where it is and how the work on it stands", async () => {
    expect(await control.data("GET", `/instances/${instance.id}`)).toEqual({ ...ofAccount(), ...ofOperators() });
  });

  it("needs no other scope than that for it", async () => {
    const { token } = await control.customer(["operator"]);
    expect(await control.data("GET", `/instances/${instance.id}`, { token })).toMatchObject(ofOperators());
    expect(await control.data("GET", "/instances", { token })).toHaveLength(5);
  });

  it("does not find what does not exist", async () => {
    expect((await control.ask("GET", `/instances/${unknown}`)).status).toBe(404);
    expect((await control.ask("GET", "/instances/nonsense")).status).toBe(404);
  });

  it("lists those of all accounts, oldest first, page by page", async () => {
    const all = (await control.data("GET", "/instances")) as { created_at: string }[];
    expect(all).toHaveLength(5);
    expect(all[0]).toEqual({ ...ofAccount(), ...ofOperators() });
    const launched = all.map((one) => one.created_at);
    expect(launched).toEqual(launched.toSorted());
    const pages = await control.pages("/instances", 2);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(all);
  });

  it("lists the newest first on request, page by page", async () => {
    const all = (await control.data("GET", "/instances")) as object[];
    expect(await control.data("GET", "/instances?order=newest-first")).toEqual(all.toReversed());
    expect(await control.data("GET", "/instances?order=oldest-first")).toEqual(all);
    const pages = await control.pages("/instances?order=newest-first", 2);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(all.toReversed());
    const typo = await control.ask("GET", "/instances?order=newest");
    expect([typo.status, codeOf(typo)]).toEqual([400, "global/invalid-parameters"]);
  });

  it("filters by account, state and region, together and page by page", async () => {
    const ids = async (query: string) => ((await control.data("GET", `/instances?${query}`)) as unknown[]).length;
    expect(await ids(`account_id=${yours.principal.accountId}`)).toBe(1);
    expect(await ids(`account_id=${mine.principal.accountId.replaceAll("-", "")}&region=south`)).toBe(3);
    expect(await ids(`account_id=${mine.principal.accountId}&region=south&status=booting`)).toBe(2);
    expect(await ids("status=terminated")).toBe(1);
    expect(await ids(`account_id=${unknown}`)).toBe(0);
    const typo = await control.ask("GET", "/instances?account_id=nonsense");
    expect([typo.status, codeOf(typo)]).toEqual([400, "global/invalid-parameters"]);
    for (const state of states) expect(await ids(`status=${state}`)).toBeGreaterThanOrEqual(0);
    const paged = await control.pages(`/instances?account_id=${mine.principal.accountId}&region=south`, 1);
    expect(paged).toHaveLength(3);
  });

  it.each([
    ["status=rented", "status"],
    ["status=", "status"],
    ["limit=-1", "limit"],
    [`cursor=${Buffer.from("x").toString("base64url")}`, "cursor"],
  ])("is refused ?%s", async (query, field) => {
    const result = await control.ask("GET", `/instances?${query}`);
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it("alone may list those of others", async () => {
    const result = await control.ask("GET", `/instances?account_id=${yours.principal.accountId}`, {
      token: mine.token,
    });
    expect([result.status, codeOf(result)]).toEqual([403, "global/forbidden"]);
    const { data } = (await control.ask("GET", "/instances", { token: mine.token })).body as { data: object[] };
    expect(data.length).toBeGreaterThan(0);
    for (const one of data) {
      expect(one).toMatchObject({ account_id: mine.principal.accountId });
      expect(one).not.toHaveProperty("host");
    }
  });
});

describe("what an instance has cost", () => {
  it("is exact, to the micro-cent, and stops when it is terminated", async () => {
    const { world } = control;
    const billed = await world.launchOne(mine.principal, { instanceType: "gpu_2x", coupon: "TENTH" });
    await world.tx((tx) => openSpans(tx, [billed.id]));
    await travel(world.db, "1 hour 1 second");
    await world.tx((tx) => closeSpans(tx, [billed.id]));
    // 360 cents an hour less ten per cent, for 3601 seconds, and however long this test takes before it closes: none.
    const { rows } = { rows: (await control.data("GET", `/usage`)) as { instance_id: string; seconds: number }[] };
    const seconds = rows.find((line) => line.instance_id === billed.id)?.seconds ?? 0;
    const microCents = (BigInt(seconds) * 360n * 9000n * 1_000_000n) / (3600n * 10_000n);
    expect(seconds).toBeGreaterThanOrEqual(3601);
    expect(await control.data("GET", `/instances/${billed.id}`, { token: mine.token })).toMatchObject({
      cost_micro_cents: String(microCents),
      cost_cents: `${microCents / 1_000_000n}.${String(microCents % 1_000_000n).padStart(6, "0")}`,
    });
  });
});
