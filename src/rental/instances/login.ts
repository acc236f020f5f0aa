// How to log in to an instance by SSH, and its password as shown to its account. Single source for every interface.
// Used by http/direct and http/control.

import { isLive } from "../../rules/lifecycle.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { type Instance, passwordContext } from "./instance.ts";

/** The ways to log in, and their meanings. */
export const logins = {
  ssh_key: "with one of its SSH keys",
  password: "with its password",
  unknown: "it has neither, but its command or its user data might have set up a login",
  none: "no login: it has no SSH key and no password",
} as const;
export type Login = keyof typeof logins;

/** The way that was set up at launch, in any state. */
export function loginOf(instance: Pick<Instance, "sshKeys" | "passwordSealed" | "command" | "hasUserData">): Login {
  if (instance.sshKeys.length > 0) return "ssh_key";
  if (instance.passwordSealed !== null) return "password";
  return instance.command !== null || instance.hasUserData ? "unknown" : "none";
}

/**
 * The password in plaintext: only for a token that can read it. Null: it has none, or the instance is terminating or
 * terminated. Throws CannotOpen if the stored value cannot be decrypted.
 */
export function loginPassword(
  { id, state, passwordSealed }: Pick<Instance, "id" | "state" | "passwordSealed">,
  keyRing: KeyRing,
): string | null {
  if (passwordSealed === null || !isLive[state]) return null;
  return keyRing.openText(passwordSealed, passwordContext(id));
}
