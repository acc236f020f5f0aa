// Between two rounds: waits for the effects of a round of launches to end, so that they do not slow the next one, and
// the places are free again.

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
