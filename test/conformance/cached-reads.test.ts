// Reads whose answers are kept in memory, from outside: whatever was acknowledged by one server is in the next answer of
// every server, and every answer is exactly what one without a memory would give.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "../../src/database/connect.ts";
import { call, type RunningHttp, startHttp } from "../support/http.ts";
import { untilOthersEnded } from "../support/interleave.ts";
import { seeded } from "../support/random.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
let servers: readonly [RunningHttp, RunningHttp];
let secondDb: Database;
let type: string;

beforeAll(async () => {
  world = await makeWorld({ terminatedVisibleSeconds: 600 });
  secondDb = connect(world.config);
  servers = [await startHttp(world), await startHttp(world, { db: secondDb })];
  // Nothing is ever taken down here, so there is room for all that is launched.
  for (let n = 0; n < 30; n++) await world.host({ gpus: 8, vcpus: 1000, memoryGib: 10_000, storageGb: 100_000 });
  await world.image();
  type = (await world.product({ gpus: 1, vcpus: 1, memoryGib: 1, storageGb: 1 })).name;
});
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.close()));
  await secondDb?.destroy();
  await world?.close();
});

/** Every read that is kept, by a name; `id`: an instance's. */
const reads: Record<string, (of: RunningHttp, id: string) => string> = {
  "M instances": ({ marketplace }) => `${marketplace}/instances`,
  "M one page": ({ marketplace }) => `${marketplace}/instances?limit=1`,
  "M by status": ({ marketplace }) => `${marketplace}/instances?status=active`,
  "M instance": ({ marketplace }, id) => `${marketplace}/instances/${id}`,
  "M types": ({ marketplace }) => `${marketplace}/instance-types`,
  "M keys": ({ marketplace }) => `${marketplace}/ssh-keys`,
  "D instances": ({ direct }) => `${direct}/instance`,
  "D instance": ({ direct }, id) => `${direct}/instance/${id}`,
  "D inventory": ({ direct }) => `${direct}/gpu-inventory`,
  "D images": ({ direct }) => `${direct}/images`,
  "D keys": ({ direct }) => `${direct}/ssh-keys`,
  "R instances": ({ reference }) => `${reference}/instances`,
  "R instance": ({ reference }, id) => `${reference}/instances/${id}`,
  "R types": ({ reference }) => `${reference}/instance-types`,
  "R keys": ({ reference }) => `${reference}/ssh-keys`,
  "lambda instances": ({ lambda }) => `${lambda}/instances`,
  "lambda by status": ({ lambda }) => `${lambda}/instances?status=unhealthy`,
  "lambda by tag": ({ lambda }) => `${lambda}/instances?tags=team%3Dvision`,
  "lambda images": ({ lambda }) => `${lambda}/images`,
  "lambda instance": ({ lambda }, id) => `${lambda}/instances/${id}`,
  "lambda types": ({ lambda }) => `${lambda}/instance-types`,
  "lambda regions": ({ lambda }) => `${lambda}/regions`,
  "lambda keys": ({ lambda }) => `${lambda}/ssh-keys`,
  "control keys": ({ control }) => `${control}/ssh-keys`,
  "control images": ({ control }) => `${control}/images`,
  "control offers": ({ control }) => `${control}/offers`,
  "control offers, one page": ({ control }) => `${control}/offers?limit=1`,
  "lambda rules": ({ lambda }) => `${lambda}/firewall-rules`,
  "lambda global rules": ({ lambda }) => `${lambda}/firewall-rulesets/global`,
  "lambda rulesets": ({ lambda }) => `${lambda}/firewall-rulesets`,
};

/** The answer as a client sees it, but for what names the request and the server's port. */
async function seen(url: string, token: string) {
  const { status, text, headers } = await call("GET", url, { token, headers: { "x-request-id": "the-same" } });
  const told = ["etag", "link", "content-type", "cache-control"].map((name) => headers.get(name));
  return JSON.stringify([status, told, text]);
}

