// Stop, restart, reboot and terminate for one instance: by its account, or by an operator, who can do so for every
// account's instances and states a reason that the account can read. Source: decisions, section 10. lifecycle.ts
// defines what is allowed. Used by the control interface.

import type { Transaction } from "../../database/connect.ts";
import { afterAction, type InstanceAction, type State } from "../../rules/lifecycle.ts";
import { invalid, RentalError } from "../errors.ts";
import type { Principal, Service } from "../service.ts";
import { applyAction } from "./apply-action.ts";
import type { Instance } from "./instance.ts";
import { lockAny, lockOwn } from "./instance-store.ts";
import { checkReason } from "./reason.ts";

/** The action on the instance of this id, as the client wrote it. */
export interface Change {
  readonly wish: InstanceAction;
  readonly id: string;
  /** Required for operators. */
  readonly reason: string | undefined;
}

/**
 * Returns the changed instance. A token acts for its account if it has `write` and the instance is the account's, and
 * as an operator if it has `operator`. Throws RentalError unknown-object, invalid-parameters (field `reason`),
 * instance-not-stopped, instance-terminated, conflict (a reboot of an instance that is stopping or has ended).
 */
export async function changeOne(
  tx: Transaction,
  service: Service,
  principal: Principal,
  { wish, id, reason }: Change,
): Promise<Instance> {
  const instance = await lockFor(tx, service, principal, id);
  const isCustomer = principal.scopes.has("write") && instance.accountId === principal.accountId;
  if (!isCustomer && reason === undefined) {
    throw invalid("reason", "State the reason. The account of this instance can read it.");
  }
  const problem = reason === undefined ? undefined : checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
  if (wish === "reboot") refuseReboot(instance);
  const [changed] = await applyAction(tx, [instance], wish, isCustomer ? "customer" : "operator", reason);
  if (changed === undefined) throw new Error("BUG: a wish for one instance gave none back");
  return changed;
}

async function lockFor(tx: Transaction, service: Service, principal: Principal, id: string): Promise<Instance> {
  if (principal.scopes.has("operator")) return lockAny(tx, id);
  return lockOwn(tx, service, principal, id);
}

/** What to do instead, by the state in which an instance cannot be rebooted. */
const insteadOfReboot: Partial<Record<State, string>> = {
  stopping: "Wait until it is stopped, then restart it.",
};

function refuseReboot({ id, state }: Instance): void {
  if (afterAction(state, "reboot") !== undefined) return;
  throw new RentalError("conflict", {
    message: `The instance ${id} is ${state} and cannot be rebooted.`,
    suggestion: insteadOfReboot[state] ?? "Launch a new instance.",
  });
}
