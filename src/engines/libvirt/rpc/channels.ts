// Channels of guests over a connection, as streams of libvirt's protocol: what programs in guests write to ports of their
// machines. Used by linked-virsh.ts.
//
// Invariant: the connection is for channels alone. What guests send, however much, delays no call and no event.

import type { ChannelConnection } from "../virsh/virsh.ts";
import { procedures } from "./connection.ts";
import { openConnection, withinOpening } from "./open.ts";
import { XdrWriter } from "./xdr.ts";

/** A domain that is named by its UUID: no number of a running one is needed. */
const NO_ID = 0xffff_ffff;

/** Throws what opening it does, and the reason of `signal`. */
export async function openChannels(uri: string, signal: AbortSignal): Promise<ChannelConnection> {
  let isOver = false;
  const listener = {
    onMessage: () => {},
    onEnd: () => {
      isOver = true;
    },
  };
  const connection = await openConnection(uri, listener, withinOpening(signal));
  return {
    get isOver() {
      return isOver;
    },
    open: ({ name, uuid }, channel, to, within) => {
      const domain = new XdrWriter()
        .text(name)
        .fixed(Buffer.from(uuid.replaceAll("-", ""), "hex"))
        .uint(NO_ID);
      const noFlags = 0;
      return connection.listen(procedures.openChannel, domain.someText(channel).uint(noFlags), to, within);
    },
    close: () => connection.end("it is no longer needed"),
  };
}
