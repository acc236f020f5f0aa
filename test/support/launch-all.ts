// Launches in one transaction, as http/launching has them launched: what they name is asked for first.

import { type Transaction, together } from "../../src/database/connect.ts";
import { type Asked, launchQuestions, launchTogether } from "../../src/rental/instances/index.ts";
import type { LaunchOutcome } from "../../src/rental/launching/launch.ts";
import type { Service } from "../../src/rental/service.ts";

/** What came of each. Refresh `service.capacity` before. */
export async function launchAll(tx: Transaction, service: Service, asked: readonly Asked[]): Promise<LaunchOutcome[]> {
  return launchTogether(tx, service, asked, await together(tx, launchQuestions(tx, asked)));
}
