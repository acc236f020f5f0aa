// How to log in to an instance, or why that is impossible: the single rule for launch, show and ssh. Pure.
//
// Invariant: no login command is shown that cannot work.

import { isLive } from "../../rules/lifecycle.ts";
import { CommandError } from "../command-error.ts";
import type { Instance } from "../instances.ts";
import { shellWord } from "../shell-word.ts";

/** Why it accepts no login at all; undefined if it may. */
export function noLoginReason({ simulated, login }: Pick<Instance, "simulated" | "login">): string | undefined {
  if (simulated) return "It is simulated, so its address does not respond.";
  return login === "none" ? "It has no SSH key and no password." : undefined;
}

/** Throws CommandError if it accepts no login. */
export function refuseWithoutLogin(instance: Instance): void {
  const why = noLoginReason(instance);
  if (why === undefined) return;
  const hint = instance.simulated
    ? `Simulated instances are for testing. Console log: lessor logs ${shellWord(instance.name)}.`
    : "Launch another one with --key or --password.";
  throw new CommandError(`You can't log in to ${instance.name}. ${why}`, hint, { exit: "does-not-fit" });
}

/** The command, with user, address and credentials; undefined if no login is possible now. */
export function loginCommand({ name, status, ip, login_user, login, simulated }: Instance): string | undefined {
  if (ip === null || !isLive[status]) return undefined;
  if (noLoginReason({ simulated, login }) !== undefined) return undefined;
  const means = {
    ssh_key: "",
    password: ", with its password",
    unknown: ", if its startup command or user data set up a login",
    none: "",
  };
  return `lessor ssh ${shellWord(name)}   (${login_user}@${ip}${means[login] ?? ""})`;
}
