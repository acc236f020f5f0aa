// The simulated engine: the contract, and what only it can do.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import {
  forgive,
  injectFaults,
  killHost,
  putSimulatedHost,
  removeSimulatedHost,
  reviveHost,
  setGpuHealth,
} from "../../src/engines/simulated/database.ts";
import { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import { freshDatabase } from "../support/database.ts";
import { travel } from "../support/time-travel.ts";
import { worldOfFile } from "../support/world.ts";
import { engineConformance } from "./conformance.ts";

const gpus = Array.from({ length: 4 }, (_, index) => ({
  address: `0000:0${index + 1}:00.0`,
  model: "H100",
  memoryGib: 80,
  numaNode: 0,
}));
const host = { name: "h1", region: "north", vcpus: 64, memoryGib: 512, storageGb: 4000, gpus };

function specFor(part: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id: crypto.randomUUID(),
    host: "h1",
    accountId: crypto.randomUUID(),
    generation: 1,
    vcpus: 8,
    memoryGib: 64,
    storageGb: 500,
    gpuAddresses: ["0000:01:00.0"],
    image: "ubuntu",
    guest: {
      hostname: "training",
      loginUser: "ubuntu",
      sshKeys: ["ssh-ed25519 AAAA ann@laptop"],
      password: "123456789012345",
      jupyterToken: "a secret token",
      command: "echo a secret command",
      userData: "#cloud-config of a secret kind",
      envVars: { TOKEN: "a secret value" },
      fileSystems: [],
    },
    ...part,
  };
}

const bounds = (seconds: number) => [seconds, seconds] as const;
const settings = (boot = 0.01, stop = 0.005) => ({ bootSeconds: bounds(boot), stopSeconds: bounds(stop), seed: 1 });

engineConformance("simulated", async () => {
  const { db, close } = await freshDatabase();
  await putSimulatedHost(db, host);
  await putSimulatedHost(db, { ...host, name: "h2" });
  const engine = new SimulatedEngine(db, settings());
  return {
    engine,
    spec: specFor,
    patienceMs: 2000,
    another: async () => new SimulatedEngine(db, settings()),
    close: async () => {
      await engine.close();
      await close();
    },
  };
});

