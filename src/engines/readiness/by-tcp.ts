// The SSH probe by a TCP connection. Used by probe.ts.

import { connect } from "node:net";
import { ask, type Limits } from "./asking.ts";
import type { ProbeAnswer, ProbeTarget } from "./probe.ts";

export function askByTcp({ ip, port }: ProbeTarget, limits: Limits): Promise<ProbeAnswer> {
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
