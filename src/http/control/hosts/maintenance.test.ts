// Maintenance windows over HTTP: what operators send and see, and what accounts see of them. What happens at their
// beginning and end: test/reconciler/maintenance-windows.test.ts.

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

import { travel } from "../../../../test/support/time-travel.ts";
import { runWindows } from "../../../rental/maintenance/run.ts";

interface Shown {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly phase: string;
  readonly revision?: number;
  readonly instance_ids: string[];
}

let control: Control;
let host: string;
let customer: Awaited<ReturnType<Control["customer"]>>;
/** The customer's instance on the host. */
let id: string;

beforeAll(async () => {
  control = await startControl();
  await control.world.image();
});
beforeEach(async () => {
  const { world } = control;
  ({ name: host } = await world.region(world.fresh("region")));
  const body = { engine: "simulated", region: host, vcpus: 64, memory_gib: 512, storage_gb: 4000, gpus: [] };
  await control.data("PUT", `/hosts/${host}`, { body });
  customer = await control.customer();
  const product = await world.product({ gpus: 0 });
  ({ id } = await world.launchOne(customer.principal, { instanceType: product.name, region: host }));
});
afterAll(() => control.close());

const path = "/maintenance-windows";
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const order = (more: object = {}) => ({
  host,
  from: inHours(1),
  to: inHours(2),
  reason: "New firmware",
  mode: "stop",
  ...more,
});

async function schedule(more: object = {}): Promise<Shown> {
  const [window] = (await control.data("POST", path, { body: order(more) })) as Shown[]; // documented so
  if (window === undefined) throw new Error("one window for one host");
  return window;
}

describe("operators", () => {
  it("schedule a window of a host, and read it with the host", async () => {
    const body = order({ deferrable_until: inHours(5) });
    const [window] = (await control.data("POST", path, { body })) as Shown[];
    expect(window).toEqual({
      id: expect.any(String),
      group_id: expect.any(String),
      ...body,
      phase: "scheduled",
      revision: 1,
      deferred_at: null,
      deferred_by: null,
      instance_ids: [id],
      created_by: expect.any(String),
      created_at: expect.any(String),
      started_at: null,
      ended_at: null,
    });
    expect(await control.data("GET", `${path}/${window?.id}`)).toEqual(window);
    const { rows } = await sql<{ reason: string | null }>`
      select reason from audit_log where operation = 'scheduleMaintenance' and ${window?.id} = any(objects)`.execute(
      control.world.db,
    );
    expect(rows).toEqual([{ reason: "New firmware" }]);
  });

  it("schedule windows of all hosts with a label", async () => {
    await control.data("PATCH", `/hosts/${host}`, { body: { labels: { rack: host } } });
    const windows = (await control.data("POST", path, {
      body: order({ host: undefined, selector: `rack=${host}` }),
    })) as Shown[]; // documented so
    expect(windows).toMatchObject([{ host }]);
  });

  it("change and cancel one, of the revision that they have seen", async () => {
    const { id: window } = await schedule();
    const to = inHours(3);
    expect(await control.data("PATCH", `${path}/${window}`, { body: { to, revision: 1 } })).toMatchObject({
      to,
      revision: 2,
    });
    const late = await control.ask("PATCH", `${path}/${window}`, { body: { to, revision: 1 } });
    expect([late.status, codeOf(late)]).toEqual([409, "global/conflict"]);
    expect((await control.ask("DELETE", `${path}/${window}?revision=1`)).status).toBe(409);
    expect(await control.data("DELETE", `${path}/${window}?revision=2`)).toMatchObject({
      phase: "canceled",
      ended_at: expect.any(String),
    });
    expect((await control.ask("DELETE", `${path}/${window}`)).status).toBe(409);
  });

  it("find windows by host, phase, account and time, page by page", async () => {
    const first = await schedule();
    const second = await schedule({ from: inHours(5), to: inHours(6) });
    await control.data("DELETE", `${path}/${second.id}`);
    const found = async (query: string) =>
      ((await control.data("GET", `${path}?host=${host}&${query}`)) as Shown[]).map((one) => one.id); // documented so
    expect(await found("")).toEqual([first.id, second.id]);
    expect(await found("phase=canceled")).toEqual([second.id]);
    expect(await found(`from=${inHours(1.5)}&to=${inHours(3)}`)).toEqual([first.id]);
    expect(await found(`account_id=${customer.principal.accountId}`)).toEqual([first.id, second.id]);
    expect(await found(`account_id=${control.operator.principal.accountId}`)).toEqual([]);
    expect((await control.pages(`${path}?host=${host}`, 1)).map((page) => page.length)).toEqual([1, 1]);
  });

  it.each<[object, number, string[]]>([
    [{ to: "2020-01-01T00:00:00.000Z" }, 400, ["to"]],
    [{ from: "soon" }, 400, ["from"]],
    [{ selector: "rack=r1" }, 400, ["host"]],
    [{ host: "nowhere" }, 400, ["host"]],
    [{ mode: "wait" }, 400, ["mode"]],
    [{ reason: "" }, 400, ["reason"]],
  ])("are told what is wrong with an order such as %o", async (more, status, fields) => {
    const result = await control.ask("POST", path, { body: order(more) });
    expect([result.status, fieldsOf(result)]).toEqual([status, fields]);
  });
});

