// Launch: rents `quantity` instances, all or none, in one transaction: planned (plan.ts), placed (place.ts), written
// (write.ts). Either alone, or many in one transaction, each of which succeeds or is rejected separately. The two
// differ only in how places are found: many together never wait. Used by queue.ts. Source: specification, Endpoints
// (launch); decisions, Launch.

import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { placeAlone, placeTogether } from "./place.ts";
import { type Asked, type LaunchPlan, type Named, planLaunches } from "./plan.ts";
import { writeLaunches } from "./write.ts";

/** The result of a launch: its instances, its error, or that it must be tried alone, or later. */
export type LaunchOutcome = readonly Instance[] | RentalError | "alone" | "later";

/**
 * Launches as many as possible without waiting, each whole or not at all. "alone" and "later" mean that nothing was
 * done. "alone": `launchAlone` must decide, because capacity was locked, or the launch has file systems or firewall
 * rulesets, which other transactions might be changing. "later": the account's row is locked. `named`: the answers to
 * `launchQuestions`. Refresh `service.capacity` after the launches were requested and before the call.
 */
export async function launchTogether(
  tx: Transaction,
  service: Service,
  asked: readonly Asked[],
  named: Named,
): Promise<LaunchOutcome[]> {
  const plans = await planLaunches(tx, service.limits, asked, named);
  const { placed, rejected, later } = await placeTogether(tx, service, plans.filter(isPlan));
  const launched = await writeLaunches(tx, service, placed);
  return plans.map((plan) => {
    if (!isPlan(plan)) return plan;
    return rejected.get(plan) ?? launched.get(plan) ?? (later.has(plan) ? "later" : "alone");
  });
}

/**
 * Launches one, waiting for what it needs. Throws RentalError invalid-parameters, unknown-name, coupon-refused,
 * image-not-supported, file-system-in-wrong-region, conflict (a file system attached elsewhere), insufficient-capacity,
 * quota-exceeded, spend-limit-exceeded, insufficient-balance: roll back then. `named`: the answers to `launchQuestions`.
 */
export async function launchAlone(
  tx: Transaction,
  service: Service,
  asked: Asked,
  named: Named,
): Promise<readonly Instance[]> {
  const [plan] = await planLaunches(tx, service.limits, [asked], named);
  if (plan === undefined) throw new Error("BUG: a launch that is asked for is planned or rejected");
  if (!isPlan(plan)) throw plan;
  const launched = await writeLaunches(tx, service, [await placeAlone(tx, service, plan)]);
  const instances = launched.get(plan);
  if (instances === undefined) throw new Error("BUG: a launch that has its places is written");
  return instances;
}

function isPlan(plan: LaunchPlan | RentalError): plan is LaunchPlan {
  return !(plan instanceof RentalError);
}
