// Puts what a guest is told, as far as it is no secret, at the top of boot-script.sh. Used by user-data.ts.
// Invariant: every value is quoted, and the same guest always gives the same bytes.

import { readFileSync } from "node:fs";
import type { GuestSpec } from "../engine.ts";
import { fileSystemSerial, secretsInMemory, secretsSerial, shellConsole, shellEnd } from "./disks.ts";
import { secretsEnd, secretsPath } from "./secrets.ts";
import { base64Quote, shellQuote } from "./shell-quote.ts";

/** A directory in the guest that is there once its first boot did what it was told, and before SSH answers. */
export const firstBootMark = "/var/lib/lessor/done";

/**
 * How long a guest waits at boot for its secrets before it goes on without them. An engine has to deliver them within
 * that time, or to restart the guest when it is late.
 */
export const patienceSeconds = 300;

const script = readFileSync(new URL("boot-script.sh", import.meta.url), "utf8");

/**
 * How the guest gets what its user-data does not hold. `file`: the engine writes its secrets into it while it boots, and
 * mounts its file systems. `disks`: as disks.ts says.
 */
export type Delivery = "file" | "disks";

/** The whole script, beginning with `#!/bin/sh`. Throws "BUG: …" for names that were never checked. */
export function bootScript(guest: GuestSpec, delivery: Delivery): string {
  const { loginUser, hostname, sshKeys, fileSystems } = guest;
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(loginUser)) throw new Error("BUG: a login user that is no user name");
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(hostname)) throw new Error("BUG: a bad host name");
  if (sshKeys.some((key) => /[\n\r]/.test(key))) throw new Error("BUG: an SSH key of more than one line");
  const mountPoints = fileSystems.map(({ mountPoint }) => mountPoint);
  // The script goes through them word by word, and makes directories of them.
  if (mountPoints.some((path) => !/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(path))) {
    throw new Error("BUG: a file system whose mount point is no plain path");
  }
  const told = {
    login: shellQuote(loginUser),
    host_name: shellQuote(hostname),
    keys: base64Quote(sshKeys.map((key) => `${key}\n`).join("")),
    password_login: guest.password === undefined ? "no" : "yes",
    file_systems: shellQuote(mountPoints.join(" ")),
    secrets_path: shellQuote(delivery === "file" ? secretsPath : secretsInMemory),
    secrets_end: shellQuote(secretsEnd),
    patience_seconds: `${patienceSeconds}`,
    ...disksOf(fileSystems, delivery),
  };
  const assignments = Object.entries(told).map(([name, value]) => `${name}=${value}\n`);
  return `#!/bin/sh\n${assignments.join("")}\n${script}`;
}

function disksOf(fileSystems: GuestSpec["fileSystems"], delivery: Delivery): Record<string, string> {
  if (delivery === "file") return { secrets_disk: "''", file_system_disks: "''", shell_console: "''", shell_end: "''" };
  return {
    secrets_disk: shellQuote(secretsSerial),
    file_system_disks: shellQuote(
      fileSystems.map(({ id, mountPoint }) => `${mountPoint}:${fileSystemSerial(id)}`).join(" "),
    ),
    shell_console: shellQuote(shellConsole),
    // As printf of any shell understands it; it stands between single quotes once more in the guest.
    shell_end: shellQuote(shellEnd.replace("\u001b", "\\033").replace("\u0007", "\\007")),
  };
}
