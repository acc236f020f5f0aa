// Launches in one transaction, as rental's launch queue has them launched: what they name is asked for first.

import type { Transaction } from "../../src/database/connect.ts";
import { together } from "../../src/database/round-trips.ts";
import type { Instance } from "../../src/rental/instances/instance.ts";
import { type LaunchOutcome, launchAlone, launchTogether } from "../../src/rental/launching/launch.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import { type Asked, launchQuestions } from "../../src/rental/launching/plan.ts";
import type { Principal, Service } from "../../src/rental/service.ts";

/** What came of each. Refresh `service.capacity` before. */
export async function launchAll(tx: Transaction, service: Service, asked: readonly Asked[]): Promise<LaunchOutcome[]> {
  return launchTogether(tx, service, asked, await together(tx, launchQuestions(tx, asked)));
}

/** One alone. Refresh `service.capacity` before, or the launch waits for hosts that it does not know of. */
export async function launch(
  tx: Transaction,
  service: Service,
  principal: Principal,
  order: LaunchOrder,
): Promise<readonly Instance[]> {
  const asked = { principal, order };
  return launchAlone(tx, service, asked, await together(tx, launchQuestions(tx, [asked])));
}
