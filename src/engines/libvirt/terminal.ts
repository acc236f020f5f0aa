// An interactive session in a machine: its serial console, or the one on which its guest offers a shell of root to the
// host (guest/boot-script.sh). Used by engine.ts.
//
// A console goes on when a shell on it is left; then the guest says so, and the session ends as a person expects.

import type { Terminal, TerminalOrder } from "../engine.ts";
import { shellEnd } from "../guest/disks.ts";
import { shellAlias } from "./domain-xml.ts";
import type { HostConnection } from "./host-connection.ts";
import { domainName } from "./labels.ts";

/** Throws VirshError. */
export async function openSession(
  { virsh }: HostConnection,
  machineId: string,
  { kind, columns, rows }: TerminalOrder,
  signal: AbortSignal,
): Promise<Terminal> {
  const domain = domainName(machineId);
  const session = await virsh.console(kind === "shell" ? { domain, device: shellAlias } : { domain }, signal);
  // A serial line knows no size, so the shell is told, at its prompt.
  if (kind === "shell") session.write(Buffer.from(`\u0015stty rows ${whole(rows)} cols ${whole(columns)}\n`));
  return {
    onData: (listener) => {
      const isEnd = endWatch();
      session.onData((data) => {
        listener(data);
        if (kind === "shell" && isEnd(data)) session.close();
      });
    },
    onEnd: (listener) => session.onEnd(listener),
    write: (data) => session.write(data),
    unread: () => session.unread(),
    flow: (on) => session.flow(on),
    // What runs in the session may be anything by now: nothing can be typed into it.
    resize: () => {},
    close: () => session.close(),
  };
}

/** Tells whether what has come ends with, or goes over, the sign that the shell was left; it may come in parts. */
function endWatch(): (data: Uint8Array) => boolean {
  let last = "";
  return (data) => {
    const text = last + Buffer.from(data).toString("latin1");
    last = text.slice(-(shellEnd.length - 1));
    return text.includes(shellEnd);
  };
}

function whole(count: number): number {
  return Math.max(Math.floor(count), 1);
}
