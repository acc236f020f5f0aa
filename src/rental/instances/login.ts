// How people log in to an instance by SSH, and its password as its account is shown it. Single source for every interface.
// Used by http/direct and http/control.

import { isLive } from "../../rules/lifecycle.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { type Instance, passwordContext } from "./instance.ts";

/** The ways to log in, and what each word means. */
export const logins = {
  ssh_key: "with one of its SSH keys",
  password: "with its password",
  unknown: "it has neither, but its command or its user data might have set up a login",
  none: "no login: it has no SSH key and no password",
} as const;
export type Login = keyof typeof logins;

/** The way that was set up at launch, whatever the state of the instance. */
export function loginOf(instance: Pick<Instance, "sshKeys" | "passwordSealed" | "command" | "hasUserData">): Login {
  if (instance.sshKeys.length > 0) return "ssh_key";
  if (instance.passwordSealed !== null) return "password";
  return instance.command !== null || instance.hasUserData ? "unknown" : "none";
}

/**
 * The password in plaintext: only for a token that may be shown it. Null: it has none, or nobody needs it any more, because
 * the instance is terminated or about to be. Throws CannotOpen where the stored value does not open.
 */
export function loginPassword(
  { id, state, passwordSealed }: Pick<Instance, "id" | "state" | "passwordSealed">,
  keyRing: KeyRing,
): string | null {
  if (passwordSealed === null || !isLive[state]) return null;
  return keyRing.openText(passwordSealed, passwordContext(id));
}
