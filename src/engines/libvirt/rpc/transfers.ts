// Parts of volumes over a connection, as streams of libvirt's protocol. Each reader and each write has a connection of
// its own: a daemon whose disk is slow reads nothing more of a connection, and events must not wait for that. Used by
// linked-virsh.ts.
//
// Invariant: virsh transfers where only virsh can connect, such as at a host that wants a password. A host that is down
// is down for virsh too. A transfer that has begun is not repeated here: its caller knows how far it is.

import { type Transfers, transfersByCommands, type VolumeName } from "../virsh/transfers.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { type Connection, ConnectionLost, procedures } from "./connection.ts";
import { notConnected, openConnection, whyDown, withinOpening } from "./open.ts";
import { XdrWriter } from "./xdr.ts";

/** `virsh`: what is used where only virsh can connect. */
export function linkedTransfers(uri: string, virsh: Virsh): Transfers {
  const byVirsh = transfersByCommands(virsh);
  return {
    open: async (volume, signal) => {
      const connection = await connectionTo(uri, signal);
      if (connection === undefined) return byVirsh.open(volume, signal);
      const close = () => connection.end("it is no longer needed");
      try {
        const found = await told(() => find(connection, volume, signal));
        const read = (offset: number, length: number) =>
          told(() => connection.receive(procedures.volumeDownload, partOf(found, offset, length), length, signal));
        return { read, close };
      } catch (error) {
        close();
        throw error;
      }
    },
    write: async (volume, offset, bytes, signal) => {
      const connection = await connectionTo(uri, signal);
      if (connection === undefined) return byVirsh.write(volume, offset, bytes, signal);
      try {
        await told(async () => {
          const found = await find(connection, volume, signal);
          await connection.send(procedures.volumeUpload, partOf(found, offset, TO_THE_END), bytes, signal);
        });
      } finally {
        connection.end("it is no longer needed");
      }
    },
  };
}

const TO_THE_END = 0;

/** Undefined: only virsh can connect. Throws VirshError where the host is down, and the reason of `signal`. */
async function connectionTo(uri: string, signal: AbortSignal): Promise<Connection | undefined> {
  try {
    return await openConnection(uri, { onMessage: () => {}, onEnd: () => {} }, withinOpening(signal));
  } catch (error) {
    signal.throwIfAborted();
    const why = whyDown(error);
    if (why !== undefined) throw notConnected(why);
    return undefined;
  }
}

/** Turns the end of the connection into what virsh says of it. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectionLost) throw VirshError.answered("client socket is closed");
    throw error;
  }
}

/** In libvirt's terms: pool, name and key. */
type Found = readonly [pool: string, name: string, key: string];

async function find(connection: Connection, { pool, name }: VolumeName, signal: AbortSignal): Promise<Found> {
  const of = await connection.call(procedures.poolByName, new XdrWriter().text(pool), signal);
  const asked = new XdrWriter().text(of.text()).fixed(of.fixed(UUID_BYTES)).text(name);
  const body = await connection.call(procedures.volumeByName, asked, signal);
  return [body.text(), body.text(), body.text()];
}

const UUID_BYTES = 16;

function partOf([pool, name, key]: Found, offset: number, length: number): XdrWriter {
  const noFlags = 0;
  return new XdrWriter().text(pool).text(name).text(key).hyper(offset).hyper(length).uint(noFlags);
}
