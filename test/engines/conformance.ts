// The contract of src/engines/engine.ts as tests, run against every engine. When an engine needs it to say less, the
// contract is changed first.

import { beforeAll, describe, expect, it, type TestContext } from "vitest";
import { type MachineReport, noSuchMachine } from "../../src/engines/engine.ts";
import { afterTest, forAllTests } from "../support/when-over.ts";
import { Actor, type EngineUnderTest, failure, idsOf, kindOf, signal } from "./actor.ts";
import { moveConformance } from "./move-conformance.ts";

export type { EngineUnderTest } from "./actor.ts";

/**
 * Declares the suite. `make` is called for each test, and once for those that share a machine. `atOnce`: several tests run at the same time, for an engine whose
 * machines take long to boot; then what is made for one must not see what is made for another.
 */
export function engineConformance(
  name: string,
  make: () => Promise<EngineUnderTest>,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): void {
  const suite = atOnce ? describe.concurrent : describe;
  suite(`the engine ${name} keeps the contract:`, () => {
    // Of tests at once, each has its own context: what vitest offers to all belongs to any of them.
    const begin = async (context: TestContext) => {
      const test = await make();
      context.onTestFinished(() => test.close());
      return new Actor(test);
    };

    describe("hosts", () => {
      it("are reported with what they have, each once", async (context) => {
        const { engine } = await begin(context);
        const hosts = await engine.hosts(signal());
        expect(hosts.length).toBeGreaterThan(0);
        expect(new Set(hosts.map((host) => host.name)).size).toBe(hosts.length);
        for (const host of hosts) {
          expect(Math.min(host.vcpus, host.memoryGib, host.storageGb)).toBeGreaterThan(0);
          expect(new Set(host.gpus.map((gpu) => gpu.address)).size).toBe(host.gpus.length);
        }
      });
    });

    describe("create", () => {
      it("makes a machine that is halted, and says so", async (context) => {
        const { engine, spec } = await begin(context);
        expect(await engine.create(spec, signal())).toMatchObject({
          id: spec.id,
          host: spec.host,
          power: "halted",
          usable: false,
        });
        expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted", usable: false });
      });

      it("repeated, finds its own and makes nothing more", async (context) => {
        const { engine, spec } = await begin(context);
        await engine.create(spec, signal());
        expect(await engine.create(spec, signal())).toMatchObject({ id: spec.id, power: "halted" });
        expect(await idsOf(engine)).toEqual([spec.id]);
      });

      it("three times at once makes one", async (context) => {
        const { engine, spec } = await begin(context);
        const made = await Promise.allSettled([1, 2, 3].map(() => engine.create(spec, signal())));
        // One may be told to come again while another is at it, but never that it will not work.
        for (const result of made) if (result.status === "rejected") expect(kindOf(result.reason)).toBe("unavailable");
        expect(made.some((result) => result.status === "fulfilled")).toBe(true);
        expect(await idsOf(engine)).toEqual([spec.id]);
      });

      it("on a host that does not exist is refused for good", async (context) => {
        const { engine, spec } = await begin(context);
        const error = await failure(engine.create({ ...spec, host: "no-such-host" }, signal()));
        expect(kindOf(error)).toBe("refused");
      });
    });

    describe("start", () => {
      it("of nothing is unavailable, never a success", async (context) => {
        const { engine, spec } = await begin(context);
        expect(kindOf(await failure(engine.start(spec, signal())))).toBe("unavailable");
      });
    });

    describe("stop", () => {
      it("halts it, also when it is repeated, and a start brings it back with the same address", async (context) => {
        const actor = await begin(context);
        const { ip } = await actor.boot();
        await actor.engine.stop(actor.spec, signal());
        await actor.halt();
        expect(await actor.engine.stop(actor.spec, signal())).toMatchObject({ power: "halted", usable: false });
        await actor.engine.start(actor.spec, signal());
        expect((await actor.untilUsable()).ip).toBe(ip);
      });

      it("of one that never ran has nothing to do", async (context) => {
        const { engine, spec } = await begin(context);
        await engine.create(spec, signal());
        expect(await engine.stop(spec, signal())).toMatchObject({ power: "halted" });
      });

      it("while it boots leads to halted", async (context) => {
        const actor = await begin(context);
        await actor.engine.create(actor.spec, signal());
        await actor.engine.start(actor.spec, signal());
        await actor.halt();
      });
    });

    describe("remove", () => {
      it.for(["halted", "running", "booting"])(
        "of a machine that is %s leaves nothing of it",
        async (power, context) => {
          const actor = await begin(context);
          await actor.engine.create(actor.spec, signal());
          if (power !== "halted") await actor.engine.start(actor.spec, signal());
          if (power === "running") await actor.untilUsable();
          await actor.engine.remove(actor.spec, signal());
          expect(await actor.engine.inspect(actor.spec, signal())).toBeUndefined();
          expect(await idsOf(actor.engine)).toEqual([]);
        },
      );

      it("repeated, or of what never was, succeeds", async (context) => {
        const { engine, spec } = await begin(context);
        await engine.remove(spec, signal());
        await engine.create(spec, signal());
        await Promise.all([engine.remove(spec, signal()), engine.remove(spec, signal())]);
        await engine.remove(spec, signal());
        expect(await engine.inspect(spec, signal())).toBeUndefined();
      });

      it("frees what the machine had for another", async (context) => {
        const { engine, spec, test } = await begin(context);
        await engine.create(spec, signal());
        await engine.remove(spec, signal());
        const next = test.spec({ host: spec.host, gpuAddresses: spec.gpuAddresses });
        expect(await engine.create(next, signal())).toMatchObject({ id: next.id });
      });
    });

    describe("a file system", () => {
      it("goes from a machine that is removed to the next one, and is removed by itself, also twice", async (context) => {
        const first = await begin(context);
        const { engine, test } = first;
        const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
        const guest = { ...first.spec.guest, fileSystems: [fileSystem] };
        await engine.create({ ...first.spec, guest }, signal());
        await engine.remove(first.spec, signal());

        const next = new Actor(test, test.spec({ host: first.spec.host, guest }));
        await next.boot();
        await engine.remove(next.spec, signal());

        const host = (await engine.hosts(signal())).find(({ name }) => name === first.spec.host);
        const place = { id: fileSystem.id, host: host?.sharedStorage === true ? undefined : host?.name };
        // A storage that cannot say how much is on it says so.
        expect((await engine.measureFileSystem(place, signal())) ?? 0).toBeGreaterThanOrEqual(0);
        await engine.removeFileSystem(place, signal());
        await engine.removeFileSystem(place, signal());
        expect(await engine.measureFileSystem(place, signal())).toBeUndefined();
      });

      it("is in two machines of a host at once, where the host says that it can be", async (context) => {
        const first = await begin(context);
        const { engine, test } = first;
        const host = (await engine.hosts(signal())).find(({ name }) => name === first.spec.host);
        if (host?.multiAttach !== true) return context.skip();
        const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
        const guest = { ...first.spec.guest, fileSystems: [fileSystem] };
        const machines = [0, 1].map(() => new Actor(test, test.spec({ host: host.name, guest, gpuAddresses: [] })));
        for (const machine of machines) await machine.boot();
        for (const { spec } of machines) await engine.remove(spec, signal());
        await engine.removeFileSystem(
          { id: fileSystem.id, host: host.sharedStorage ? undefined : host.name },
          signal(),
        );
      });

      it("that never was is removed already", async (context) => {
        const { engine, spec } = await begin(context);
        const [host] = (await engine.hosts(signal())).filter(({ name }) => name === spec.host);
        const place = { id: crypto.randomUUID(), host: host?.sharedStorage === true ? undefined : host?.name };
        await engine.removeFileSystem(place, signal());
      });
    });

    describe("consoleLog", () => {
      it("of nothing is unavailable, and says that there is no such machine", async (context) => {
        const { engine, spec } = await begin(context);
        const error = await failure(engine.consoleLog(spec, signal()));
        expect(error).toMatchObject({ kind: "unavailable", code: noSuchMachine });
      });
    });

    describe("openTerminal", () => {
      it("of a machine that is halted, or that is not there, is unavailable", async (context) => {
        const { engine, spec } = await begin(context);
        expect(await failure(engine.openTerminal(spec, terminalOrder, signal()))).toMatchObject({
          kind: "unavailable",
        });
        await engine.create(spec, signal());
        expect(await failure(engine.openTerminal(spec, terminalOrder, signal()))).toMatchObject({
          kind: "unavailable",
        });
      });
    });

    moveConformance(begin);

    describe("inspect and list", () => {
      it("know nothing of a machine that was never made", async (context) => {
        const { engine, spec } = await begin(context);
        expect(await engine.inspect(spec, signal())).toBeUndefined();
        expect(await idsOf(engine)).toEqual([]);
      });
    });

    // One machine for all of these: a boot takes most of the time that a real engine's contract takes. One after the
    // other: a machine may have one console only.
    describe("a machine that boots and runs", { concurrent: false }, () => {
      let actor: Actor;
      let booted: MachineReport;
      /** While it booted. */
      const reports: MachineReport[] = [];

      beforeAll(() =>
        forAllTests(async () => {
          const test = await make();
          afterTest(() => test.close());
          actor = new Actor(test);
          const { engine, spec } = actor;
          await engine.create(spec, signal());
          reports.push(await engine.start(spec, signal()), await engine.start(spec, signal()));
          booted = await actor.untilUsable((report) => reports.push(report));
        }),
      );

      it("has an address and can be used, and never says usable without an address", () => {
        expect(booted).toMatchObject({ power: "running", usable: true, ip: expect.stringMatching(/\S/) });
        for (const report of reports)
          if (report.usable) expect([report.power, typeof report.ip]).toEqual(["running", "string"]);
      });

      it("goes on running, with its address, when it is created or started again", async () => {
        const same = { power: "running", ip: booted.ip };
        expect(await actor.engine.create(actor.spec, signal())).toMatchObject(same);
        expect(await actor.engine.start(actor.spec, signal())).toMatchObject(same);
        expect(await actor.engine.inspect(actor.spec, signal())).toMatchObject({ ...same, usable: true });
      });

      it("is listed as it is inspected", async () => {
        const { machines, unreachableHosts } = await actor.engine.list(signal());
        const seen = await actor.engine.inspect(actor.spec, signal());
        expect(seen).toMatchObject({ power: "running", usable: true });
        // A list may leave out the address and the progress.
        expect(machines).toMatchObject([{ id: seen?.id, host: seen?.host, power: "running", usable: true }]);
        expect(unreachableHosts).toEqual([]);
      });

      it("is the same through another engine on the same world, also after one of them was closed", async () => {
        for (const _ of ["closed afterwards", "opened then"]) {
          const other = await actor.test.another();
          expect(await other.inspect(actor.spec, signal())).toMatchObject({ usable: true, ip: booted.ip });
          await other.close();
        }
        expect(await actor.engine.inspect(actor.spec, signal())).toMatchObject({ usable: true, ip: booted.ip });
      });

      it("has a console log with something to read", async () => {
        expect(await actor.engine.consoleLog(actor.spec, signal())).toMatch(/\S/);
      });

      // What is typed is shown by the terminal itself, so this holds where a shell runs and where none does.
      it("has a terminal that shows what is typed, can be resized, and ends once when it is closed", async (context) => {
        if (actor.test.hasTerminals === false) return context.skip();
        const terminal = await actor.engine.openTerminal(actor.spec, terminalOrder, signal());
        const shown: Uint8Array[] = [];
        let ends = 0;
        terminal.onData((data) => shown.push(data));
        terminal.onEnd(() => {
          ends += 1;
        });
        terminal.resize(120, 40);
        terminal.write(new TextEncoder().encode("echo lessor-terminal\n"));
        const text = () => Buffer.concat(shown).toString();
        await context.expect.poll(text, { timeout: actor.test.patienceMs }).toContain("lessor-terminal");
        expect(ends).toBe(0);
        terminal.close();
        await context.expect.poll(() => ends, { timeout: actor.test.patienceMs }).toBe(1);
        terminal.close();
        terminal.write(new TextEncoder().encode("lost\n"));
        expect(await actor.engine.inspect(actor.spec, signal())).toMatchObject({ power: "running" });
        expect(ends).toBe(1);
      });

      it("has a terminal that ends when the shell is left", async (context) => {
        if (actor.test.hasTerminals === false) return context.skip();
        const terminal = await actor.engine.openTerminal(actor.spec, terminalOrder, signal());
        let ends = 0;
        terminal.onData(() => {});
        terminal.onEnd(() => {
          ends += 1;
        });
        terminal.write(new TextEncoder().encode("exit\n"));
        await context.expect.poll(() => ends, { timeout: actor.test.patienceMs }).toBe(1);
      });
    });

    it("hints at a machine that has become usable, without being asked, but not after that was ended", async (context) => {
      const actor = await begin(context);
      const [hints, tooLate]: [string[], string[]] = [[], []];
      actor.engine.watch((id) => tooLate.push(id))();
      const unwatch = actor.engine.watch((id) => hints.push(id));
      await actor.engine.create(actor.spec, signal());
      await actor.engine.start(actor.spec, signal());
      await context.expect.poll(() => hints, { timeout: actor.test.patienceMs }).toContain(actor.spec.id);
      unwatch();
      await actor.untilUsable();
      expect(tooLate).toEqual([]);
    });

    it("begins nothing when it is told beforehand that it is too late", async (context) => {
      const { engine, spec } = await begin(context);
      await failure(engine.create(spec, AbortSignal.abort(new Error("too late"))));
      expect(await idsOf(engine)).toEqual([]);
    });
  });
}

const terminalOrder = { kind: "shell", columns: 80, rows: 24 } as const;