/** What a server says that has kept nothing yet. */
async function unkept<T>(use: (server: RunningHttp) => Promise<T>): Promise<T> {
  const server = await startHttp(world);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

describe.each(Object.entries(reads))("%s", (_name, urlOf) => {
  it("are the same from memory and anew, for each account its own, and by both servers", async () => {
    const [ann, bob] = [await servers[0].customer(), await servers[0].customer()];
    await world.sshKey(ann.principal);
    const [instance] = await world.launch(ann.principal, { instanceType: type });
    const id = instance?.id ?? "";
    for (const { token } of [ann, bob]) {
      const anew = await unkept((server) => seen(urlOf(server, id), token));
      for (const server of servers) {
        expect(await seen(urlOf(server, id), token)).toBe(anew);
        expect(await seen(urlOf(server, id), token)).toBe(anew);
      }
    }
    await world.change(ann.principal, "terminate", [id]);
    const anew = await unkept((server) => seen(urlOf(server, id), ann.token));
    for (const server of servers) expect(await seen(urlOf(server, id), ann.token)).toBe(anew);
  });

  it("answer 304 to who has them, and 401 to a token that was revoked meanwhile", async () => {
    const ann = await servers[0].customer();
    const [instance] = await world.launch(ann.principal, { instanceType: type });
    const url = urlOf(servers[0], instance?.id ?? "");
    const { headers } = await call("GET", url, { token: ann.token });
    const etag = headers.get("etag") ?? "";
    const again = await call("GET", url, { token: ann.token, headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    await world.db.updateTable("tokens").set({ revoked_at: new Date() }).where("id", "=", ann.tokenId).execute();
    expect((await call("GET", url, { token: ann.token })).status).toBe(401);
    await world.change(ann.principal, "terminate", [instance?.id ?? ""]);
  });
});

describe("what one server acknowledged", () => {
  it("is in the next answer of every server, whoever changed what in whatever order", async () => {
    const random = seeded();
    const customers = [await servers[0].customer(), await servers[0].customer()];
    /** By account, its instances and whether each was told to go. */
    const known = customers.map(() => new Map<string, boolean>());
    for (let step = 0; step < 120; step++) {
      const who = random.below(2);
      const [customer, mine] = [customers[who], known[who]];
      const [one, other] = [random.one(servers), random.one(servers)];
      if (customer === undefined || mine === undefined) throw new Error("BUG: there are two");
      const { token } = customer;
      const standing = [...mine].filter(([, gone]) => !gone).map(([id]) => id);
      const what = random.below(4);
      if (what === 0 && standing.length < 2) {
        const body = { instance_type_name: type, region_name: "north", ssh_key_names: [], quantity: 1 };
        const launched = await call("POST", `${one.reference}/instance-operations/launch`, {
          token,
          body: { ...body, ssh_key_names: [(await world.sshKey(customer.principal)).name] },
        });
        const { data } = launched.body as { data: { instance_ids: string[] } };
        for (const id of data.instance_ids) mine.set(id, false);
      } else if (what === 1 && standing.length > 0) {
        const id = random.one(standing);
        const gone = await call("POST", `${one.reference}/instance-operations/terminate`, {
          token,
          body: { instance_ids: [id] },
        });
        expect(gone.status, gone.text).toBe(200);
        mine.set(id, true);
      }
      const { body } = await call("GET", `${other.reference}/instances`, { token });
      const listed = (body as { data: { id: string; status: string }[] }).data;
      const shown = listed.map(({ id, status }) => `${id} ${status === "terminating" || status === "terminated"}`);
      const expected = [...mine].map(([id, gone]) => `${id} ${gone}`);
      expect(shown.sort(), `seed ${random.seed}, step ${step}`).toEqual(expected.sort());
    }
  });

  it("is in the capacity that every server lists", async () => {
    const ann = await servers[0].customer();
    await world.host({ gpus: 3, gpuModel: "rare", vcpus: 1000, memoryGib: 10_000, storageGb: 100_000 });
    const { name: rare } = await world.product({ gpus: 1, gpuModel: "rare", vcpus: 1, memoryGib: 1, storageGb: 1 });
    const free = async (of: RunningHttp) => {
      const { body } = await call("GET", `${of.marketplace}/instance-types`, { token: ann.token });
      return (body as { data: Record<string, { capacity_available: number }> }).data[rare]?.capacity_available ?? 0;
    };
    const before = await free(servers[1]);
    expect(before).toBe(3);
    for (let left = before - 1; left >= 0; left--) {
      await world.launch(ann.principal, { instanceType: rare });
      expect([await free(servers[1]), await free(servers[0])]).toEqual([left, left]);
    }
    await world.host({ gpus: 2, gpuModel: "rare", vcpus: 1000, memoryGib: 10_000, storageGb: 100_000 });
    expect([await free(servers[1]), await free(servers[0])]).toEqual([2, 2]);
    await sql`update hosts set mode = 'cordoned' where name in (select host from gpus where model = 'rare')`.execute(
      world.db,
    );
    expect([await free(servers[1]), await free(servers[0])]).toEqual([0, 0]);
  });
});

/** Changes rows as nothing else does: without a mark. */
async function unmarked(change: () => Promise<unknown>): Promise<void> {
  await sql`alter table instances disable trigger user`.execute(world.db);
  await change();
  await sql`alter table instances enable trigger user`.execute(world.db);
}

it("an answer comes from memory as long as there is no mark", async () => {
  const ann = await servers[0].customer();
  const { id } = await world.launchOne(ann.principal, { instanceType: type });
  const url = `${servers[0].marketplace}/instances/${id}`;
  await untilOthersEnded(world.db);
  const before = await seen(url, ann.token);
  await unmarked(() => sql`update instances set name = 'unseen' where id = ${id}`.execute(world.db));
  expect(await seen(url, ann.token)).toBe(before);
  await world.sshKey(ann.principal);
  expect(await seen(url, ann.token)).toContain("unseen");
});

it("a terminated instance leaves the list by time alone, from memory too", async () => {
  const ann = await servers[0].customer();
  const other = await world.product({ gpus: 0, vcpus: 1, memoryGib: 1, storageGb: 1 });
  const { id } = await world.launchOne(ann.principal, { instanceType: other.name });
  await world.put(id, "terminated");
  const url = `${servers[0].marketplace}/instances`;
  // Just before the end of its time, without a mark of that: as time does it.
  await unmarked(() =>
    sql`update instances set terminated_at = now() - interval '598 seconds' where id = ${id}`.execute(world.db),
  );
  const ids = async () => {
    const { body } = await call("GET", url, { token: ann.token });
    return (body as { data: { id: string }[] }).data.map((one) => one.id);
  };
  expect(await ids()).toEqual([id]);
  await expect.poll(ids, { timeout: 10_000, interval: 100 }).toEqual([]);
});
