// The machine that the figures were measured on, without which they are meaningless, and how idle it was meanwhile.

import { execFile } from "node:child_process";
import { cpus, release, totalmem } from "node:os";
import { promisify } from "node:util";
import type { Service } from "./service/service.ts";

/** One line each. `service`: whose PostgreSQL version to include; omitted without it. */
export async function machineLines(service?: Service): Promise<string[]> {
  const [cpu] = cpus();
  const lines = [
    `${cpus().length} cores (${cpu?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    await commitLine(),
    `Linux ${release()}, Node ${process.versions.node}`,
  ];
  if (service === undefined) return lines;
  const [row] = await service.query<{ version: string }>("select current_setting('server_version') as version");
  return [
    ...lines,
    `PostgreSQL ${row?.version ?? "unknown"} (embedded; fsync, synchronous_commit, full_page_writes on)`,
  ];
}

/** The program's revision: figures of another one do not apply to it. */
async function commitLine(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd: import.meta.dirname })).stdout;
  try {
    const commit = (await git("rev-parse", "--short", "HEAD")).trim();
    const isChanged = (await git("--no-optional-locks", "status", "--porcelain", "--", "../src")) !== "";
    return `lessor at ${commit}${isChanged ? " with changes of src/ that are not committed" : ""}`;
  } catch {
    return "lessor of an unknown commit";
  }
}

/** Monitors all cores from now on. Returns their idle share up to the call, 0 to 1. */
export function watchIdle(): () => number {
  const before = times();
  return () => {
    const after = times();
    return (after.idle - before.idle) / Math.max(1, after.all - before.all);
  };
}

function times(): { idle: number; all: number } {
  const each = cpus().map((cpu) => cpu.times);
  const idle = each.reduce((sum, one) => sum + one.idle, 0);
  const all = each.reduce((sum, one) => sum + one.idle + one.user + one.sys + one.nice + one.irq, 0);
  return { idle, all };
}
