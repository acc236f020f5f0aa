// What a virtual machine gets by disks, because its host cannot write into a running guest: its secrets, and its file
// systems. The guest knows them by their serial numbers, whatever the order it finds them in.
//
// Invariant: a serial number is at most 20 characters, which is what virtio has room for.

import type { GuestSpec } from "../engine.ts";
import { secretsFor } from "./secrets.ts";

/** The serial number of the disk with the secrets. The engine keeps its content in memory only. */
export const secretsSerial = "lessor-secrets";

/** The console on which the guest offers a shell of root to its host. */
export const shellConsole = "hvc0";

/** What the guest writes there when the shell was left: a control sequence, which every terminal passes over. */
export const shellEnd = "\u001b]lessor;shell-ended\u0007";

/** Where the guest has the secrets while its boot script reads them: in memory. */
export const secretsInMemory = "/run/lessor-secrets";

const SECTOR = 512;

/**
 * The bytes of that disk: whole sectors. What is too much are empty lines before the text, so that the guest can tell by
 * the last line that it is whole. Throws as secretsFor.
 */
export function secretsDisk(guest: GuestSpec): Buffer {
  const text = Buffer.from(secretsFor(guest));
  const padding = (SECTOR - (text.length % SECTOR)) % SECTOR;
  return Buffer.concat([Buffer.alloc(padding, "\n"), text]);
}

/** The serial number of a file system's disk: 80 of the 128 bits of its id. */
export function fileSystemSerial(fileSystemId: string): string {
  const digits = fileSystemId.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new Error("BUG: a file system whose id is no UUID");
  return digits.slice(0, 20);
}
