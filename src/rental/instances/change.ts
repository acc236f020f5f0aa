// Customers' stop, restart, reboot and terminate: a batch is all or nothing, and can be repeated safely. Source:
// specification, States and transitions; decisions, Instance life. lifecycle.ts defines what is allowed.

import type { Transaction } from "../../database/connect.ts";
import type { InstanceAction } from "../../rules/lifecycle.ts";
import { invalid } from "../errors.ts";
import type { Principal, Service } from "../service.ts";
import { applyAction } from "./apply-action.ts";
import type { Instance } from "./instance.ts";
import { lockAll } from "./instance-store.ts";

/**
 * Applies the action to every one of `idsAsWritten` (by the client; duplicates count once), and returns the instances
 * in the given order. `idsField`: the variant's name of the list. Throws RentalError invalid-parameters (no ids),
 * unknown-object, instance-not-stopped, instance-terminated; then none was changed.
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