describe("the simulated world", () => {
  const world = worldOfFile();
  const signal = () => AbortSignal.timeout(10_000);
  const open = async (boot?: number, stop?: number): Promise<SimulatedEngine> => {
    await sql`truncate simulated.hosts, simulated.machines, simulated.copies, simulated.file_systems, simulated.faults cascade`.execute(
      world.db,
    );
    await putSimulatedHost(world.db, host);
    return new SimulatedEngine(world.db, settings(boot, stop));
  };
  const booted = async (engine: SimulatedEngine, spec = specFor()) => {
    await engine.create(spec, signal());
    await engine.start(spec, signal());
    return spec;
  };

  it("keeps no password, no command, no user data and no env value", async () => {
    const engine = await open();
    await engine.create(specFor(), signal());
    const { rows } = await sql`select to_jsonb(m)::text as text from simulated.machines m`.execute(world.db);
    expect(JSON.stringify(rows)).toContain("TOKEN");
    expect(JSON.stringify(rows)).not.toMatch(/secret|123456789012345/);
  });

  it("tells where file systems are mounted, and of the user data only how much there was", async () => {
    const engine = await open();
    const fileSystems = [{ id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/srv/models" }];
    const { guest, ...spec } = specFor();
    await engine.create({ ...spec, guest: { ...guest, fileSystems, userData: "#!/bin/sh\n# ü\n" } }, signal());
    const query = sql`select mount_points, user_data_bytes, to_jsonb(m)::text as text from simulated.machines m`;
    const { rows } = await query.execute(world.db);
    expect(rows).toMatchObject([{ mount_points: ["/srv/models"], user_data_bytes: 15 }]);
    expect(JSON.stringify(rows)).not.toContain("bin/sh");
  });

  it("answers each of many calls at once as if it came alone: for its own machine, in its own manner", async () => {
    const engine = await open(3600);
    const specs = gpus.map(({ address }) => specFor({ gpuAddresses: [address] }));
    const [, second, third] = specs;
    if (second === undefined || third === undefined) throw new Error("BUG: there are four GPUs");
    await injectFaults(world.db, { kind: "refuses", operation: "create", machine: second.id });
    // A GPU that another of them has: whoever comes second is refused.
    const thief = specFor({ gpuAddresses: third.gpuAddresses });
    const all = [...specs, thief, specFor({ host: "nowhere" })];
    const made = await Promise.allSettled(all.map((spec) => engine.create(spec, signal())));
    expect(made.map((one) => (one.status === "fulfilled" ? one.value.id : one.reason.code))).toEqual([
      specs[0]?.id,
      "simulated-refusal",
      third.id,
      specs[3]?.id,
      "gpu-busy",
      "no-such-host",
    ]);
    const begun = [specs[0], third, specs[3]].flatMap((spec) => (spec === undefined ? [] : [spec]));
    const started = await Promise.all(begun.map((spec) => engine.start(spec, signal())));
    expect(started.map(({ id, power }) => [id, power])).toEqual(begun.map(({ id }) => [id, "starting"]));
    const seen = await Promise.all([...all, third].map((spec) => engine.inspect(spec, signal())));
    expect(seen.map((one) => one?.id)).toEqual([
      specs[0]?.id,
      undefined,
      third.id,
      specs[3]?.id,
      undefined,
      undefined,
      third.id,
    ]);
    await Promise.all(begun.map((spec) => engine.remove(spec, signal())));
    expect((await engine.list(signal())).machines).toEqual([]);
  });

  it("goes on while no engine is there: a boot is over when its time is over", async () => {
    const first = await open(3600);
    const spec = await booted(first);
    expect(await first.inspect(spec, signal())).toMatchObject({ power: "starting", usable: false, ip: undefined });
    await first.close();
    await travel(world.db, "3600 seconds");
    const second = new SimulatedEngine(world.db, settings());
    expect(await second.inspect(spec, signal())).toMatchObject({ power: "running", usable: true });
    await second.close();
  });

  it("hints, after a restart, at a boot that an earlier engine began", async () => {
    const first = await open(0.1);
    const spec = await booted(first);
    await first.close();
    const second = new SimulatedEngine(world.db, settings());
    const hints: string[] = [];
    second.watch((id) => hints.push(id));
    await expect.poll(() => hints).toEqual([spec.id]);
    expect(await second.inspect(spec, signal())).toMatchObject({ usable: true });
    await second.close();
  });

  it("takes as long as its bounds say, the same with the same seed, another time with another", async () => {
    const durations = async (seed: number) => {
      const ids = Array.from({ length: 20 }, (_, index) => `00000000-0000-4000-8000-0000000000${10 + index}`);
      const engine = await open();
      await engine.close();
      const seeded = new SimulatedEngine(world.db, { bootSeconds: [100, 200], stopSeconds: [1, 2], seed });
      for (const id of ids) await booted(seeded, specFor({ id, gpuAddresses: [] }));
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from settles_at - now())::float8 as seconds from simulated.machines order by id`.execute(
        world.db,
      );
      await seeded.close();
      return rows.map((row) => Math.round(row.seconds));
    };
    const [one, again, other] = [await durations(1), await durations(1), await durations(2)];
    expect(Math.max(...one.map((seconds, index) => Math.abs(seconds - (again[index] ?? 0))))).toBeLessThanOrEqual(1);
    expect(one).not.toEqual(other);
    expect(Math.min(...one)).toBeGreaterThanOrEqual(99);
    expect(Math.max(...one)).toBeLessThanOrEqual(200);
    expect(new Set(one).size).toBeGreaterThan(5);
  });

  it("gives addresses kept for documentation, one after the other and then from the start", async () => {
    const engine = await open();
    const addressAt = async (turn: number) => {
      await sql`select setval('simulated.addresses', ${turn}, false)`.execute(world.db);
      const machine = await booted(engine, specFor({ gpuAddresses: [] }));
      await expect.poll(async () => (await engine.inspect(machine, signal()))?.usable).toBe(true);
      return (await engine.inspect(machine, signal()))?.ip;
    };
    expect(await addressAt(1)).toBe("203.0.113.1");
    expect(await addressAt(254)).toBe("203.0.113.254");
    expect(await addressAt(255)).toBe("198.51.100.1");
    expect(await addressAt(508)).toBe("198.51.100.254");
    expect(await addressAt(509)).toBe("203.0.113.1"); // beside the first, which is still there
    await engine.close();
  });

  it("has 508 addresses, each within its network and none for a network or a broadcast", async () => {
    const { rows } = await sql<{ network: string; count: number; least: string; most: string }>`
      select host(network(set_masklen(ip, 24))) as network, count(distinct ip)::integer as count,
        host(min(ip)) as least, host(max(ip)) as most
      from (select simulated.address(turn) as ip from generate_series(1, 5000) turn) one group by 1 order by 1`.execute(
      world.db,
    );
    expect(rows).toEqual([
      { network: "198.51.100.0", count: 254, least: "198.51.100.1", most: "198.51.100.254" },
      { network: "203.0.113.0", count: 254, least: "203.0.113.1", most: "203.0.113.254" },
    ]);
  });

  it("gives a GPU to one machine only, as hardware does", async () => {
    const engine = await open();
    await engine.create(specFor(), signal());
    const second = specFor();
    await expect(engine.create(second, signal())).rejects.toMatchObject({ kind: "refused", code: "gpu-busy" });
    expect(await engine.inspect(second, signal())).toBeUndefined();
    const nowhere = specFor({ gpuAddresses: ["0000:ff:00.0"] });
    await expect(engine.create(nowhere, signal())).rejects.toMatchObject({ kind: "refused", code: "no-such-gpu" });
  });

  it("reports hosts as they are put, changed, broken and taken away", async () => {
    const engine = await open();
    const healthy = gpus.map((gpu) => ({ ...gpu, healthy: true }));
    expect(await engine.hosts(signal())).toEqual([
      { ...host, available: true, sharedStorage: true, multiAttach: true, gpus: healthy, health: [] },
    ]);
    await putSimulatedHost(world.db, { ...host, vcpus: 32, gpus: gpus.slice(0, 2) });
    await setGpuHealth(world.db, "h1", "0000:01:00.0", false);
    const [broken, whole] = healthy;
    expect(await engine.hosts(signal())).toEqual([
      {
        ...host,
        vcpus: 32,
        available: true,
        sharedStorage: true,
        multiAttach: true,
        gpus: [{ ...broken, healthy: false }, whole],
        health: [],
      },
    ]);
    await engine.create(specFor({ gpuAddresses: [] }), signal());
    await removeSimulatedHost(world.db, "h1");
    expect(await engine.hosts(signal())).toEqual([]);
    await removeSimulatedHost(world.db, "h1");
  });

  it("says nothing of a dead host's machines but that it does not respond", async () => {
    const engine = await open(0);
    const spec = await booted(engine);
    await killHost(world.db, "h1");
    for (const operation of ["inspect", "start", "stop", "remove"] as const) {
      const call: Promise<unknown> = engine[operation](spec, signal());
      await expect(call).rejects.toMatchObject({ kind: "unavailable", code: "host-unreachable" });
    }
    await expect(engine.create(spec, signal())).rejects.toMatchObject({ code: "host-unreachable" });
    expect(await engine.list(signal())).toEqual({ machines: [], unreachableHosts: ["h1"] });
    const [dead] = await engine.hosts(signal());
    expect(dead).toMatchObject({ name: "h1", available: false });
    expect(dead).not.toHaveProperty("health");
    await reviveHost(world.db, "h1");
    expect(await engine.inspect(spec, signal())).toMatchObject({ usable: true });
  });

  it("keeps a file system from its first machine until it is removed, and not longer", async () => {
    const engine = await open();
    const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 10, mountPoint: "/data" };
    const spec = specFor();
    const guest = { ...spec.guest, fileSystems: [fileSystem] };
    const stored = async () => {
      const query = sql<{ name: string; size_gb: number }>`select name, size_gb from simulated.file_systems`;
      return (await query.execute(world.db)).rows;
    };
    await engine.create({ ...spec, guest }, signal());
    await engine.remove(spec, signal());
    expect(await stored()).toEqual([{ name: "data", size_gb: 10 }]);
    await engine.create({ ...specFor(), guest: { ...guest, fileSystems: [{ ...fileSystem, sizeGb: 20 }] } }, signal());
    expect(await stored()).toEqual([{ name: "data", size_gb: 10 }]);

    await injectFaults(world.db, { kind: "unavailable", operation: "remove-file-system", times: 1 });
    const place = { id: fileSystem.id, host: undefined };
    await expect(engine.removeFileSystem(place, signal())).rejects.toMatchObject({ kind: "unavailable" });
    expect(await stored()).toHaveLength(1);
    await injectFaults(world.db, { kind: "loses-answer", operation: "remove-file-system", times: 1 });
    await expect(engine.removeFileSystem(place, signal())).rejects.toMatchObject({ code: "answer-lost" });
    expect(await stored()).toEqual([]);
  });

  it("says on a console, and in a terminal, that it is simulated", async () => {
    const engine = await open(0);
    const spec = await booted(engine);
    expect(await engine.consoleLog(spec, signal())).toMatch(/^This is a simulated machine.*training login:\s*$/s);
    const terminal = await engine.openTerminal(spec, { kind: "console", columns: 80, rows: 24 }, signal());
    const shown: string[] = [];
    terminal.onData((data) => shown.push(Buffer.from(data).toString()));
    expect(shown.join("")).toMatch(/This is a simulated machine.*root@training:~# /s);
  });

  it("opens a terminal in nothing that does not run: of no machine, halted, still booting, on a dead host", async () => {
    const engine = await open(3600);
    const spec = specFor();
    const code = async () => {
      const opening = engine.openTerminal(spec, { kind: "shell", columns: 80, rows: 24 }, signal());
      return opening.then(
        () => "opened",
        (error: { code?: string }) => error.code,
      );
    };
    const codes = [await code()];
    await engine.create(spec, signal());
    codes.push(await code());
    await engine.start(spec, signal());
    codes.push(await code());
    await killHost(world.db, "h1");
    codes.push(await code());
    expect(codes).toEqual(["no-such-machine", "not-running", "not-running", "host-unreachable"]);
    await engine.close();
  });

  describe("has faults when it is told to:", () => {
    it("refuses and is unavailable with the code it was given, and nothing happens", async () => {
      const engine = await open();
      const spec = specFor();
      for (const [kind, expected] of [
        ["refuses", "refused"],
        ["unavailable", "unavailable"],
      ] as const) {
        const id = await injectFaults(world.db, { kind, operation: "create", parameters: { code: "too-bad" } });
        await expect(engine.create(spec, signal())).rejects.toMatchObject({ kind: expected, code: "too-bad" });
        await forgive(world.db, id);
      }
      expect(await engine.inspect(spec, signal())).toBeUndefined();
    });

    it("hangs until the caller gives up, and nothing happens", async () => {
      const engine = await open();
      const spec = specFor();
      await injectFaults(world.db, { kind: "hangs", operation: "create" });
      await expect(engine.create(spec, AbortSignal.timeout(20))).rejects.toThrow();
      expect(await engine.inspect(spec, signal())).toBeUndefined();
    });

    it("loses the answer, and it happened", async () => {
      const engine = await open();
      const spec = specFor();
      await injectFaults(world.db, { kind: "loses-answer", operation: "create", times: 1 });
      await expect(engine.create(spec, signal())).rejects.toMatchObject({ code: "answer-lost" });
      expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
    });

    it("answers late, and right", async () => {
      const engine = await open();
      await injectFaults(world.db, { kind: "answers-late", operation: "create", parameters: { seconds: 0.05 } });
      const began = performance.now();
      expect(await engine.create(specFor(), signal())).toMatchObject({ power: "halted" });
      expect(performance.now() - began).toBeGreaterThanOrEqual(49);
    });

    it("lies about every operation, and nothing happens", async () => {
      const engine = await open();
      const spec = specFor();
      await engine.create(spec, signal());
      const id = await injectFaults(world.db, { kind: "lies" });
      expect(await engine.start(spec, signal())).toMatchObject({ power: "running", usable: true });
      expect(await engine.inspect(spec, signal())).toMatchObject({ power: "running", usable: true });
      expect((await engine.list(signal())).machines).toMatchObject([{ power: "running", usable: true }]);
      expect(await engine.stop(spec, signal())).toMatchObject({ power: "halted" });
      await engine.remove(spec, signal());
      await forgive(world.db, id);
      expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
    });

    it("loses the machine", async () => {
      const engine = await open();
      const spec = specFor();
      await injectFaults(world.db, { kind: "loses-machine", operation: "create", times: 1 });
      await engine.create(spec, signal());
      expect(await engine.inspect(spec, signal())).toBeUndefined();
    });

    it("boots slowly, or never; halts slowly, or never", async () => {
      const engine = await open(0, 0);
      const remaining = async (spec: MachineSpec) => {
        const { rows } = await sql<{ left: string }>`
          select case when settles_at = 'infinity' then 'for ever' else extract(epoch from settles_at - now())::integer::text
          end as left from simulated.machines where id = ${spec.id}`.execute(world.db);
        return rows[0]?.left;
      };
      for (const [kind, left, parameters] of [
        ["boots-slowly", "500", { seconds: 500 }],
        ["never-boots", "for ever", {}],
      ] as const) {
        const spec = specFor({ gpuAddresses: [] });
        await injectFaults(world.db, { kind, machine: spec.id, parameters });
        await booted(engine, spec);
        expect(await remaining(spec)).toBe(left);
        expect(await engine.inspect(spec, signal())).toMatchObject({ power: "starting" });
      }
      for (const [kind, left, parameters] of [
        ["stops-slowly", "500", { seconds: 500 }],
        ["never-stops", "for ever", {}],
      ] as const) {
        const spec = await booted(engine, specFor({ gpuAddresses: [] }));
        await injectFaults(world.db, { kind, machine: spec.id, parameters });
        expect(await engine.stop(spec, signal())).toMatchObject({ power: "running", usable: false });
        expect(await remaining(spec)).toBe(left);
      }
      await engine.close();
    });

    it("only where it is told to: one host, one machine, one operation, a number of calls", async () => {
      const engine = await open();
      await putSimulatedHost(world.db, { ...host, name: "h2" });
      const [mine, other] = [specFor({ gpuAddresses: [] }), specFor({ gpuAddresses: [] })];
      await injectFaults(world.db, { kind: "unavailable", machine: mine.id, operation: "create", times: 2 });
      await injectFaults(world.db, { kind: "unavailable", host: "h2" });
      await engine.create(other, signal());
      expect(await engine.inspect(mine, signal())).toBeUndefined();
      await expect(engine.create(mine, signal())).rejects.toThrow();
      await expect(engine.create(mine, signal())).rejects.toThrow();
      await engine.create(mine, signal());
      await expect(engine.inspect({ ...mine, host: "h2" }, signal())).rejects.toThrow();
    });

    it("exactly as often as it is told to, with many calls at once", async () => {
      const engine = await open();
      await injectFaults(world.db, { kind: "unavailable", operation: "create", times: 5 });
      const calls = Array.from({ length: 20 }, () => engine.create(specFor({ gpuAddresses: [] }), signal()));
      const results = await Promise.allSettled(calls);
      expect(results.filter((result) => result.status === "rejected")).toHaveLength(5);
      expect((await engine.list(signal())).machines).toHaveLength(15);
    });
  });
});
