// The SSH command for an instance. Pure.

import type { Shape } from "../../../src/client/client.ts";

type Reachable = Pick<Shape<"Instance">, "ip" | "login_user" | "login" | "simulated">;

/** `ssh ubuntu@203.0.113.5`; undefined without an address or a login, or if it does not respond. */
export function sshLine({ ip, login_user, login, simulated }: Reachable): string | undefined {
  return ip === null || simulated || login === "none" ? undefined : `ssh ${login_user}@${ip}`;
}
