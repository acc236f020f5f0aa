// The SSH command for an instance. Pure.

import type { Shape } from "../../../src/client/index.ts";

type Reachable = Pick<Shape<"Instance">, "ip" | "login_user" | "login" | "simulated">;

/** `ssh ubuntu@203.0.113.5`; undefined while it has no address, and where nothing answers or no login is set up. */
export function sshLine({ ip, login_user, login, simulated }: Reachable): string | undefined {
  return ip === null || simulated || login === "none" ? undefined : `ssh ${login_user}@${ip}`;
}
