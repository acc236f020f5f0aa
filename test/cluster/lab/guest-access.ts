// Ways from the machine to a guest, which only its member's namespace reaches: a real ssh login, and the probe command.

import type { Ended } from "../../support/lab/run.ts";
import { type SshLogin, sshLogin } from "../../support/lab/ssh.ts";
import type { Layout } from "./layout.ts";

export interface Login extends SshLogin {
  readonly member: string;
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

/** Logs in from the member's namespace, with exactly what is given, and runs the command. `code` 255: ssh itself failed. */
export function ssh({ prefix, directory }: Layout, login: Login): Promise<Ended> {
  return sshLogin(login, directory, ["nsenter", `--net=/run/netns/${prefix}${login.member}`]);
}
