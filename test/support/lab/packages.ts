// What a lab needs of the machine: root, Debian (or what is made of it), and packages, which it installs where missing.

import { readFileSync } from "node:fs";
import { attempt, run } from "./run.ts";

/** Throws, in a sentence, where no lab can be on this machine. `purpose`: who needs it, and what for. */
export function refuseMachine(
  purpose: { command: string; starts: string },
  uid = process.getuid?.(),
  osRelease = readOsRelease(),
): void {
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(osRelease)?.[1];
  if (uid === 0 && value("ID") === "debian" && value("VERSION_ID") === "12") return;
  throw new Error(
    `${purpose.command} needs root on Debian 12: it starts ${purpose.starts} in network namespaces. ` +
      `This is user ${uid} on ${value("PRETTY_NAME") ?? "an unknown system"}.`,
  );
}

/** Two labs may come up at once; what is held of it would make apt fail. */
const oneAtATime = "/run/lock/lessor-test-packages";

// Debian's packages start their daemons unless this file ends with 101. What was there comes back, also after a failure; $@
// is the command.
const WITHOUT_DAEMONS = `
policy=/usr/sbin/policy-rc.d
restore() { rm -f "$policy"; [ ! -e "$policy.before-lessor" ] || mv "$policy.before-lessor" "$policy"; }
trap restore EXIT
trap 'exit 130' INT TERM
if [ -e "$policy" ] && [ ! -e "$policy.before-lessor" ]; then mv "$policy" "$policy.before-lessor"; fi
printf '#!/bin/sh\\nexit 101\\n' > "$policy"
chmod 755 "$policy"
"$@"`;

export interface InstallOptions {
  /** Default: what the packages start. */
  readonly daemons?: "none";
}

/** Installs what is missing, and nothing where nothing is. */
export async function installPackages(
  packages: readonly string[],
  log: (line: string) => void,
  { daemons }: InstallOptions = {},
): Promise<void> {
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
  await run("flock", [oneAtATime, "apt-get", "update", "-q"], { env, timeoutSeconds: 300 });
  const guarded = daemons === "none" ? ["sh", "-c", WITHOUT_DAEMONS, "sh"] : [];
  await run("flock", [oneAtATime, ...guarded, "apt-get", "install", "-qy", "--no-install-recommends", ...missing], {
    env,
    timeoutSeconds: 600,
  });
}

function readOsRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}
