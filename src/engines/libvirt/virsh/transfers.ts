// Parts of volumes, from a host and to a host. Used by ../move/; by commands of virsh here, which work with every
// transport and cost a process for each part. ../rpc/transfers.ts does the same over one connection.
//
// Invariant: only a few MiB are in memory, however large the volume is.

import type { CallOptions, Virsh } from "./virsh.ts";
import { fromInput, toOutput } from "./virsh.ts";

export interface VolumeName {
  readonly pool: string;
  readonly name: string;
}

/** A volume that is being read. */
export interface VolumeReader {
  /** These bytes, fewer at its end. Throws VirshError, and the signal's reason. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): void;
}

export interface Transfers {
  /** Close it in any case. `signal`: of the opening and of all reads. Throws VirshError. */
  open(volume: VolumeName, signal: AbortSignal): Promise<VolumeReader>;
  /**
   * Writes the bytes into the volume, from `offset` on; resolves when libvirt has confirmed all of them. If it fails, any
   * part of them may be written. Throws VirshError, the signal's reason, and what `bytes` throws.
   */
  write(volume: VolumeName, offset: number, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/** Of each command. libvirt reads the whole pool again after each upload, so not less. */
const COMMAND_BYTES = 16 * 1024 * 1024;

export function transfersOf(virsh: Virsh): Transfers {
  return virsh.transfers ?? transfersByCommands(virsh);
}

export function transfersByCommands(virsh: Pick<Virsh, "call" | "bytes">): Transfers {
  const words = ({ pool, name }: VolumeName, file: string, offset: number, length: number) => {
    return ["--pool", pool, name, file, "--offset", `${offset}`, "--length", `${length}`];
  };
  const upload = (volume: VolumeName, offset: number, input: Buffer, signal: AbortSignal) => {
    const options: CallOptions = { signal, input };
    return virsh.call(["vol-upload", ...words(volume, fromInput, offset, input.length)], options);
  };
  return {
    open: async (volume, signal) => ({
      read: (offset, length) => virsh.bytes(["vol-download", ...words(volume, toOutput, offset, length)], { signal }),
      close: () => {},
    }),
    write: async (volume, offset, bytes, signal) => {
      let at = offset;
      let waiting: Uint8Array[] = [];
      let length = 0;
      const flush = async () => {
        if (length === 0) return;
        await upload(volume, at, Buffer.concat(waiting), signal);
        at += length;
        [waiting, length] = [[], 0];
      };
      for await (const chunk of bytes) {
        waiting.push(chunk);
        length += chunk.length;
        if (length >= COMMAND_BYTES) await flush();
      }
      await flush();
    },
  };
}
