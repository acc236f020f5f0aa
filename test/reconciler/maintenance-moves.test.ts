// Maintenance windows that move the instances of their host: stopped at the beginning, moved, and started again elsewhere.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { emptyHosts } from "../../src/rental/moving/empty-hosts.ts";
import { auditEverything } from "../support/audit.ts";
import { inHours, maintenanceOfFile } from "../support/maintenance.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();
const on = maintenanceOfFile(stage);

/** What the maintenance jobs do, until nothing is left to do. */
async function jobs(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await emptyHosts(stage.db, new Set(["simulated"]), new AbortController().signal);
    await on.reconciler.idle();
    await on.run();
  }
}

/** The reason of each start, as its account reads it. */
const whyStarted = async (id: string) => {
  const { rows } = await sql<{ reason: string | null }>`
    select data->>'reason' as reason from events
    where type = 'instance.booting' and data->>'instance_id' = ${id} order by position`.execute(stage.db);
  return rows.map(({ reason }) => reason);
};

const place = async (id: string) => (await stage.row(id)).host;

describe("a window that moves instances", () => {
  it("starts those that ran on another host, before it ends, and moves the stopped ones too", async () => {
    const [one, stopped] = [await on.active(), await on.active()];
    await stage.world.change(stopped.principal, "stop", [stopped.id]);
    await on.reconciler.idle();
    const { id } = await on.schedule({ mode: "move" });
    const other = await stage.host();
    await on.later(1);
    expect(await on.read()).toMatchObject({ state: "maintenance" });
    await jobs();
    expect([await place(one.id), await place(stopped.id)]).toEqual([other, other]);
    expect([await stage.state(one.id), await stage.state(stopped.id)]).toEqual(["active", "stopped"]);
    expect((await on.window(id)).phase).toBe("started");
    expect((await stage.row(one.id)).stopped_for).toBeNull();
    expect(await stage.story(one.id)).toEqual([
      "booting",
      "active",
      "stopping",
      "stopped",
      "moved",
      "booting",
      "active",
    ]);
    expect(await whyStarted(one.id)).toEqual([null, "It has moved to another host."]);
    await on.later(2);
    await jobs();
    expect([await place(one.id), (await on.read()).state]).toEqual([other, "up"]);
    const audit = await auditEverything(stage.db);
    expect(audit).toEqual({ lost: [], orphans: [], capacity: [], spans: [], events: [] });
  });

  it("starts those that cannot move when it ends", async () => {
    const one = await on.active();
    await on.schedule({ mode: "move" });
    await on.later(1);
    await jobs();
    expect([await stage.state(one.id), await place(one.id)]).toEqual(["stopped", on.host]);
    await on.later(2);
    await jobs();
    expect([await stage.state(one.id), await place(one.id)]).toEqual(["active", on.host]);
    expect(await whyStarted(one.id)).toEqual([null, "The maintenance of its host is over."]);
  });

  it("is not billed while it keeps an instance stopped, and is once that has moved", async () => {
    const one = await on.active();
    await on.schedule({ mode: "move", endsAt: inHours(9) });
    await on.later(1);
    await stage.host();
    await jobs();
    const span = await stage.span(one.id);
    expect(span?.downtime).toMatch(/^\{\[.+,".+"\)\}$/);
  });
});
