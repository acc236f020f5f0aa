// Over HTTP: a host is declared lost in two steps. What that does to instances and money: test/reconciler/lost-hosts.test.ts.

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { recordReached } from "../../../rental/hosts/lost-hosts.ts";

let control: Control;
let region: string;
let id: string;

/** Whose hosts answer or do not. */
const engine = {
  available: false,
  consoleLog: async () => "",
  openTerminal: () => Promise.reject(new Error("no test opens one")),
  hosts: async () => [{ name: region, available: engine.available }],
  identity: async () => "after",
};

beforeAll(async () => {
  control = await startControl({}, { engines: new Map([["simulated", engine]]) });
  await control.world.image();
});
beforeEach(async () => {
  engine.available = false;
  const { world, operator } = control;
  ({ name: region } = await world.region(world.fresh("region")));
  const body = { engine: "simulated", region, vcpus: 64, memory_gib: 512, storage_gb: 4000, gpus: [] };
  await control.data("PUT", `/hosts/${region}`, { body });
  const product = await world.product({ gpus: 0 });
  ({ id } = await world.launchOne(operator.principal, { instanceType: product.name, region }));
});
afterAll(() => control.close());

interface Loss {
  declared: boolean;
  confirmation: string;
  instances: object[];
  host: { state: string };
}

const reached = (isReached: boolean) =>
  recordReached(control.world.db, "simulated", isReached ? [] : [region], new Date());
const declare = async (body: object): Promise<Loss> =>
  (await control.data("POST", `/hosts/${region}/declare-lost`, { body })) as Loss; // documented so
const ask = (body: unknown, options = {}) => control.ask("POST", `/hosts/${region}/declare-lost`, { body, ...options });
const reason = "Burnt power supply";

describe("declaring a host lost", () => {
  it("lists what would end, then ends exactly that", async () => {
    await reached(false);
    const first = await declare({ reason });
    const ending = { id, name: expect.any(String), account: expect.any(String), status: "booting" };
    expect(first).toMatchObject({ declared: false, instances: [ending], file_systems: [] });
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ status: "booting" });
    const second = await declare({ reason, confirmation: first.confirmation });
    expect(second).toMatchObject({ declared: true, instances: [ending], host: { state: "lost", instances: 0 } });
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({
      status: "terminated",
      ended_by: "host-lost",
      failure: { code: "host-lost" },
    });
    expect(await control.data("GET", `/hosts/${region}`)).toMatchObject({
      state: "lost",
      state_reason: reason,
      mode_set_by: expect.any(String),
    });
    const { rows } = await sql<{ result: string; reason: string | null }>`
      select result, reason from audit_log where operation = 'declareHostLost' and ${region} = any(objects)`.execute(
      control.world.db,
    );
    expect(rows).toEqual([{ result: "done", reason }]);
  });

  it("is a conflict for a host that is reached, that is lost, and for another confirmation", async () => {
    const refused = await ask({ reason });
    expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
    expect(refused.text).toContain("is not lost: its engine simulated reached it");
    await reached(false);
    expect((await ask({ reason, confirmation: "0123456789abcdef" })).status).toBe(409);
    const { confirmation } = await declare({ reason });
    await declare({ reason, confirmation });
    const again = await ask({ reason, confirmation });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("declared lost already")]);
    await reached(true);
  });

  it("is a conflict for a host that answers now, whatever the last resync found", async () => {
    await reached(false);
    const { confirmation } = await declare({ reason });
    engine.available = true;
    const refused = await ask({ reason, confirmation });
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining("it answered its engine simulated at 20"),
    ]);
    // It was reinstalled, and is not what it was.
    await control.world.db.insertInto("settings").values({ name: "world:simulated", value: '"before"' }).execute();
    expect(await declare({ reason, confirmation })).toMatchObject({ declared: true });
    await control.world.db.deleteFrom("settings").where("name", "=", "world:simulated").execute();
  });

  it("with an Idempotency-Key is answered again as it was", async () => {
    await reached(false);
    const { confirmation } = await declare({ reason });
    const headers = { "idempotency-key": `lost-${region}` };
    for (const _ of [1, 2])
      expect((await ask({ reason, confirmation }, { headers })).body).toMatchObject({ data: { declared: true } });
    // It has returned, and answers.
    await control.world.db.updateTable("hosts").set({ mode: "cordoned" }).where("name", "=", region).execute();
    engine.available = true;
    expect((await ask({ reason, confirmation }, { headers })).body).toMatchObject({ data: { declared: true } });
  });

  it.each([
    [{}, "reason"],
    [{ reason: "" }, "reason"],
    [{ reason: "x".repeat(301) }, "reason"],
    [{ reason, confirmation: "yes" }, "confirmation"],
    [{ reason, confirmation: null }, "confirmation"],
  ])("refuses %j", async (body, field) => {
    await reached(false);
    const result = await ask(body);
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it("is for operators only", async () => {
    const { token } = await control.customer();
    expect((await ask({ reason }, { token })).status).toBe(403);
  });
});
