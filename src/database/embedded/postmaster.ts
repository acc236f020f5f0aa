// One run of the PostgreSQL server as our child: started, monitored, stopped. It dies with us (a death signal from the
// kernel, if `setpriv` exists; if not, orphan.ts cleans up at the next start), but only with us: it has its own
// session, so that a Ctrl-C in the terminal does not stop it while the program is still draining.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { isUnavailable } from "../unavailable.ts";
import type { Binaries } from "./binaries.ts";
import { DATABASE_NAME, processOptions } from "./cluster.ts";
import { socketUrl } from "./socket.ts";
import type { SystemUser } from "./system-user.ts";

export interface Postmaster {
  /** Fulfilled with the reason when the server has ended, for any cause. */
  exited: Promise<string>;
  /** Fast shutdown: ends sessions, writes a checkpoint; waits for the exit. Does nothing when it has ended. */
  stop(): Promise<void>;
}

export interface PostmasterPlan {
  binaries: Binaries;
  cluster: string;
  socketDirectory: string;
  user: SystemUser | undefined;
  settings: Readonly<Record<string, string | number>>;
  log: (line: string) => void;
  /** Called when the server process has been spawned. */
  meanwhile: () => void;
}

/** Recovery after a crash replays the log since the last checkpoint: usually seconds, rarely more than a minute. */
const READY_DEADLINE_MS = 300_000;
const FAST_SHUTDOWN_MS = 60_000;

/** Fulfilled when the server accepts queries on the program's database. Throws with the end of its log if it ends. */
export async function startPostmaster(plan: PostmasterPlan): Promise<Postmaster> {
  const child = spawnServer(plan);
  const log = followLog(child, plan.log);
  plan.meanwhile();
  const exited = exitOf(child, log.ended);
  const reason = await Promise.race([exited, answer(plan, exited)]);
  if (reason === undefined) return { exited, stop: () => stop(child, exited, plan.log) };
  child.kill("SIGQUIT");
  await exited;
  throw new Error(`PostgreSQL did not start on ${plan.cluster}: ${reason}. Its last words:\n${log.tail()}`);
}

function spawnServer({ binaries, cluster, socketDirectory, user, settings }: PostmasterPlan): ChildProcess {
  const all = {
    listen_addresses: "",
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    max_connections: 100,
    shared_buffers: "128MB",
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off", // JIT pays for long analyses, not for our short statements
    // The program's log has a time on each line. Errors of statements are the program's to report: a lost race for a
    // unique name is normal, and its text may hold customer data.
    log_line_prefix: "",
    log_min_messages: "log",
    log_checkpoints: "off",
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [...(deathSignal() ?? []), binaries.postgres, "-D", cluster, ...args];
  const [program = binaries.postgres, ...rest] = command;
  return spawn(program, rest, { ...processOptions(user), detached: true, stdio: ["ignore", "ignore", "pipe"] });
}

/** Not every system has setpriv, and not every setpriv (busybox) has this option. */
function deathSignal(): string[] | undefined {
  const prefix = ["setpriv", "--pdeathsig", "INT", "--"];
  const { status } = spawnSync("setpriv", [...prefix.slice(1), "true"], { cwd: "/" });
  return status === 0 ? prefix : undefined;
}

/** PostgreSQL's lines go to `log`; the last few are kept for the error of a failed start. */
function followLog(child: ChildProcess, log: (line: string) => void) {
  if (!child.stderr) throw new Error("BUG: the server was started without a pipe for its log");
  const kept: string[] = [];
  const ended = Promise.withResolvers<void>();
  createInterface({ input: child.stderr })
    .on("line", (line) => {
      kept.push(line);
      if (kept.length > 20) kept.shift();
      log(line);
    })
    .on("close", () => ended.resolve());
  return { tail: () => kept.join("\n"), ended: ended.promise };
}

async function exitOf(child: ChildProcess, logEnded: Promise<void>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on("error", (error) => resolve(error.message)); // the spawn failed
  child.on("exit", (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  const reason = await promise;
  // The last lines of the log may still be in the pipe. But server processes that outlive a killed postmaster keep the
  // pipe open, so the wait for its end is short.
  await Promise.race([logEnded, sleep(100)]);
  return reason;
}

/** Undefined when the server responds, else why the wait ended. */
async function answer({ cluster, socketDirectory }: PostmasterPlan, exited: Promise<string>) {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  for (const deadline = Date.now() + READY_DEADLINE_MS; !ended && Date.now() < deadline; await sleep(10)) {
    if (!(await saysReady(cluster))) continue;
    try {
      return await createDatabaseOnce(socketDirectory);
    } catch (error) {
      // The file may be an earlier server's, so "ready" is only a reason to connect, and these errors are possible too.
      if (!isUnavailable(error)) return String(error);
    }
  }
  return ended ? exited : `it did not answer within ${READY_DEADLINE_MS / 1000} s`;
}

/** The eighth line of postmaster.pid, as pg_ctl reads it. A connection that is too early would be logged as FATAL. */
async function saysReady(cluster: string): Promise<boolean> {
  const content = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  return content.split("\n")[7]?.trim() === "ready";
}

async function createDatabaseOnce(socketDirectory: string): Promise<undefined> {
  const client = new pg.Client({ connectionString: socketUrl(socketDirectory, "postgres") });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  } finally {
    await client.end();
  }
}

async function stop(child: ChildProcess, exited: Promise<string>, log: (line: string) => void): Promise<void> {
  child.kill("SIGINT");
  const slow = await Promise.race([exited, sleep(FAST_SHUTDOWN_MS, "slow" as const, { ref: false })]);
  if (slow !== "slow") return;
  log("PostgreSQL did not shut down in time; stopping it at once, it will recover at the next start");
  child.kill("SIGQUIT");
  await exited;
}
