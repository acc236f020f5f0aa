// What goes wrong with a cloud's services, row by row: what happens, and what Lessor makes of it. What goes wrong with
// machines: bad-luck-machines.test.ts.

import { expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginEngines,
  booted,
  type EngineStand,
  liveServersOf,
  portsOf,
  serverOf,
} from "../../../test/support/fake-openstack/engines.ts";
import { engineCall, engineTimeout } from "../../reconciler/engine-call.ts";
import { EngineError, type MachineSpec, noSuchMachine } from "../engine.ts";

type Row = readonly [luck: string, then: string, prove: (stand: EngineStand) => Promise<void>];

const unreachable = { kind: "unavailable", code: "engine-unreachable" };
const noCapacity = { kind: "refused", code: "no-capacity" };
const servers = /\/servers$/;
const ports = /\/ports$/;

/** A machine that was created and never started. */
async function created(stand: EngineStand) {
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  return spec;
}

/** What a start fails with whose deadline is over while the cloud has the order of its server. */
async function givenUp(stand: EngineStand, spec: MachineSpec): Promise<unknown> {
  const deadline = new AbortController();
  const start = failure(engineCall(3600, deadline.signal, (within) => stand.engine.start(spec, within)));
  await eventually(() => stand.fake.seen("compute", "POST", servers).length).toBe(1);
  deadline.abort(new EngineError("unavailable", engineTimeout, "No answer."));
  return start;
}

/** After a lost response the machine boots, with one server, one port and one address. */
async function bootsOnce(stand: EngineStand, spec = stand.spec()): Promise<void> {
  const { ip } = await booted(stand.engine, spec);
  expect(liveServersOf(stand, spec)).toHaveLength(1);
  expect(portsOf(stand, spec).map(({ address }) => address)).toEqual([ip]);
  expect(serverOf(stand, spec).ports).toEqual(portsOf(stand, spec));
}

