// How a libvirt host is reached. Of all that a URI can say only what is known to be harmless is taken: a URI can run a
// program here (`command`) and one on the host (`netcat`), give up proving who answers (`no_verify`), name another
// hypervisor (`name`), and what libvirt does not know of it ends up in a command for the host's shell.
// Invariant: no error repeats the URI, for a refused one may hold a password. Used by engines/libvirt/settings/settings.ts.

import { BlockList, isIP } from "node:net";
import { ConfigError } from "../../../settings/error.ts";

export interface LibvirtUri {
  /** As it was written; for ssh with no_tty=1, so that ssh fails where it would ask a person. */
  readonly uri: string;
  /** What two URIs of the same daemon have in common, as far as their words show. Not for people. */
  readonly daemon: string;
}

/** `name` is the setting. Throws ConfigError. */
export function resolveUri(text: string, name: string): LibvirtUri {
  const parts = /^qemu(?:\+(?<transport>ssh|tls|tcp))?:\/\/(?<server>[^/?#]*)\/system(?:\?(?<query>.*))?$/.exec(text);
  const transport = transportOf(parts?.groups?.transport);
  const server = serverOf(parts?.groups?.server ?? "", transport);
  if (parts === null || server === undefined) throw new ConfigError(`${name} must be ${transports}.`);
  if (transport === "tcp" && !isNear(server.host)) {
    throw new ConfigError(
      `${name} must not be qemu+tcp:// except to a loopback or private IP address: it has no ` +
        "authentication and no encryption. Use qemu+ssh:// or qemu+tls://.",
    );
  }
  const parameters = parametersOf(parts.groups?.query, transport, name);
  const asks = transport === "ssh" && !parameters.has("no_tty");
  return {
    uri: asks ? `${text}${parts.groups?.query === undefined ? "?" : "&"}no_tty=1` : text,
    daemon: JSON.stringify([server.host, server.port, parameters.get("socket")]),
  };
}

type Transport = "local" | "ssh" | "tls" | "tcp";

const transports =
  "qemu:///system for this machine, or qemu+ssh://user@host/system, qemu+tls://host/system or qemu+tcp://address/system, " +
  "each with :port if it is not the default, and without a password; a user only for ssh";

const ports: Readonly<Record<Transport, string>> = { local: "", ssh: "22", tls: "16514", tcp: "16509" };

/**
 * One rule for paths: nothing in them means anything to a URI or to the shell of a host. A ";" would, as "&" does: libvirt
 * 9.0 takes `keyfile=/a;no_verify=1` for two parameters.
 */
const path = { pattern: /^\/[\w.@+/-]{1,255}$/, description: 'an absolute path of letters, digits and "._@+/-"' };
const oneOf = (...values: string[]) => ({
  pattern: new RegExp(`^(${values.join("|")})$`),
  description: values.join(" or "),
});

/**
 * What may stand after the "?". Not here, although libvirt documents it, beside what the top of this file says:
 * known_hosts, known_hosts_verify and sshauth (qemu+ssh:// ignores them: the transports of other libraries have them, so
 * an operator would rely on a check that is not made; ~/.ssh/config says the same), no_sanity and tls_priority (either
 * can weaken TLS).
 */
const allowed: Readonly<Record<Transport, Readonly<Record<string, { pattern: RegExp; description: string }>>>> = {
  local: { socket: path, mode: oneOf("auto", "direct", "legacy") },
  ssh: {
    keyfile: path,
    socket: path,
    no_tty: oneOf("1"),
    proxy: oneOf("auto", "native", "netcat"),
    mode: oneOf("auto", "direct", "legacy"),
  },
  tls: { pkipath: path, authfile: path },
  tcp: { authfile: path },
};

function transportOf(text: string | undefined): Transport {
  return text === "ssh" || text === "tls" || text === "tcp" ? text : "local";
}

/** Undefined where it cannot be one. A port that is the usual one is "", as one that is not there. */
function serverOf(text: string, transport: Transport): { readonly host: string; readonly port: string } | undefined {
  if (transport === "local") return text === "" ? { host: "", port: "" } : undefined;
  const parts = /^(?:(?<user>\w[\w.-]{0,63})@)?(?<host>\[[^\]]+\]|[^@:[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (parts === undefined || (parts.user !== undefined && transport !== "ssh")) return undefined;
  const host = hostOf(parts.host ?? "");
  const port = parts.port === undefined ? ports[transport] : String(Number(parts.port));
  if (host === undefined || port === "0" || Number(port) > 65_535) return undefined;
  return { host, port: port === ports[transport] ? "" : port };
}

/** A host's name or address as it is always written, without brackets; undefined where it is none. */
function hostOf(text: string): string | undefined {
  if (text.startsWith("[")) {
    const address = text.slice(1, -1);
    // A zone (fe80::1%eth0) is no part of a URL, and libvirt takes none in a URI either.
    return isIP(address) === 6 && !address.includes("%") ? new URL(`http://${text}`).hostname.slice(1, -1) : undefined;
  }
  const labels = text.replace(/\.$/, "").toLowerCase().split(".");
  // An underscore is in no host name, but in the aliases of ~/.ssh/config.
  return labels.every((label) => /^\w([\w-]{0,61}\w)?$/.test(label)) ? labels.join(".") : undefined;
}

/** Addresses only: where a name leads is somebody else's word. */
function isNear(host: string): boolean {
  const kind = isIP(host);
  return kind !== 0 && near.check(host, kind === 6 ? "ipv6" : "ipv4");
}

const near = new BlockList();
near.addSubnet("127.0.0.0", 8, "ipv4");
near.addSubnet("10.0.0.0", 8, "ipv4");
near.addSubnet("172.16.0.0", 12, "ipv4");
near.addSubnet("192.168.0.0", 16, "ipv4");
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");

function parametersOf(query: string | undefined, transport: Transport, name: string): ReadonlyMap<string, string> {
  const rules = allowed[transport];
  const found = new Map<string, string>();
  for (const pair of query?.split("&") ?? []) {
    const [key = "", value = ""] = pair.split(/=(.*)/s);
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined || found.has(key)) {
      const scheme = transport === "local" ? "qemu://" : `qemu+${transport}://`;
      throw new ConfigError(
        `${name} can have after the "?" only, each at most once: ${Object.keys(rules).join(", ")} (for ${scheme}).`,
      );
    }
    if (!rule.pattern.test(value)) throw new ConfigError(`${name} must have, as its ${key}, ${rule.description}.`);
    found.set(key, value);
  }
  return found;
}
