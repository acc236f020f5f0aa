// The stream to a host's libvirt, for each transport of a URI: a socket of this machine, TCP, TLS with libvirt's own
// certificates, or ssh, as libvirt's client opens them. Used by linked-virsh.ts, which leaves to virsh what fails here.
//
// Invariants. TLS verifies the host's certificate and name. The URI was validated (settings/uri.ts), so its words are
// no options of ssh and need no quotes in the host's shell.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { endingWithUs, kill } from "../virsh/process.ts";

/** Of libvirt's daemons: one for everything, and one for QEMU alone. */
const sockets = { legacy: "/run/libvirt/libvirt-sock", direct: "/run/libvirt/virtqemud-sock" } as const;

/** Throws if it cannot be opened. `signal` limits the opening; of ssh it is not known when it is open. */
export async function openStream(uri: string, signal: AbortSignal): Promise<Duplex> {
  const url = new URL(uri);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const { searchParams: parameters } = url;
  switch (url.protocol) {
    case "qemu:":
      return opened(connectSocket(parameters.get("socket") ?? localSocket(parameters.get("mode"))), "connect", signal);
    case "qemu+tcp:":
      return opened(connectSocket({ host, port: Number(url.port || 16_509) }), "connect", signal);
    case "qemu+tls:":
      return openTls(host, Number(url.port || 16_514), parameters.get("pkipath"), signal);
    case "qemu+ssh:":
      return openSsh(["ssh", ...sshArguments(url, host)]);
    default:
      throw new Error("BUG: a URI of an unknown transport");
  }
}

function localSocket(mode: string | null): string {
  if (mode === "direct" || mode === "legacy") return sockets[mode];
  return existsSync(sockets.direct) ? sockets.direct : sockets.legacy;
}

async function opened<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  try {
    await once(socket, event, { signal });
    return socket.setNoDelay();
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Where libvirt has its certificates. */
const pki = { ca: "/etc/pki/CA", own: "/etc/pki/libvirt" } as const;

async function openTls(host: string, port: number, pkiPath: string | null, signal: AbortSignal): Promise<Duplex> {
  // libvirt has rules of its own for which of these files it takes; virsh knows them.
  if (pkiPath === null && existsSync(join(homedir(), ".pki/libvirt"))) throw new Error("the user has certificates");
  const file = (directory: string, name: string) => readFile(join(pkiPath ?? directory, name));
  const perhaps = (read: Promise<Buffer>) => read.catch(() => undefined);
  const [ca, crl, cert, key] = await Promise.all([
    file(pki.ca, "cacert.pem"),
    perhaps(file(pki.ca, "cacrl.pem")),
    perhaps(file(pki.own, "clientcert.pem")),
    perhaps(file(join(pki.own, "private"), "clientkey.pem")),
  ]);
  const servername = isIP(host) === 0 ? host : undefined;
  const socket = connectTls({ host, port, ca, crl, cert, key, servername });
  await opened(socket, "secureConnect", signal);
  // The daemon's word on our certificate.
  await opened(socket, "readable", signal);
  const [verdict]: Iterable<number> = socket.read(1) ?? [];
  if (verdict === 1) return socket;
  socket.destroy();
  throw new Error("libvirt rejects the certificate");
}

/** With the URI's words, as libvirt's client runs it. */
function sshArguments({ port, username, searchParams: parameters }: URL, host: string): string[] {
  const option = (name: string, value: string | null) => (value === null || value === "" ? [] : [name, value]);
  return [
    ...option("-p", port),
    ...option("-l", username),
    ...option("-i", parameters.get("keyfile")),
    ...["-T", "-o", "BatchMode=yes", "-e", "none", "--", host, `sh -c '${remoteCommand(parameters)}'`],
  ];
}

/** What the host runs: libvirt's helper, or what any host has. */
function remoteCommand(parameters: URLSearchParams): string {
  const socket = parameters.get("socket");
  const mode = parameters.get("mode") ?? "auto";
  const path = socket ?? (mode === "direct" ? sockets.direct : sockets.legacy);
  const netcat = `if nc -q 2>&1 | grep "requires an argument" >/dev/null; then A=-q0; else A=; fi; nc $A -U ${path}`;
  const helper = "virt-ssh-helper qemu:///system";
  const proxy = parameters.get("proxy") ?? "auto";
  if (proxy === "netcat" || socket !== null) return netcat;
  if (proxy === "native" || mode !== "auto") return helper;
  return `if command -v virt-ssh-helper >/dev/null; then ${helper}; else ${netcat}; fi`;
}

/** Ends with this process, and with its stream. */
function openSsh(command: readonly string[]): Duplex {
  const [program = "ssh", ...args] = endingWithUs(command);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  child.on("error", (error) => stream.destroy(error));
  stream.on("close", () => kill(child));
  return stream;
}
