// The real program on a real disk that fills up: nothing more is created, instances are still terminated, readiness tells,
// and all of it ends by itself when there is space again, also where the database ended itself for want of it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { runningServerUrl } from "../../src/database/embedded/running.ts";
import { startLessor } from "../support/lessor.ts";
import { smallDisk, whyNoDisk } from "../support/small-disk.ts";

const why = whyNoDisk();
/** Long: a database that recovers is looked for every five seconds, on a machine that may be busy. */
const slowly = { timeout: 60_000, interval: 200 };

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function ask(method: string, url: string, token?: string, body?: unknown): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Fills the database's log until there is no space for more, and the database ends itself. */
async function exhaustLog(dataDirectory: string): Promise<void> {
  const client = new pg.Client({ connectionString: await runningServerUrl(dataDirectory) });
  client.on("error", () => {});
  await client.connect();
  const write = async () => {
    for (;;) await client.query("select pg_logical_emit_message(false, 'filler', repeat('x', 1000000))");
  };
  await expect(write()).rejects.toThrow(/Connection terminated unexpectedly|ECONNRESET|EPIPE/);
}

describe.skipIf(why !== undefined)(`a service whose disk fills up (${why ?? "a tmpfs"})`, () => {
  it("creates nothing, still terminates, says so in /readyz, and recovers without a restart", async () => {
    const disk = await smallDisk(448);
    const reserve = join(disk.path, "disk-reserve");
    const lessor = await startLessor(disk.path);
    const token = lessor.shown("Customer token") ?? "";
    const marketplace = lessor.shown("Marketplace (variant M)") ?? "";
    const readiness = `${new URL(marketplace).origin}/readyz`;
    const statuses: number[] = [];
    const noted = async (asked: Promise<Answered>) => {
      const answered = await asked;
      statuses.push(answered.status);
      return answered;
    };
    const ready = async () => (await noted(ask("GET", readiness))).status;
    const launch = () => {
      const order = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 2 };
      return noted(ask("POST", `${marketplace}/instance-operations/launch`, token, order));
    };
    const terminate = (ids: string[]) =>
      noted(ask("POST", `${marketplace}/instance-operations/terminate`, token, { instance_ids: ids }));
    const idIn = ({ text }: Answered) => (JSON.parse(text) as { data: { uuids: string[] } }).data.uuids;
    const statusOf = async (id: string) => {
      const { text } = await noted(ask("GET", `${marketplace}/instances/${id}`, token));
      return (JSON.parse(text) as { data?: { status: string } }).data?.status;
    };

    const [first = "", second = ""] = idIn(await launch());
    await expect.poll(() => existsSync(reserve), slowly).toBe(true);

    await disk.fill();
    await expect.poll(ready, slowly).toBe(503);
    expect((await noted(ask("GET", readiness))).text).toContain("out of storage space");
    const refused = await launch();
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining("out of storage space")]);
    expect(existsSync(reserve)).toBe(false);
    expect((await terminate([first])).status).toBeLessThan(300);
    await expect.poll(() => statusOf(first), slowly).toBe("terminated");

    // Somebody takes what was released, too, and the database cannot write its log any more.
    await disk.fill();
    await exhaustLog(disk.path);
    expect((await launch()).status).toBe(503);
    expect(await ready()).toBe(503);

    await disk.free();
    await expect.poll(ready, slowly).toBe(200);
    expect((await launch()).status).toBe(200);
    expect((await terminate([second])).status).toBeLessThan(300);
    expect(existsSync(reserve)).toBe(true);
    expect(lessor.process.exitCode).toBeNull();
    // Never an internal error.
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
  }, 240_000);
});
