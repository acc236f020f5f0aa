// The list of GPUs, GPU policies and validations on demand over the control interface.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

let control: Control;
const address = "0000:10:00.0";
const gpu = `/hosts/h1/gpus/${address}`;

beforeAll(async () => {
  control = await startControl();
  await control.data("PUT", "/regions/north", { body: {} });
  const gpus = [{ address, model: "a10", memory_gib: 24, numa_node: 0 }];
  const sizes = { vcpus: 64, memory_gib: 512, storage_gb: 4000 };
  await control.data("PUT", "/hosts/h1", { body: { engine: "simulated", region: "north", ...sizes, gpus } });
});
afterAll(() => control.close());

const put = (body: object) => control.ask("PUT", "/gpu-policies/a10", { body });

describe("a GPU policy", () => {
  it("says how its GPUs are validated, and has defaults", async () => {
    const { body } = await put({ handover: "reset+validate", validation: { image: "check" } });
    const policy = {
      ...{ gpu_model: "a10", region: null, handover: "reset+validate" },
      validation: {
        ...{ image: "check", every: 1, deadline_seconds: 600, attempts: 3, warning: "pass", burn_in_hours: 0 },
        ...{ vcpus: 4, memory_gib: 16, storage_gb: 20 },
      },
    };
    expect(body).toEqual({ data: policy });
    expect(await control.data("GET", "/gpu-policies")).toEqual([policy]);
    await put({
      handover: "reset",
      validation: { image: "other", every: 5, warning: "quarantine", burn_in_hours: 24 },
    });
    const changed = { image: "other", every: 5, warning: "quarantine", burn_in_hours: 24, deadline_seconds: 600 };
    expect(await control.data("GET", "/gpu-policies")).toMatchObject([{ handover: "reset", validation: changed }]);
    await put({ handover: "reset" });
    expect(await control.data("GET", "/gpu-policies")).toMatchObject([{ handover: "reset", validation: null }]);
  });

  it.each([
    [{ handover: "reset+validate" }, "validation"],
    [{ handover: "reset", validation: { image: "check", deadline_seconds: 1 } }, "validation.deadline_seconds"],
    [{ handover: "reset", validation: { image: "check", warning: "ask" } }, "validation.warning"],
    [{ handover: "reset", validation: {} }, "validation.image"],
  ])("is refused for %j", async (body, field) => {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain(field);
  });
});

describe("a validation on demand", () => {
  it("is refused where no policy names an image, and begins where one does", async () => {
    await put({ handover: "none" });
    const refused = await control.ask("POST", `${gpu}/validate`);
    expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
    await put({ handover: "none", validation: { image: "check" } });
    const begun = { state: "validating", validation_due: "operator", last_validation: null };
    expect(await control.data("POST", `${gpu}/validate`)).toMatchObject(begun);
    expect(await control.data("GET", "/gpus?state=validating")).toMatchObject([{ address, ...begun }]);
  });
});

describe("the list of GPUs", () => {
  it("comes in pages that miss none, also when the last one of a page was removed", async () => {
    const at = (number: number) => `0000:${number}0:00.0`;
    const gpus = [2, 3, 4].map((number) => ({ address: at(number), model: "a10", memory_gib: 24, numa_node: 0 }));
    const sizes = { vcpus: 64, memory_gib: 512, storage_gb: 4000 };
    await control.data("PUT", "/hosts/h2", { body: { engine: "simulated", region: "north", ...sizes, gpus } });
    const found: string[] = [];
    for (let path: string | undefined = "/gpus?limit=1"; path !== undefined; ) {
      const { status, body, headers } = await control.ask("GET", path);
      expect(status).toBe(200);
      const { data } = body as { data: { host: string; address: string }[] };
      found.push(...data.map((one) => `${one.host} ${one.address}`));
      if (data[0]?.address === at(3))
        await sql`delete from gpus where host = 'h2' and address = ${at(3)}`.execute(control.world.db);
      path = /^<[^>]*(\/gpus[^>]*)>/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(found).toEqual([`h1 ${address}`, `h2 ${at(2)}`, `h2 ${at(3)}`, `h2 ${at(4)}`]);
    const foreign = Buffer.from("0197a3b2-7c1e-7d4a-9f60-3b8d2e5c1a90").toString("base64url");
    expect((await control.ask("GET", `/gpus?limit=1&cursor=${foreign}`)).status).toBe(400);
  });

  it("has those that are quarantined, and those that are when their instance is gone, with who decided it", async () => {
    const [first, second, third] = ["0000:20:00.0", "0000:21:00.0", "0000:22:00.0"];
    const gpus = [first, second, third].map((of) => ({ address: of, model: "l4", memory_gib: 24, numa_node: 0 }));
    const sizes = { vcpus: 64, memory_gib: 512, storage_gb: 4000 };
    await control.data("PUT", "/hosts/h3", { body: { engine: "simulated", region: "north", ...sizes, gpus } });
    await control.data("POST", `/hosts/h3/gpus/${first}/quarantine`, { body: { reason: "XID 79" } });
    await sql`update gpus set quarantine_next = 'reported' where host = 'h3' and address = ${second}`.execute(
      control.world.db,
    );
    const listed = (await control.data("GET", "/gpus?host=h3&quarantined=true")) as object[];
    const { name } = (await control.data("GET", "/account")) as { name: string };
    expect(listed).toMatchObject([
      { address: first, state: "quarantined", reason: "XID 79", quarantined_by: name, quarantine_next: null },
      { address: second, state: "free", quarantined_by: null, quarantine_next: "reported" },
    ]);
    expect(await control.data("GET", "/gpus?host=h3&quarantined=false")).toHaveLength(3);
    const { data: events } = (await control.ask("GET", "/events?types=gpu.*")).body as { data: object[] };
    expect(events.at(-1)).toMatchObject({ data: { host: "h3", address: first, reason: "XID 79", operator: name } });
  });
});
