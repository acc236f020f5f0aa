// Writes the guest's settings, except secrets, as assignments at the top of boot-script.sh. Used by user-data.ts.
// Invariant: every value is quoted, and the same guest always gives the same bytes.

import { readFileSync } from "node:fs";
import type { GuestSpec } from "../engine.ts";
import { fileSystemSerial, secretsInMemory, secretsSerial, shellConsole, shellEnd } from "./disks.ts";
import { secretsEnd, secretsPath } from "./secrets.ts";
import { base64Quote, shellQuote } from "./shell-quote.ts";

/** A directory in the guest that exists once the first boot has completed, and before SSH responds. */
export const firstBootMark = "/var/lib/lessor/done";

/**
 * How long a guest waits at boot for its secrets before it continues without them. An engine must deliver them in time,
 * or restart the guest.
 */
export const patienceSeconds = 300;

const script = readFileSync(new URL("boot-script.sh", import.meta.url), "utf8");
const fileTaker = readFileSync(new URL("file-taker.sh", import.meta.url), "utf8");
const secretsFetcher = readFileSync(new URL("secrets-fetcher.py", import.meta.url), "utf8");

/**
 * How the guest gets secrets and file systems. `file`: the engine writes the secrets into a file during boot, and
 * mounts the file systems. `disks`: see disks.ts. With `secretsUrl`: the guest fetches the secrets from the cloud's
 * metadata service there, and finds the disks of its file systems by the serial numbers that `serialOf` gives by id.
 */
export type Delivery =
  | "file"
  | "disks"
  | { readonly secretsUrl: string; readonly serialOf: (fileSystemId: string) => string };

/** The whole script, from `#!/bin/sh`. Throws "BUG: …" for names that were not validated. */
export function bootScript(guest: GuestSpec, delivery: Delivery): string {
  const { loginUser, hostname, sshKeys, fileSystems } = guest;
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(loginUser)) throw new Error("BUG: a login user that is not a user name");
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(hostname)) throw new Error("BUG: a bad host name");
  if (sshKeys.some((key) => /[\n\r]/.test(key))) throw new Error("BUG: an SSH key of more than one line");
  const mountPoints = fileSystems.map(({ mountPoint }) => mountPoint);
  // The script splits them into words and creates directories.
  if (mountPoints.some((path) => !/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(path))) {
    throw new Error("BUG: a file system whose mount point is not a plain path");
  }
  const told = {
    login: shellQuote(loginUser),
    host_name: shellQuote(hostname),
    keys: base64Quote(sshKeys.map((key) => `${key}\n`).join("")),
    password_login: guest.password === undefined ? "no" : "yes",
    file_systems: shellQuote(mountPoints.join(" ")),
    secrets_path: shellQuote(delivery === "disks" ? secretsInMemory : secretsPath),
    secrets_end: shellQuote(secretsEnd),
    patience_seconds: `${patienceSeconds}`,
    ...disksOf(fileSystems, delivery),
  };
  const assignments = Object.entries(told).map(([name, value]) => `${name}=${value}\n`);
  return `#!/bin/sh\n${assignments.join("")}\n${script}`;
}

function disksOf(fileSystems: GuestSpec["fileSystems"], delivery: Delivery): Record<string, string> {
  const none = Object.fromEntries(
    [
      "secrets_disk",
      "file_system_disks",
      "shell_console",
      "shell_end",
      "file_taker",
      "secrets_fetcher",
      "secrets_url",
    ].map((name) => [name, "''"]),
  );
  if (delivery === "file") return none;
  const serialOf = delivery === "disks" ? fileSystemSerial : delivery.serialOf;
  const disks = {
    ...none,
    file_system_disks: shellQuote(fileSystems.map(({ id, mountPoint }) => `${mountPoint}:${serialOf(id)}`).join(" ")),
  };
  if (delivery !== "disks") {
    return { ...disks, secrets_fetcher: base64Quote(secretsFetcher), secrets_url: shellQuote(delivery.secretsUrl) };
  }
  return {
    ...disks,
    secrets_disk: shellQuote(secretsSerial),
    shell_console: shellQuote(shellConsole),
    // For printf of any shell; in the guest it is within single quotes again.
    shell_end: shellQuote(shellEnd.replace("\u001b", "\\033").replace("\u0007", "\\007")),
    file_taker: base64Quote(fileTaker),
  };
}