describe("an account", () => {
  const own = () => ({ token: customer.token });

  it("reads windows of hosts with its instances, without the host and the others on it", async () => {
    const other = await control.customer();
    const { id: window } = await schedule({ deferrable_until: inHours(5) });
    const shown = (await control.data("GET", path, own())) as object[]; // documented so
    expect(shown).toEqual([
      {
        id: window,
        from: expect.any(String),
        to: expect.any(String),
        reason: "New firmware",
        mode: "stop",
        phase: "scheduled",
        deferrable_until: expect.any(String),
        deferred_at: null,
        instance_ids: [id],
        created_at: expect.any(String),
        started_at: null,
        ended_at: null,
      },
    ]);
    expect(await control.data("GET", `${path}/${window}`, own())).toEqual(shown[0]);
    expect(await control.data("GET", path, { token: other.token })).toEqual([]);
    expect((await control.ask("GET", `${path}/${window}`, { token: other.token })).status).toBe(404);
    for (const query of [`host=${host}`, `group_id=${window}`, `account_id=${other.principal.accountId}`])
      expect((await control.ask("GET", `${path}?${query}`, own())).status).toBe(403);
  });

  it("sees it in its instances until it is over", async () => {
    const maintenance = async () =>
      ((await control.data("GET", `/instances/${id}`, own())) as { maintenance: object | null }).maintenance;
    expect(await maintenance()).toBeNull();
    const later = await schedule({ from: inHours(5), to: inHours(6) });
    const { id: window, from, to } = await schedule();
    expect(await maintenance()).toEqual({
      id: window,
      from,
      to,
      reason: "New firmware",
      mode: "stop",
      phase: "scheduled",
      deferrable_until: null,
    });
    await travel(control.world.db, "61 minutes");
    await runWindows(control.world.db, { isBilled: false });
    expect(await maintenance()).toMatchObject({ id: window, phase: "started" });
    const restart = await control.ask("POST", `/instances/${id}/reboot`, { ...own(), body: {} });
    expect([restart.status, codeOf(restart)]).toEqual([409, "global/conflict"]);
    await control.data("DELETE", `${path}/${window}`);
    expect(await maintenance()).toMatchObject({ id: later.id });
    await control.data("DELETE", `${path}/${later.id}`);
    expect(await maintenance()).toBeNull();
  });

  it("defers it, by default to the limit", async () => {
    const until = inHours(5);
    const { id: window } = await schedule({ deferrable_until: until });
    const soon = await control.ask("POST", `${path}/${window}/defer`, { ...own(), body: { until: inHours(6) } });
    expect([soon.status, fieldsOf(soon)]).toEqual([400, ["until"]]);
    expect(await control.data("POST", `${path}/${window}/defer`, own())).toMatchObject({
      from: until,
      deferred_at: expect.any(String),
    });
    expect(await control.data("GET", `${path}/${window}`)).toMatchObject({ deferred_by: expect.any(String) });
  });

  it("gets events and webhooks of it", async () => {
    const { id: window } = await schedule();
    // They are read once no older transaction is open, in which an earlier one may be.
    const read = () => control.data("GET", "/events?types=maintenance.*", own());
    await expect.poll(read).toHaveLength(1);
    const events = await read();
    expect(events).toMatchObject([
      { type: "maintenance.scheduled", data: { window_id: window, instance_ids: [id], reason: "New firmware" } },
    ]);
    expect(JSON.stringify(events)).not.toContain(host);
    const hook = { url: "https://example.com/hook", event_types: ["maintenance.*"], active: false };
    await control.data("POST", "/webhooks", { ...own(), body: hook });
  });
});
