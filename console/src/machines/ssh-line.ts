// How to reach a machine: the line to paste into a terminal. Pure.

interface Reachable {
  readonly ip: string | null;
  readonly login_user: string;
}

/** `ssh ubuntu@203.0.113.5`; undefined while it has no address. */
export function sshLine({ ip, login_user }: Reachable): string | undefined {
  return ip === null ? undefined : `ssh ${login_user}@${ip}`;
}
