// The disks of a virtual machine whose host cannot write into a running guest: one with its secrets, and its file
// systems. The guest finds them by serial number, in any order.
//
// Invariant: a serial number has at most 20 characters, the limit of virtio.

import type { GuestSpec } from "../engine.ts";
import { secretsFor } from "./secrets.ts";

/** The serial number of the secrets disk. The engine keeps its content in memory only. */
export const secretsSerial = "lessor-secrets";

/** The console on which the guest offers its host a root shell. */
export const shellConsole = "hvc0";

/** What the guest writes there when the shell ends: a control sequence that terminals ignore. */
export const shellEnd = "\u001b]lessor;shell-ended\u0007";

/** Where the boot script reads the secrets: a path in memory. */
export const secretsInMemory = "/run/lessor-secrets";

const SECTOR = 512;

/**
 * The bytes of that disk, in whole sectors. Padded with empty lines before the text, so that the last line shows that
 * it is complete. Throws as secretsFor.
 */
export function secretsDisk(guest: GuestSpec): Buffer {
  const text = Buffer.from(secretsFor(guest));
  const padding = (SECTOR - (text.length % SECTOR)) % SECTOR;
  return Buffer.concat([Buffer.alloc(padding, "\n"), text]);
}

/** The serial number of a file system's disk: 80 of the 128 bits of its id. */
export function fileSystemSerial(fileSystemId: string): string {
  const digits = fileSystemId.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new Error("BUG: a file system whose id is not a UUID");
  return digits.slice(0, 20);
}
