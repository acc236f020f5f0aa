// Stop, restart, reboot and terminate, as a customer asks for them: a batch is all or nothing, and may be repeated safely.
// Source: specification, States and transitions; decisions, Instance life. What is allowed stands in lifecycle.ts.

import type { Transaction } from "../../database/connect.ts";
import type { InstanceAction } from "../../rules/lifecycle.ts";
import { invalid } from "../errors.ts";
import type { Principal, Service } from "../service.ts";
import { applyAction } from "./apply-action.ts";
import type { Instance } from "./instance.ts";
import { lockAll } from "./instance-store.ts";

/**
 * Wishes `wish` for every one of `idsAsWritten` (by the client; duplicates count once), and gives the instances back
 * as they are now, in the order asked for. `idsField` is the variant's name of the list.
 * Throws RentalError invalid-parameters (no ids), unknown-object, instance-not-stopped, instance-terminated; then
 * nothing happened to any.
 */
export async function change(
  tx: Transaction,
  service: Service,
  principal: Principal,
  wish: InstanceAction,
  idsAsWritten: readonly string[],
  idsField: string,
): Promise<Instance[]> {
  if (idsAsWritten.length === 0) throw invalid(idsField, "Name at least one instance.");
  const instances = await lockAll(tx, service, principal, idsAsWritten);
  return applyAction(tx, instances, wish, "customer");
}
