// Opens a connection to a host's libvirt: the transport, and libvirt's greeting. Used by linked-virsh.ts and transfers.ts.

import { VirshError } from "../virsh/virsh-error.ts";
import { Connection, type ConnectionListener, ConnectionLost, procedures } from "./connection.ts";
import { openStream } from "./transport.ts";
import { XdrWriter } from "./xdr.ts";

/** Less than a host check may take (timeouts.ts), which waits for it before it asks by virsh. */
const OPEN_MS = 8000;

/** A host that wants a password wants another one. */
const authentications = { none: 0, polkit: 2 } as const;

/** `signal`, and the end of what an opening may take with all that belongs to it. */
export function withinOpening(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]);
}

/** Throws where virsh might still get through, such as at a host that wants a password; and the reason of `signal`. */
export async function openConnection(
  uri: string,
  listener: ConnectionListener,
  signal: AbortSignal,
): Promise<Connection> {
  const connection = new Connection(await openStream(uri, signal), listener);
  try {
    const call = (procedure: number, body = new XdrWriter()) => connection.call(procedure, body, signal);
    const offered = await call(procedures.authentications);
    const [authentication] = offered.list(() => offered.uint());
    if (authentication === authentications.polkit) await call(procedures.authenticatePolkit);
    else if (authentication !== authentications.none) throw new Error("libvirt wants a password");
    await call(procedures.open, new XdrWriter().someText("qemu:///system").uint(0));
    return connection;
  } catch (error) {
    connection.end("it could not be opened");
    throw error;
  }
}

/** Why the host cannot be connected to, if that is why its connection could not be opened; undefined: virsh may be able to. */
export function whyDown(error: unknown): string | undefined {
  if (error instanceof ConnectionLost) return error.message;
  if (!(error instanceof Error)) return undefined;
  if (error.name === "TimeoutError") return "it does not respond";
  const call = "syscall" in error ? error.syscall : undefined;
  return call === "connect" || call === "getaddrinfo" || call === "read" ? error.message : undefined;
}

/** What virsh says of a host that cannot be connected to. */
export function notConnected(why: string): VirshError {
  return VirshError.answered(`failed to connect to the hypervisor: ${why}`);
}
