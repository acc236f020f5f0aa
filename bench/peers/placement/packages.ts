// Installs the Debian packages that Placement needs, on Debian as root.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The library with its WSGI program, the driver, and a server. Not placement-api, which would start a daemon. */
const packages = ["python3-placement", "python3-psycopg2", "uwsgi-core", "uwsgi-plugin-python3"];

/** Does nothing if all are installed. Throws with apt's message, or why apt cannot be used. */
export async function installPackages(): Promise<void> {
  if (!existsSync("/usr/bin/apt-get"))
    throw new Error("OpenStack Placement comes from Debian, and there is no apt-get here");
  if (await areInstalled()) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`OpenStack Placement is not installed, and only root can: apt-get install ${packages.join(" ")}`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env, timeout: 300_000 });
}

async function areInstalled(): Promise<boolean> {
  try {
    const { stdout } = await run("dpkg-query", ["--status", ...packages]);
    return stdout.match(/^Status: install ok installed$/gm)?.length === packages.length;
  } catch {
    return false;
  }
}
