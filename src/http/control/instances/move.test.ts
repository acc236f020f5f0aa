// Over HTTP: an operator moves an instance. What that does to the machine: test/reconciler/moves.test.ts.

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

let control: Control;
let owner: Awaited<ReturnType<Control["customer"]>>;
let region: string;
let hosts: readonly [string, string];
let id: string;

beforeAll(async () => {
  control = await startControl();
  await control.world.image();
  owner = await control.customer();
});
beforeEach(async () => {
  const { world } = control;
  ({ name: region } = await world.region(world.fresh("region")));
  const body = { engine: "simulated", region, vcpus: 64, memory_gib: 512, storage_gb: 4000, gpus: [] };
  hosts = [`${region}-1`, `${region}-2`];
  await control.data("PUT", `/hosts/${hosts[0]}`, { body });
  const product = await world.product({ gpus: 0 });
  ({ id } = await world.launchOne(owner.principal, { instanceType: product.name, region }));
  await sql`update instances set state = 'stopped' where id = ${id}`.execute(world.db);
  await control.data("PUT", `/hosts/${hosts[1]}`, { body });
});
afterAll(() => control.close());

const move = (body?: object, options = {}) =>
  control.ask("POST", `/instances/${id}/move`, { ...(body !== undefined && { body }), ...options });

describe("moving an instance", () => {
  it("begins, is shown with the instance, and is in the audit log with its reason", async () => {
    const shown = {
      from: hosts[0],
      to: hosts[1],
      phase: "copying",
      copied_bytes: 0,
      total_bytes: 0,
      began_at: expect.any(String),
      reason: "Fans are exchanged",
      failure: null,
    };
    const { status, body } = await move({ host: hosts[1], reason: "Fans are exchanged" });
    expect([status, body]).toMatchObject([200, { data: { id, status: "stopped", host: hosts[0], move: shown } }]);
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ move: shown });
    expect(await control.data("GET", `/hosts/${hosts[1]}`)).toMatchObject({ instances: 1 });
    const { rows } = await sql<{ reason: string }>`
      select reason from audit_log where operation = 'moveInstance' and ${id} = any(objects)`.execute(control.world.db);
    expect(rows).toEqual([{ reason: "Fans are exchanged" }]);
    expect((await move({ host: hosts[1] })).status).toBe(200);
    expect((await move()).status).toBe(200);
  });

  it("is for operators, and its account does not see it", async () => {
    await move();
    expect((await move({}, { token: owner.token })).status).toBe(403);
    expect(await control.data("GET", `/instances/${id}`, { token: owner.token })).not.toHaveProperty("move");
  });

  it("is in the audit log of its account without the reason, which is for operators and may name hosts", async () => {
    await move({ host: hosts[1], reason: `Fans of ${hosts[0]}` });
    const query = `/audit-log?operation=moveInstance&object=${id}`;
    const seen = await control.data("GET", query, { token: owner.token });
    expect(seen).toMatchObject([{ result: "done", reason: null }]);
    expect(JSON.stringify(seen)).not.toContain(region);
    expect(await control.data("GET", query)).toMatchObject([{ reason: `Fans of ${hosts[0]}` }]);
  });

  it("is rejected with what to do instead", async () => {
    expect(fieldsOf(await move({ host: "nowhere" }))).toEqual(["host"]);
    await control.data("POST", `/hosts/${hosts[1]}/cordon`);
    const full = await move();
    expect([full.status, codeOf(full)]).toEqual([409, "instance-operations/launch/insufficient-capacity"]);
    expect(full.body).toMatchObject({
      error: {
        message: `No other host in ${region} has enough free capacity for ${await typeOf(id)}; nothing was moved.`,
      },
    });
    expect(codeOf(await move({ host: hosts[1] }))).toBe("global/conflict");
  });
});

describe("draining a host", () => {
  it("has a mode, which is shown while it drains", async () => {
    const drain = (body: object) => control.data("POST", `/hosts/${hosts[0]}/drain`, { body });
    expect(await drain({})).toMatchObject({ state: "draining", drain_mode: "wait", instances: 1 });
    expect(await drain({ mode: "move" })).toMatchObject({ drain_mode: "move" });
    expect(await control.data("POST", `/hosts/${hosts[0]}/uncordon`)).toMatchObject({ state: "up", drain_mode: null });
    const wrong = await control.ask("POST", `/hosts/${hosts[0]}/drain`, { body: { mode: "fast" } });
    expect(fieldsOf(wrong)).toEqual(["mode"]);
  });
});

async function typeOf(instance: string): Promise<string> {
  return (
    await control.world.db
      .selectFrom("instances")
      .select("instance_type")
      .where("id", "=", instance)
      .executeTakeFirstOrThrow()
  ).instance_type;
}
