// An interactive session in a machine: its serial console, or the console on which its guest offers the host a root
// shell (guest/boot-script.sh). Used by engine.ts.
//
// A console continues after its shell exits; the guest signals the exit, and the session ends as expected.

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
  // A serial line has no size, so it is set with a command at the shell's prompt.
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
    // Any program might be running in the session by now, so no command can be typed.
    resize: () => {},
    close: () => session.close(),
  };
}

/** Detects the signal that the shell has exited, also across several chunks. */
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