const rows: readonly Row[] = [
  [
    "Keystone is down",
    "what has a token goes on; a new process waits, and goes on when it is back",
    async (stand) => {
      const spec = await created(stand);
      await stand.fake.stop("identity");
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
      const late = stand.another();
      expect(await failure(late.inspect(spec, signal()))).toMatchObject(unreachable);
      expect(await failure(late.list(signal()))).toMatchObject(unreachable);
      expect(await failure(late.remove(spec, signal()))).toMatchObject(unreachable);
      await stand.fake.begin("identity");
      await booted(late, spec);
    },
  ],
  [
    "a token is revoked in the middle of a start",
    "another is asked for, once, and the start goes on",
    async (stand) => {
      const spec = await created(stand);
      const then = () => stand.fake.identity.revokeTokens();
      stand.fake.faults.add("image", "GET", /\/images$/, { then });
      const before = stand.fake.seen("identity", "POST", /tokens$/).length;
      await stand.engine.start(spec, signal());
      expect(stand.fake.seen("identity", "POST", /tokens$/)).toHaveLength(before + 1);
      await bootsOnce(stand, spec);
    },
  ],
  [
    "a token expires by the services' clock",
    "another is asked for",
    async (stand) => {
      const spec = await created(stand);
      stand.fake.identity.clockAheadMs += 2 * 3_600_000;
      await bootsOnce(stand, spec);
    },
  ],
  [
    "the credentials are withdrawn",
    "nothing is taken for gone",
    async (stand) => {
      const spec = await created(stand);
      stand.credential.secret = "another";
      stand.fake.identity.revokeTokens();
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject(unreachable);
    },
  ],
  [
    "the quota of servers is used up (403)",
    "the launch is refused for want of capacity, before a server is made",
    async (stand) => {
      const spec = await created(stand);
      stand.world.quotas.cores = 3;
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject(noCapacity);
      expect(liveServersOf(stand, spec)).toEqual([]);
    },
  ],
  [
    "the quota of ports is used up (409)",
    "the launch is refused for want of capacity",
    async (stand) => {
      stand.world.quotas.port = 0;
      expect(await failure(created(stand))).toMatchObject(noCapacity);
    },
  ],
  [
    "the network has no address left (409)",
    "the launch is refused for want of capacity",
    async (stand) => {
      stand.network.subnet.size = 0;
      expect(await failure(created(stand))).toMatchObject(noCapacity);
    },
  ],
  [
    "another operation is in progress (409)",
    "it is tried again",
    async (stand) => {
      const spec = await created(stand);
      stand.fake.faults.add("compute", "POST", servers, { fail: { status: 409, message: "Port is in use." } });
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({
        kind: "unavailable",
        code: "machine-busy",
      });
      await bootsOnce(stand, spec);
    },
  ],
  ...([413, 429, 503] as const).map(
    (status): Row => [
      `${status} with a short Retry-After`,
      "the order fails, and the next request waits as long as was asked",
      async (stand) => {
        const spec = await created(stand);
        const fail = { status, message: "Rate limit exceeded.", retryAfter: 1 };
        stand.fake.faults.add("compute", "POST", servers, { fail });
        expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({
          kind: "unavailable",
          code: "engine-error",
        });
        const began = performance.now();
        await stand.engine.inspect(spec, signal());
        expect(performance.now() - began).toBeGreaterThan(800);
      },
    ],
  ),
  [
    "429 with a long Retry-After",
    "calls fail at once, without a request, and the machine is not taken for gone",
    async (stand) => {
      const spec = await created(stand);
      stand.fake.faults.add("compute", "GET", /detail$/, { fail: { status: 429, retryAfter: 60 } });
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject({ kind: "unavailable" });
      const { length } = stand.fake.requests;
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject({ kind: "unavailable" });
      expect(stand.fake.requests).toHaveLength(length);
    },
  ],
  [
    "a service that answers everything with 500",
    "calls fail as temporary, and go on when it is well again",
    async (stand) => {
      const spec = await created(stand);
      for (const method of ["GET", "POST"])
        stand.fake.faults.add("compute", method, /./, { fail: { status: 500 } }, 10);
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject({ kind: "unavailable" });
      expect(await failure(stand.engine.list(signal()))).toMatchObject({ kind: "unavailable" });
      stand.fake.faults.clear();
      await bootsOnce(stand, spec);
    },
  ],
  ...(["compute", "network", "image"] as const).map(
    (service): Row => [
      `${service} is restarted while a machine boots`,
      "the machine boots, once",
      async (stand) => {
        const spec = await created(stand);
        await stand.fake.stop(service);
        expect(await failure(stand.engine.start(spec, signal()))).toMatchObject(unreachable);
        await stand.fake.begin(service);
        await bootsOnce(stand, spec);
      },
    ],
  ),
  [
    "an API that is slow, and carries out an order after its caller gave up",
    "the call ends at its deadline, and the next one finds the server",
    async (stand) => {
      const spec = await created(stand);
      stand.fake.faults.add("compute", "POST", servers, { slowMs: 150 });
      expect(await givenUp(stand, spec)).toMatchObject({ kind: "unavailable", code: engineTimeout });
      await eventually(() => liveServersOf(stand, spec).length).toBe(1);
      await bootsOnce(stand, spec);
    },
  ],
  [
    "an API that never answers",
    "the call ends at its deadline, and holds up no later one",
    async (stand) => {
      const spec = await created(stand);
      stand.fake.faults.add("compute", "POST", servers, { silence: true });
      expect(await givenUp(stand, spec)).toMatchObject({ kind: "unavailable", code: engineTimeout });
      await bootsOnce(stand, spec);
    },
  ],
  ...([3_600_000, -3_600_000] as const).map(
    (ms): Row => [
      `clocks of the cloud that are an hour ${ms > 0 ? "ahead" : "behind"}`,
      "the machine boots, and its changes are heard of",
      async (stand) => {
        stand.fake.identity.clockAheadMs = ms;
        const changed: string[] = [];
        stand.engine.watch((id) => changed.push(id));
        await bootsOnce(stand);
        changed.length = 0;
        stand.world.life.halt(stand.world.servers.values().next().value ?? expect.unreachable());
        await eventually(() => changed.length).toBeGreaterThan(0);
      },
    ],
  ),
  ...(
    [
      ["of POST /servers", "compute", "POST", servers],
      ["of POST /ports", "network", "POST", ports],
      ["of the order of a security group", "network", "POST", /security-groups$/],
      ["of a rule of a security group", "network", "POST", /security-group-rules$/],
      ["of the order of a flavor", "compute", "POST", /flavors$/],
      ["of the access to a flavor", "compute", "POST", /flavors\/.*\/action$/],
      ["of the port's tag", "network", "PUT", /tags/],
      ["of the secrets", "compute", "POST", /metadata$/],
      ["of the removal of the secrets", "compute", "PUT", /metadata$/],
      ["of a list of servers", "compute", "GET", /detail$/],
    ] as const
  ).flatMap(([what, service, method, path]): Row[] =>
    (["after", "before"] as const).map((drop) => [
      `a response is lost: ${what}, ${drop === "after" ? "which was carried out" : "which was not"}`,
      "exactly one server, with its port and its address, and its secrets once",
      async (stand) => {
        stand.fake.faults.add(service, method, path, { drop }, method === "GET" ? 2 : 1);
        const spec = stand.spec();
        await bootsOnce(stand, spec);
        expect(stand.fake.seen(service, method, path)).not.toEqual([]);
        const server = serverOf(stand, spec);
        expect(server.guestRead).toHaveProperty("lessor-secret-0");
        await eventually(async () => {
          await stand.engine.inspect(spec, signal());
          return Object.keys(server.metadata).filter((key) => key.includes("secret"));
        }).toEqual([]);
      },
    ]),
  ),
  [
    "a response is lost: of a removal",
    "nothing is left after the next one",
    async (stand) => {
      const spec = stand.spec();
      await booted(stand.engine, spec);
      stand.fake.faults.add("compute", "DELETE", /servers/, { drop: "after" });
      stand.fake.faults.add("network", "DELETE", /ports/, { drop: "after" });
      for (let calls = 0; calls < 2; calls++) await failure(stand.engine.remove(spec, signal()));
      await stand.engine.remove(spec, signal());
      expect([liveServersOf(stand, spec), portsOf(stand, spec)]).toEqual([[], []]);
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({ code: noSuchMachine });
    },
  ],
];

it.each(rows)("%s: %s", async (_luck, _then, prove) => {
  await prove(await beginEngines());
});
