// Whether a guest responds on its SSH port, seen from where the operator configures: by a TCP connection, or by a
// command whose standard input and output are such a connection, like OpenSSH's ProxyCommand (members' networks can be
// private). Used by the real engines.
//
// Invariants: a connection alone is not enough, because port forwards accept for guests that are not up; the greeting
// must begin with "SSH-" (RFC 4253, 4.2). A probe leaves nothing behind. It throws only for its signal.

import { askByCommand } from "./by-command.ts";
import { askByTcp } from "./by-tcp.ts";

export interface ProbeTarget {
  readonly ip: string;
  /** The engine's name of the guest's host. */
  readonly host: string;
  readonly port: number;
}

export type ProbeSettings = {
  /** Includes connecting. Default: 2. */
  readonly timeoutSeconds?: number;
} & (
  | { readonly kind: "tcp" }
  /** An argument array, no shell; {ip}, {host} and {port} are replaced. */
  | { readonly kind: "command"; readonly command: readonly string[] }
);

/** `why` is a short sentence for operators, without a period. */
export type ProbeAnswer = { readonly answers: true } | { readonly answers: false; readonly why: string };

/** Resolves at once if the connection is rejected, at the latest at its timeout. Rejects only for `signal`. */
export type SshProbe = (target: ProbeTarget, signal: AbortSignal) => Promise<ProbeAnswer>;

export function createProbe(settings: ProbeSettings): SshProbe {
  const seconds = settings.timeoutSeconds ?? 2;
  return async (target, signal) => {
    signal.throwIfAborted();
    const limits = { seconds, signal };
    return settings.kind === "tcp" ? askByTcp(target, limits) : askByCommand(settings.command, target, limits);
  };
}
