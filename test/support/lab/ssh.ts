// A real login at a guest, as a customer does it: OpenSSH's client, which never asks and never remembers.

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, type Ended } from "./run.ts";

export interface SshLogin {
  readonly ip: string;
  readonly user: string;
  /** The private key's file. No other key is tried. */
  readonly key?: string | undefined;
  readonly password?: string | undefined;
  readonly command: string;
}

/**
 * Logs in with exactly what is given and runs the command. `code` 255: ssh itself failed. `directory` is the lab's;
 * `through` a command that runs the client elsewhere (nsenter).
 */
export function sshLogin(login: SshLogin, directory: string, through: readonly string[] = []): Promise<Ended> {
  const { ip, user, key, password, command } = login;
  const how =
    password === undefined
      ? option("BatchMode=yes")
      : [...option("NumberOfPasswordPrompts=1"), ...option("PreferredAuthentications=publickey,password")];
  const words = [...through, "ssh", ...sshOptions(key), ...how, `${user}@${ip}`, command];
  const env =
    password === undefined
      ? {}
      : { SSH_ASKPASS: askpass(directory), SSH_ASKPASS_REQUIRE: "force", LESSOR_LAB_PASSWORD: password };
  const [program = "ssh", ...args] = words;
  return attempt(program, args, { env, timeoutSeconds: 120 });
}

/** What keeps the client from using anything of the one who runs it. `key`: the private key's file. */
export function sshOptions(key?: string): string[] {
  return [
    ...["-F", "none"],
    ...option("StrictHostKeyChecking=no"),
    ...option("UserKnownHostsFile=/dev/null"),
    ...option("GlobalKnownHostsFile=/dev/null"),
    ...option("LogLevel=ERROR"),
    ...option("ConnectTimeout=5"),
    ...option("ServerAliveInterval=5"),
    // A guest that boots in emulation beside other work is silent for longer than three of these. That it was too many is
    // said at a log level below ERROR, so a test would see 255 and no reason.
    ...option("ServerAliveCountMax=12"),
    ...option("IdentitiesOnly=yes"),
    ...option("IdentityAgent=none"),
    ...option(`IdentityFile=${key ?? "none"}`),
  ];
}

function option(text: string): string[] {
  return ["-o", text];
}

/** A program that tells ssh the password, which so stands neither in a file nor among the arguments. */
function askpass(directory: string): string {
  const path = join(directory, "askpass");
  if (!existsSync(path)) {
    writeFileSync(path, "#!/bin/sh\nprintf '%s\\n' \"$LESSOR_LAB_PASSWORD\"\n");
    chmodSync(path, 0o700);
  }
  return path;
}
