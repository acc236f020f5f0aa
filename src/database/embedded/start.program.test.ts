import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chown, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runProgram } from "../../../test/support/run-program.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { afterFile } from "../../../test/support/when-over.ts";
import { DataDirectoryInUse } from "../data-directory-lock.ts";
import { type EmbeddedOptions, startEmbedded } from "./start.ts";

const quick = { fsync: "off" };
/** Without setpriv a killed program leaves its server running, as on systems that have none. */
const withoutSetpriv = { PATH: "/nonexistent" };

async function start(dataDirectory: string, options: Partial<EmbeddedOptions> = {}) {
  const server = await startEmbedded({ dataDirectory, settings: quick, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** The cluster that an empty server of this file left, which every later start here begins with a copy of. */
let made: string;
const whenOver = afterFile();
beforeAll(async () => {
  made = await temporaryDirectory(0o711, whenOver);
  await (await startEmbedded({ dataDirectory: made, settings: quick })).stop();
});

/** A data directory after a first start: to make a cluster each time would be most of the time of this file. */
async function madeDirectory(): Promise<string> {
  const directory = await temporaryDirectory(0o711);
  await mkdir(join(directory, "postgres"), { mode: 0o700 });
  const { uid, gid } = await stat(join(made, "postgres"));
  await chown(join(directory, "postgres"), uid, gid);
  execFileSync("cp", ["--archive", join(made, "postgres/data"), join(directory, "postgres/data")]);
  return directory;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows.flat();
  } finally {
    await client.end();
  }
}

function postmasterPid(dataDirectory: string): number {
  return Number.parseInt(readFileSync(join(dataDirectory, "postgres/data/postmaster.pid"), "utf8"), 10);
}

/** Ended, though perhaps not yet reaped. */
function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
}

describe("the first start", () => {
  it("makes a database that only this user can reach, over a socket and not over the network", async () => {
    const directory = join(await temporaryDirectory(0o711), "data");
    const server = await start(directory);
    expect(await query(server.url, "select current_database(), current_setting('listen_addresses')")).toEqual([
      "lessor",
      "",
    ]);
    for (const path of ["postgres", "postgres/socket", "postgres/data"]) {
      expect((await stat(join(directory, path))).mode & 0o777).toBe(0o700);
    }
    expect((await stat(directory)).mode & 0o007).toBe(0);
  });

  it("leaves room for other work as soon as PostgreSQL works, and again with every start of it", async () => {
    const directory = join(await temporaryDirectory(0o711), "data");
    const seen: boolean[] = [];
    const meanwhile = () => void seen.push(existsSync(join(directory, "postgres/data")));
    const server = await start(directory, { meanwhile });
    // While initdb makes the database, and when the server was begun on it.
    expect(seen).toEqual([false, true]);
    await server.stop();
    await start(directory, { meanwhile });
    expect(seen).toEqual([false, true, true]);
  });

  it("waits for the disk unless told otherwise, sorts by code point and knows all letters", async () => {
    const server = await startEmbedded({ dataDirectory: await temporaryDirectory() });
    onTestFinished(() => server.stop());
    expect(await query(server.url, "select current_setting('fsync'), 'Z' < 'a', upper('é')")).toEqual([
      "on",
      true,
      "É",
    ]);
  });

  it("starts over when an earlier one was cut off half-way", async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, "postgres/data.unfinished/base"), { recursive: true });
    await writeFile(join(directory, "postgres/data.unfinished/PG_VERSION"), "17\n");
    const server = await start(directory);
    expect(await query(server.url, "select 1")).toEqual([1]);
  });

  it.each([
    ["has spaces, commas and letters of all kinds", "a space, a comma and é"],
    ["is too long for a socket", "long".repeat(30)],
  ])("works where the path %s", async (_, name) => {
    const server = await start(join(await temporaryDirectory(0o711), name));
    expect(await query(server.url, "select 1")).toEqual([1]);
  });
});

describe("a later start", () => {
  it("finds what was written, at the same address", async () => {
    const directory = await madeDirectory();
    const first = await start(directory);
    await query(first.url, "create table kept as select 7 as value");
    await first.stop();
    const second = await start(directory);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "select value from kept")).toEqual([7]);
  });

  it("refuses a database of another PostgreSQL release and says which", async () => {
    const directory = await madeDirectory();
    await writeFile(join(directory, "postgres/data/PG_VERSION"), "16\n");
    await expect(start(directory)).rejects.toThrow(/made by PostgreSQL 16, but this program brings 17/);
  });

  it("fails with the end of PostgreSQL's log when PostgreSQL will not start", async () => {
    const refused = start(await madeDirectory(), { settings: { ...quick, max_connections: "many" } });
    await expect(refused).rejects.toThrow(
      /did not start.*exit code 1[\s\S]*invalid value for parameter "max_connections"/,
    );
  });

  it("is not misled by a process id that now belongs to another program", async () => {
    const directory = await madeDirectory();
    const cluster = join(directory, "postgres/data");
    const stale = [process.ppid, cluster, 1700000000, 5432, "/tmp", "", "1 1", "ready", ""];
    await writeFile(join(cluster, "postmaster.pid"), stale.join("\n"));
    const { uid, gid } = await stat(cluster);
    await chown(join(cluster, "postmaster.pid"), uid, gid);
    expect(await query((await start(directory)).url, "select 1")).toEqual([1]);
  });

  it("is not misled by an empty postmaster.pid", async () => {
    const directory = await madeDirectory();
    await writeFile(join(directory, "postgres/data/postmaster.pid"), "");
    expect(await query((await start(directory)).url, "select 1")).toEqual([1]);
  });
});

