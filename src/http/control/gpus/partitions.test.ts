// NVSwitch partitions over the control interface: their states, filters and pages.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../../../test/support/control.ts";

let control: Control;
const addresses = ["0000:10:00.0", "0000:11:00.0", "0000:12:00.0", "0000:13:00.0"];
const [first, other] = ["0b8f4f4e-6f0e-4a5c-9c51-6b1f6c2f8a10", "1b8f4f4e-6f0e-4a5c-9c51-6b1f6c2f8a11"];

beforeAll(async () => {
  control = await startControl();
  await control.data("PUT", "/regions/north", { body: {} });
  const gpus = addresses.map((address) => ({ address, model: "h100_sxm", memory_gib: 80 }));
  for (const name of ["h1", "h2"]) {
    const sizes = { vcpus: 64, memory_gib: 512, storage_gb: 4000 };
    await control.data("PUT", `/hosts/${name}`, { body: { engine: "simulated", region: "north", ...sizes, gpus } });
  }
  const { db } = control.world;
  await sql`update gpu_fabrics set version = '570.124.06', read_answered = read_requests`.execute(db);
  const put = (id: string, of: string[], wanted: string | null, active: string | null, reported: boolean | null) =>
    sql`insert into gpu_partitions (host, id, addresses, wanted_for, active_for, reported)
      values ('h1', ${id}, ${of}, ${wanted}, ${active}, ${reported})`.execute(db);
  await put("1", addresses, null, null, false);
  await put("2", addresses.slice(0, 2), null, null, true);
  await put("3", addresses.slice(2), other, null, false);
  await put("4", addresses.slice(0, 1), first, first, true);
  await put("5", addresses.slice(1, 2), null, first, null);
  await sql`insert into gpu_partitions (host, id, addresses, reported) values ('h2', 'a b', ${addresses}, false)`.execute(
    db,
  );
});
afterAll(() => control.close());

describe("the list of partitions", () => {
  it("has the largest of each host first, with their state", async () => {
    const listed = (await control.data("GET", "/gpu-partitions")) as { host: string; id: string; state: string }[];
    expect(listed.map(({ host, id, state }) => [host, id, state])).toEqual([
      ["h1", "1", "inactive"],
      ["h1", "2", "deactivating"],
      ["h1", "3", "activating"],
      ["h1", "4", "active"],
      ["h1", "5", "deactivating"],
      ["h2", "a b", "inactive"],
    ]);
    expect(listed[3]).toEqual({
      ...{ host: "h1", id: "4", gpus: ["0000:10:00.0"], state: "active", held_by: null, failures: 0 },
      ...{ fabric_manager: "570.124.06", driver_branch: "570" },
    });
  });

  it("does not rely on what was read before a restart", async () => {
    const { db } = control.world;
    await sql`update gpu_fabrics set read_requests = read_requests + 1 where host = 'h1'`.execute(db);
    expect(await control.data("GET", "/gpu-partitions?host=h1&state=active")).toEqual([]);
    await sql`update gpu_fabrics set read_answered = read_requests where host = 'h1'`.execute(db);
    expect(await control.data("GET", "/gpu-partitions?host=h1&state=active")).toMatchObject([{ id: "4" }]);
  });

  it("comes in pages that miss none", async () => {
    const ids: string[] = [];
    for (let path: string | undefined = "/gpu-partitions?limit=1"; path !== undefined; ) {
      const { body, headers } = await control.ask("GET", path);
      ids.push(...(body as { data: { id: string }[] }).data.map(({ id }) => id));
      path = /^<[^>]*(\/gpu-partitions[^>]*)>/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(ids).toEqual(["1", "2", "3", "4", "5", "a b"]);
    expect((await control.ask("GET", "/gpu-partitions?limit=1&cursor=eA")).status).toBe(400);
  });
});
