// Between two rounds: what a round of launches brought about is brought to its end, so that it costs the next one
// nothing, and the places are free again.

import type { Service } from "../service/service.ts";
import { type Customer, marketplace } from "./customers.ts";

const AT_ONCE = 500;

/** Comes back when the reconciler has nothing to do. Throws after two minutes. */
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

/** Terminates everything these customers have, and waits until it is gone. */
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
