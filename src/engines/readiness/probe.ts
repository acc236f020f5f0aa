// Whether a guest responds on its SSH port, seen from where the operator configures: by a TCP connection, or by a
// command whose standard input and output are such a connection, like OpenSSH's ProxyCommand (members' networks can be
// private). Used by the real engines.
//
// Invariants: a connection alone is not enough, because port forwards accept for guests that are not up; the greeting
// must begin with "SSH-" (RFC 4253, 4.2). A probe leaves nothing behind. It throws only for its signal.

import { connect } from "node:net";
import { ask, type Limits } from "./asking.ts";
import { askByCommand } from "./by-command.ts";

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

function askByTcp({ ip, port }: ProbeTarget, limits: Limits): Promise<ProbeAnswer> {
  return ask(limits, (hearer) => {
    const socket = connect({ host: ip, port });
    socket.on("data", hearer.data);
    socket.on("error", (error: NodeJS.ErrnoException) => hearer.failed(words(error)));
    socket.on("close", () => hearer.failed("the connection was closed before a greeting"));
    return () => socket.destroy();
  });
}

const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection rejected",
  ECONNRESET: "the connection was closed before a greeting",
  EHOSTUNREACH: "no route to the address",
  ENETUNREACH: "no route to the address",
  ETIMEDOUT: "the address does not respond",
};

function words(error: NodeJS.ErrnoException): string {
  return known[error.code ?? ""] ?? `the connection failed: ${error.code ?? error.message}`;
}
