// Ways from the machine to a guest, which only its member's namespace reaches: a real ssh login, and the probe command.

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { attempt, type Ended } from "./run.ts";

export interface Login {
  readonly member: string;
  readonly ip: string;
  readonly user: string;
  /** The private key's file. No other key is tried. */
  readonly key?: string | undefined;
  readonly password?: string | undefined;
  readonly command: string;
}

// Both directions, and the end of each is passed on: a shell with /dev/tcp cannot do that, and stays behind now and then.
// Perl's base is part of every Debian. No single quotes in it, so that it can be quoted with them.
const RELAY = `
use Socket;
socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) or die "$!\\n";
sub relay {
  my ($from, $to, $bytes) = @_;
  while (sysread($from, $bytes, 65536)) {
    for (my $at = 0; $at < length $bytes; ) { $at += syswrite($to, $bytes, length($bytes) - $at, $at) || return }
  }
}
my $child = fork // die "$!\\n";
if ($child) { relay(*S, *STDOUT); kill "KILL", $child }
else { relay(*STDIN, *S); shutdown(S, 1) }
`;

/**
 * A command whose standard input and output are a connection to {ip}:{port} as {host} sees it, as ssh's ProxyCommand is.
 * nsenter and not `ip netns exec`, which mounts a /sys besides. Until a guest's greeting: 20 ms.
 */
export function probeCommand({ prefix }: Layout): string[] {
  return ["nsenter", `--net=/run/netns/${prefix}{host}`, "perl", "-e", RELAY, "{ip}", "{port}"];
}

/** Logs in with exactly what is given and runs the command. `code` 255: ssh itself failed. Never asks, never remembers. */
export function ssh(layout: Layout, login: Login): Promise<Ended> {
  const { member, ip, user, key, password, command } = login;
  const option = (text: string) => ["-o", text];
  const options = [
    ...["-F", "none"],
    ...option("StrictHostKeyChecking=no"),
    ...option("UserKnownHostsFile=/dev/null"),
    ...option("GlobalKnownHostsFile=/dev/null"),
    ...option("LogLevel=ERROR"),
    ...option("ConnectTimeout=5"),
    ...option("ServerAliveInterval=5"),
    ...option("IdentitiesOnly=yes"),
    ...option("IdentityAgent=none"),
    ...option(`IdentityFile=${key ?? "none"}`),
    ...(password === undefined
      ? option("BatchMode=yes")
      : [...option("NumberOfPasswordPrompts=1"), ...option("PreferredAuthentications=publickey,password")]),
  ];
  const args = [`--net=/run/netns/${layout.prefix}${member}`, "ssh", ...options, `${user}@${ip}`, command];
  const env =
    password === undefined
      ? {}
      : { SSH_ASKPASS: askpass(layout), SSH_ASKPASS_REQUIRE: "force", LESSOR_LAB_PASSWORD: password };
  return attempt("nsenter", args, { env, timeoutSeconds: 60 });
}

/** A program that tells ssh the password, which so stands neither in a file nor among the arguments. */
function askpass({ directory }: Layout): string {
  const path = join(directory, "askpass");
  if (!existsSync(path)) {
    writeFileSync(path, "#!/bin/sh\nprintf '%s\\n' \"$LESSOR_LAB_PASSWORD\"\n");
    chmodSync(path, 0o700);
  }
  return path;
}
