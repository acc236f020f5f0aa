// What the lab needs of the machine: root, Debian (or what is made of it), and packages, which it installs where missing.

import { readFileSync } from "node:fs";
import { attempt, run } from "./run.ts";

/** Besides what every Debian has. LXD's own start on a machine with systemd is in nobody's way: another LXD_DIR. */
const packages = [
  ...["lxd", "lxd-client", "dnsmasq-base", "iptables", "nftables", "squashfs-tools", "zstd"],
  ...["mmdebstrap", "iproute2", "openssh-client", "openssl"],
];

/** Throws, in a sentence, where no lab can be on this machine. */
export function refuseMachine(uid = process.getuid?.(), osRelease = readOsRelease()): void {
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(osRelease)?.[1];
  if (uid === 0 && value("ID") === "debian" && value("VERSION_ID") === "12") return;
  throw new Error(
    "npm run test:cluster needs root on Debian 12: it starts three LXD daemons in network namespaces. " +
      `This is user ${uid} on ${value("PRETTY_NAME") ?? "an unknown system"}.`,
  );
}

/** Installs what is missing, and nothing where nothing is. */
export async function installPackages(log: (line: string) => void): Promise<void> {
  const { stdout } = await attempt("dpkg-query", [
    "--show",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own fields, not ours.
    "--showformat=${db:Status-Abbrev} ${Package}\n",
    ...packages,
  ]);
  const there = new Set(
    stdout.split("\n").flatMap((line) => (line.startsWith("ii ") ? [line.split(/\s+/).at(-1)] : [])),
  );
  const missing = packages.filter((name) => !there.has(name));
  if (missing.length === 0) return;
  log(`installing ${missing.join(", ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-q"], { env, timeoutSeconds: 300 });
  await run("apt-get", ["install", "-qy", "--no-install-recommends", ...missing], { env, timeoutSeconds: 600 });
}

function readOsRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}