describe("two starts on one directory", () => {
  it("are one server and one refusal in the same program", async () => {
    const directory = await madeDirectory();
    const results = await Promise.allSettled([start(directory), start(directory)]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: expect.any(DataDirectoryInUse),
    });
  });

  it("are one server and refusals in several programs, and the server lives on", async () => {
    const directory = await madeDirectory();
    const programs = await Promise.all(Array.from({ length: 4 }, () => runProgram("hold-embedded.ts", [directory])));
    const up = programs.filter(({ said }) => said.startsWith("postgresql://"));
    expect(up).toHaveLength(1);
    expect(programs.filter(({ said }) => said.startsWith("DataDirectoryInUse"))).toHaveLength(3);
    expect(await query(up[0]?.said ?? "", "select 1")).toEqual([1]);
  });
});

describe("a program that is killed with -9", () => {
  it("can be started again at once, again and again, and loses nothing it committed", async () => {
    const directory = await madeDirectory();
    for (let round = 0; round < 5; round++) {
      const program = await runProgram("hold-embedded.ts", [directory]);
      await query(program.said, `create table round_${round} ()`);
      await program.kill();
    }
    const { url } = await start(directory);
    expect(await query(url, "select count(*)::int from pg_tables where tablename like 'round_%'")).toEqual([5]);
  });

  it("leaves a server where the kernel was not asked to end it, which the next start stops", async () => {
    const directory = await madeDirectory();
    const program = await runProgram("hold-embedded.ts", [directory], withoutSetpriv);
    await query(program.said, "create table kept as select 7 as value");
    await program.kill();
    const orphan = postmasterPid(directory);
    expect(isRunning(orphan)).toBe(true);
    expect(await query(program.said, "select 1")).toEqual([1]);

    const lines: string[] = [];
    const server = await start(directory, { log: (line) => lines.push(line) });
    expect(lines[0]).toBe(`stopping PostgreSQL process ${orphan}, which outlived the program that started it`);
    expect(isRunning(orphan)).toBe(false);
    expect(await query(server.url, "select value from kept")).toEqual([7]);
  });
});

describe("a server that ends unasked", () => {
  it("is started again, and recovers what was committed", async () => {
    const directory = await madeDirectory();
    const readyAgain = Promise.withResolvers<void>();
    let timesReady = 0;
    const log = (line: string) => {
      if (line.includes("ready to accept connections") && ++timesReady === 2) readyAgain.resolve();
    };
    const server = await start(directory, { log });
    await query(server.url, "create table kept as select 7 as value");
    process.kill(postmasterPid(directory), "SIGKILL");
    await readyAgain.promise;
    expect(await query(server.url, "select value from kept")).toEqual([7]);
  });
});

describe("stopping", () => {
  it("ends open sessions, leaves no process, and may be asked twice", async () => {
    const directory = await madeDirectory();
    const server = await start(directory);
    const client = new pg.Client({ connectionString: server.url });
    const ended = new Promise<void>((resolve) => client.on("end", resolve));
    client.on("error", () => {});
    await client.connect();
    await client.query("begin");
    const pid = postmasterPid(directory);
    await Promise.all([server.stop(), server.stop()]);
    await ended;
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(join(directory, "postgres/data/postmaster.pid"))).toBe(false);
  });
});

describe("a terminal's Ctrl-C", () => {
  it("does not reach the server, which has a session of its own", async () => {
    const directory = await madeDirectory();
    await start(directory);
    const pid = postmasterPid(directory);
    const [, , , , group, session] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/\(.*\)/, "()")
      .split(" ");
    expect([group, session]).toEqual([String(pid), String(pid)]);
  });
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  const ownerOf = async (directory: string) => (await stat(join(directory, "postgres"))).uid;
  const uidOf = (name: string) =>
    Number(new RegExp(`^${name}:[^:]*:(\\d+):`, "m").exec(readFileSync("/etc/passwd", "utf8"))?.[1]);

  it("runs as the first of the system users that exists, who cannot read the program's own files", async () => {
    const directory = await temporaryDirectory(0o711);
    const server = await start(directory, { systemUsers: ["no-such-user", "nobody"] });
    expect(await ownerOf(directory)).toBe(uidOf("nobody"));
    await writeFile(join(directory, "key"), "secret", { mode: 0o600 });
    await expect(query(server.url, `select pg_read_file('${join(directory, "key")}')`)).rejects.toThrow(
      "Permission denied",
    );
    await expect(query(server.url, `select pg_ls_dir('${directory}')`)).rejects.toThrow("Permission denied");
  });

  it("goes on as the user who owns the database, though a better one appeared", async () => {
    const directory = await temporaryDirectory(0o711);
    await (await start(directory, { systemUsers: ["nobody"] })).stop();
    const server = await start(directory, { systemUsers: ["daemon", "nobody"] });
    expect(await query(server.url, "select 1")).toEqual([1]);
    expect(await ownerOf(directory)).toBe(uidOf("nobody"));
  });

  it("says what to do when there is no such user", async () => {
    const refused = start(await temporaryDirectory(), { systemUsers: ["no-such-user"] });
    await expect(refused).rejects.toThrow(/no user no-such-user to run it as.*DATABASE_URL/);
  });

  it("names the directory in the way and the setting, when the user cannot reach the data", async () => {
    const closed = join(await temporaryDirectory(0o711), "closed");
    await mkdir(closed, { mode: 0o700 });
    const refused = start(join(closed, "data"));
    await expect(refused).rejects.toThrow(`may not enter ${closed}. Set LESSOR_DATA_DIR to a directory`);
  });
});
