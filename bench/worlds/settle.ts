// Between two rounds: waits for the effects of a round of launches to end, so that they do not slow the next one, and
// the places are free again.

import { resyncSettingOf } from "../../src/rental/capacity/engine-health.ts";
import type { Service } from "../service/service.ts";
import { type Customer, marketplace } from "./customers.ts";

const AT_ONCE = 500;

/** Resolves when the reconciler is idle. Throws after two minutes. */
export async function settled(service: Service): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const [row] = await service.query<{ due: string }>(
      "select count(*) as due from instances where next_look_at is not null",
    );
    if (row?.due === "0") return;
    if (Date.now() > deadline) throw new Error(`reconciler still has ${row?.due} instances to look at`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** When a full resync of the engine last ended well, as text; "never" before the first. */
export async function lastResync(service: Service, engine = "simulated"): Promise<string> {
  const [row] = await service.query<{ at: string | null }>(
    "select value ->> 'good_at' as at from settings where name = $1",
    [resyncSettingOf(engine)],
  );
  return row?.at ?? "never";
}

/** Resolves when a full resync has ended since the service, and with it PostgreSQL, was started. Throws after five minutes. */
export async function resyncedSinceStart(service: Service): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const rows = await service.query(
      `select from settings
       where name = $1 and (value ->> 'good_at')::timestamptz > pg_postmaster_start_time()`,
      [resyncSettingOf("simulated")],
    );
    if (rows.length > 0) return;
    if (Date.now() > deadline) throw new Error("the engine was not resynced");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Terminates all instances of these customers, and waits until they are removed. */
export async function cleared(service: Service, customers: readonly Customer[]): Promise<void> {
  for (const { accountId, token } of customers) {
    const rows = await service.query<{ id: string }>(
      "select id from instances where account_id = $1 and terminating_at is null",
      [accountId],
    );
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      const ids = rows.slice(from, from + AT_ONCE).map(({ id }) => id);
      await service.call("POST", `${marketplace}/instance-operations/terminate`, token, { instance_ids: ids });
    }
  }
  await settled(service);
}
