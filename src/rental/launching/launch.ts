// Launch: rents `quantity` instances, all or none, in one transaction: planned (plan.ts), placed (place.ts), written
// (write.ts). One alone, or many in one transaction, of which each goes through or is rejected by itself. The two share
// everything but how places are found: many together wait for nobody. Used by queue.ts.
// Source: specification, Endpoints (launch); decisions, Launch.

import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { placeAlone, placeTogether } from "./place.ts";
import { type Asked, type LaunchPlan, type Named, planLaunches } from "./plan.ts";
import { writeLaunches } from "./write.ts";

/** What came of a launch: its instances, why it is rejected, or that it has to be tried alone, or later. */
export type LaunchOutcome = readonly Instance[] | RentalError | "alone" | "later";

/**
 * Launches as many as can be without waiting for anybody, each whole or not at all. "alone" and "later" mean that nothing
 * was done of it. "alone": `launchAlone` has to find out, for what capacity there is could not be had without waiting, or
 * it has file systems, which another launch may take in this very moment, or firewall rulesets, which may just be changed.
 * "later": somebody has the account's row just now.
 * `named`: the answers to `launchQuestions`. Refresh `service.capacity` after the launches were asked for and before.
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
 * Launches one, waiting for whatever it needs. Throws RentalError invalid-parameters, unknown-name, coupon-refused,
 * image-not-supported, file-system-in-wrong-region, conflict (a file system attached elsewhere), insufficient-capacity,
 * quota-exceeded, spend-limit-exceeded: roll back then. `named`: the answers to `launchQuestions`.
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
