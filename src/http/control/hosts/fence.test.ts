// Over HTTP: a host is turned off by its operator's command. What that allows: test/reconciler/lost-hosts.test.ts.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, startControl } from "../../../../test/support/control.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { recordReached } from "../../../rental/hosts/lost-hosts.ts";

let control: Control;
/** Of the region and of the host in it. */
let name: string;

/** Whose hosts answer or do not. */
const engine = {
  available: false,
  consoleLog: async () => "",
  openTerminal: () => Promise.reject(new Error("no test opens one")),
  hosts: async () => [{ name, available: engine.available }],
  identity: async () => "same",
};

// By the host's name: `on-…` stays on, the others of `off-…` are off, and `none-…` has no command.
const script = 'echo "$1" >> "$2"; case "$1" in off-*) exit 0;; esac; exit 7';
/** The file that has a line for each run of the command. */
let runs: string;

beforeAll(async () => {
  runs = join(await temporaryDirectory(0o700, afterAll), "runs");
  const fencing = ["off-1", "off-2", "off-3", "off-4", "on-1"].map((host) => ({
    hosts: [host],
    command: ["/bin/sh", "-c", script, "power-off", "{host}", runs] as const,
    timeoutSeconds: 30,
    offOutput: undefined,
  }));
  control = await startControl({ fencing }, { engines: new Map([["simulated", engine]]) });
});
afterAll(() => control.close());
beforeEach(() => {
  engine.available = false;
});

async function unreachable(host: string): Promise<void> {
  name = host;
  await control.world.region(name);
  const body = { engine: "simulated", region: name, vcpus: 64, memory_gib: 512, storage_gb: 4000, gpus: [] };
  await control.data("PUT", `/hosts/${name}`, { body });
  await reached(false);
}
const reached = (isReached: boolean) =>
  recordReached(control.world.db, "simulated", isReached ? [] : [name], new Date());
const fence = (options = {}) => control.ask("POST", `/hosts/${name}/fence`, options);
const read = () => control.data("GET", `/hosts/${name}`);

describe("fencing a host", () => {
  it("turns it off and verifies that, until its engine reaches it again", async () => {
    await unreachable("off-1");
    expect(await read()).toMatchObject({ verified_off_since: null });
    const done = await fence({ body: { reason: "Lost its network" } });
    expect(done.body).toMatchObject({ data: { name, verified_off_since: expect.stringMatching(/^20/) } });
    expect((await fence()).status).toBe(200);
    const { rows } = await sql`
      select result, reason from audit_log where operation = 'fenceHost' and ${name} = any(objects)
      order by id limit 1`.execute(control.world.db);
    expect(rows).toEqual([{ result: "done", reason: "Lost its network" }]);
    await reached(true);
    expect(await read()).toMatchObject({ verified_off_since: null, unreachable_since: null });
  });

  it("is a conflict if the command gives no verdict, or there is none", async () => {
    await unreachable("on-1");
    const refused = await fence();
    expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
    expect(refused.text).toContain("is not verified to be off. The command ended with exit code 7.");
    await unreachable("none-1");
    expect((await fence()).text).toContain("No command is set that turns host none-1 off.");
    expect(await read()).toMatchObject({ verified_off_since: null });
  });

  it("is a conflict for a host that is reached, or that answers now", async () => {
    await unreachable("off-2");
    engine.available = true;
    const answered = await fence();
    expect([answered.status, answered.text]).toEqual([
      409,
      expect.stringContaining("it answered its engine simulated"),
    ]);
    engine.available = false;
    await reached(true);
    const refused = await fence();
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("its engine simulated reaches it")]);
  });

  it("runs no second time for a repeated Idempotency-Key, also when the host is reached again", async () => {
    await unreachable("off-4");
    const headers = { "idempotency-key": "fence-off-4" };
    const first = await fence({ headers });
    expect(first.status).toBe(200);
    const again = await fence({ headers });
    expect([again.status, again.headers.get("idempotency-replayed"), again.text]).toEqual([200, "true", first.text]);
    expect((await readFile(runs, "utf8")).match(/^off-4$/gm)).toHaveLength(1);
    engine.available = true;
    await reached(true);
    expect((await fence({ headers })).text).toBe(first.text);
    expect(codeOf(await fence({ headers, body: { reason: "Another request" } }))).toBe("idempotency/key-reused");
  });

  it("is for operators only", async () => {
    await unreachable("off-3");
    const { token } = await control.customer();
    expect((await fence({ token })).status).toBe(403);
    expect(await read()).toMatchObject({ verified_off_since: null });
  });
});
