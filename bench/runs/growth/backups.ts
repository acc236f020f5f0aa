// `lessor backup` and `lessor restore` as typed, timed. A restore reads the file of the backup before it.

import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { program, type Service, startOptions } from "../../service/service.ts";

const fileOf = (service: Service) => join(service.directory, "lessor.backup");

/** Seconds, while the service runs. */
export async function backupSeconds(service: Service): Promise<number> {
  await rm(fileOf(service), { force: true });
  return lessor(service, ["backup", "-o", fileOf(service)]);
}

/** Seconds, into a new database of its own, whose creation is in it. Database and file are removed. */
export async function restoreSeconds(service: Service): Promise<number> {
  const directory = join(service.directory, "restored");
  // PostgreSQL's user passes through.
  await mkdir(directory, { mode: 0o711 });
  try {
    return await lessor(service, ["restore", fileOf(service)], { LESSOR_DATA_DIR: join(directory, "data") });
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await rm(fileOf(service), { force: true });
  }
}

async function lessor(service: Service, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const begun = performance.now();
  await promisify(execFile)(process.execPath, [...startOptions, program, ...args], {
    cwd: service.directory,
    env: { ...service.environment, ...env },
  });
  return (performance.now() - begun) / 1000;
}
