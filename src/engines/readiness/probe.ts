// Whether a guest answers on its SSH port, seen from where the operator says: by a TCP connection of our own, or by a
// command whose standard input and output are such a connection, as OpenSSH's ProxyCommand is (members' networks may be
// private). Used by the real engines.
//
// Invariants: a connection alone is not an answer, because port forwards accept for guests that are not up; the greeting
// must begin with "SSH-" (RFC 4253, 4.2). A probe leaves nothing behind. It never throws, but for its signal.

import { askByCommand } from "./by-command.ts";
import { askByTcp } from "./by-tcp.ts";

export interface ProbeTarget {
  readonly ip: string;
  /** The engine's name of the host that the guest is on. */
  readonly host: string;
  readonly port: number;
}

export type ProbeSettings = {
  /** How long an answer may take, connecting included. Default: 2. */
  readonly timeoutSeconds?: number;
} & (
  | { readonly kind: "tcp" }
  /** An argument array, no shell; {ip}, {host} and {port} are replaced wherever they stand. */
  | { readonly kind: "command"; readonly command: readonly string[] }
);

/** `why` is a short sentence for operators, without a full stop. */
export type ProbeAnswer = { readonly answers: true } | { readonly answers: false; readonly why: string };

/** Comes back at once where the connection is refused, at the latest when its time is over. Rejects only for `signal`. */
export type SshProbe = (target: ProbeTarget, signal: AbortSignal) => Promise<ProbeAnswer>;

export function createProbe(settings: ProbeSettings): SshProbe {
  const seconds = settings.timeoutSeconds ?? 2;
  return async (target, signal) => {
    signal.throwIfAborted();
    const limits = { seconds, signal };
    return settings.kind === "tcp" ? askByTcp(target, limits) : askByCommand(settings.command, target, limits);
  };
}
