// OpenStack Placement as Debian packages it, on its own database in the service's PostgreSQL: what OpenStack calls
// before it creates a machine. Behind uWSGI, as in production, without authentication.

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../service/ports.ts";
import { Program } from "../../service/program.ts";
import type { Service } from "../../service/service.ts";
import { makeDatabase } from "../launch-floor/start.ts";
import { type PerhapsPeer, reasonOf } from "../missing.ts";
import { installPackages } from "./packages.ts";
import { makeProviders } from "./reservations.ts";

const DATABASE = "bench_placement";
const WSGI = "/usr/bin/placement-api";
const UWSGI = "/usr/bin/uwsgi-core";
/** One for each core of this kind of machine, and one that waits for the database meanwhile. */
const PROCESSES = 4;

/** With inventories to reserve from. `installs`: false to use it only if it is there. */
export async function startPlacement(service: Service, directory: string, installs: boolean): Promise<PerhapsPeer> {
  try {
    if (installs) await installPackages();
    if (!existsSync(WSGI) || !existsSync(UWSGI)) {
      return { missing: "OpenStack Placement is not installed; a full run as root installs it" };
    }
    const [port = 0] = await freePorts(1);
    const program = await startProgram(service, join(directory, "placement"), port);
    await makeProviders(port);
    return { port, [Symbol.asyncDispose]: () => program.end("SIGINT") };
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

async function startProgram(service: Service, directory: string, port: number): Promise<Program> {
  await makeDatabase(service, DATABASE);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "placement.conf"), settings(service));
  const program = new Program({
    name: "OpenStack Placement",
    command: UWSGI,
    args: [
      ...["--plugins", "python3,http"],
      ...["--master", "--die-on-term", "--need-app", "--disable-logging", "--enable-threads"],
      ...["--processes", String(PROCESSES), "--wsgi-file", WSGI],
      // Its router keeps connections open, without occupying its workers.
      ...["--http", `127.0.0.1:${port}`, "--http-keepalive"],
    ],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", OS_PLACEMENT_CONFIG_DIR: directory, LC_ALL: "C.UTF-8" },
    cwd: directory,
    logFile: join(directory, "placement.log"),
    group: true,
  });
  try {
    await program.until(async () => (await fetch(`http://127.0.0.1:${port}/`)).ok, 100, 60);
  } catch (error) {
    await program.end("SIGINT");
    throw error;
  }
  return program;
}

function settings(service: Service): string {
  const host = encodeURIComponent(service.socketDirectory);
  return `[DEFAULT]
debug = false
[api]
auth_strategy = noauth2
[placement_database]
connection = postgresql+psycopg2://lessor@/${DATABASE}?host=${host}
sync_on_startup = true
`;
}
