// kill -9 at every step of a rotation: nothing that was sealed is lost, and the next server finishes it.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { keyServer, rotated, writeKeyFile } from "../../test/support/key-server.ts";
import { runProgram } from "../../test/support/run-program.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { loadOrCreateKeyFile } from "../secrets/key-file.ts";
import { idOfKey, KeyRing } from "../secrets/key-ring.ts";
import { encryptedColumns } from "./encrypted-columns.ts";

const world = worldOfFile();
const instances = 5;
/** Values and password of each, in batches of three, column by column: three and two, twice. */
const batches = 4;

/** Opens every sealed value with these keys, and gives their ids by how many each has sealed. */
async function openEverything(keyRing: KeyRing): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column, key, context } of encryptedColumns) {
    const names = Object.keys(key).map((name) => sql`${sql.ref(name)}::text`);
    const { rows } = await sql<{ key: string[]; sealed: string }>`
      select array[${sql.join(names)}] as key, ${sql.ref(column)} as sealed
      from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(world.db);
    for (const row of rows) {
      expect(keyRing.openText(row.sealed, context(...row.key)).length).toBeGreaterThan(0);
      const id = row.sealed.slice(3, 11);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

async function sealedWith(key: Buffer): Promise<void> {
  await world.host({ gpus: 0, vcpus: 1000 });
  await world.image();
  const type = await world.product({ gpus: 0 });
  const server = await keyServer(world, { keys: [key] });
  for (let made = 0; made < instances; made++) await server.seal(type.name);
  await server.stop();
}

const kills = [
  { step: "draft written", pass: 0 },
  { step: "file linked", pass: 0 },
  { step: "key taken", pass: 0 },
  ...Array.from({ length: batches }, (_, pass) => ({ step: "batch sealed", pass })),
] as const;

describe("a server that is killed while it changes its key", () => {
  it.each(kills)(
    "after: $step ($pass before it) has lost nothing, and the next one finishes",
    async ({ step, pass }) => {
      const old = randomBytes(32);
      await sealedWith(old);
      const keyFile = await writeKeyFile([old]);
      const program = await runProgram("rotate-keys.ts", [world.url, keyFile, step, String(pass)]);
      if (program.process.signalCode === null) await once(program.process, "exit");
      expect(program.process.signalCode).toBe("SIGKILL");

      const left = new KeyRing(loadOrCreateKeyFile(keyFile));
      const sealed = [...(await openEverything(left)).values()].reduce((sum, count) => sum + count, 0);
      expect(sealed).toBe(2 * instances);

      const next = await keyServer(world, { keys: [], keyFile, parts: { alone: true } });
      const { rotation } = await next.until(rotated);
      expect(rotation).toMatchObject({ problem: null, resealed: 2 * instances });
      const keys = loadOrCreateKeyFile(keyFile);
      expect(keys).toHaveLength(2);
      expect(keys[1]).toEqual(old);
      const fresh = keys[0] ?? old;
      expect(await openEverything(new KeyRing([fresh]))).toEqual(new Map([[idOfKey(fresh), 2 * instances]]));
      expect(existsSync(`${keyFile}.draft`)).toBe(false);
    },
  );

  it("is waited for only until it counts as gone, where others could run on the database", async () => {
    const old = randomBytes(32);
    await sealedWith(old);
    const keyFile = await writeKeyFile([old]);
    const program = await runProgram("rotate-keys.ts", [world.url, keyFile, "draft written"]);
    if (program.process.signalCode === null) await once(program.process, "exit");
    const next = await keyServer(world, { keys: [], keyFile });
    await next.until(({ rotation }) => rotation?.problem != null);
    await sql`update replicas set seen_at = now() - interval '16 seconds' where id <> ${next.encryption.replicaId}`.execute(
      world.db,
    );
    expect((await next.until(rotated)).rotation).toMatchObject({ problem: null, resealed: 2 * instances });
  });
});
