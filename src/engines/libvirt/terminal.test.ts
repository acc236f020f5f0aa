import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginBench } from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { fc } from "../../../test/support/properties.ts";
import type { TerminalOrder } from "../engine.ts";
import { shellEnd } from "../guest/disks.ts";
import { createMachine } from "./create.ts";
import { shellAlias } from "./domain-xml.ts";
import { startMachine } from "./start.ts";
import { openSession } from "./terminal.ts";

const shell: TerminalOrder = { kind: "shell", columns: 132, rows: 50 };

async function begin(order = shell) {
  const bench = await beginBench();
  const { place, inventory, spec, fake } = bench;
  // What the guest shows is what the test says.
  fake.world.manners.bootMs = undefined;
  await createMachine(place, inventory, spec, signal());
  await startMachine(place, inventory, spec, signal());
  const terminal = await openSession(place, spec.id, order, signal());
  const console = fake.world.consoles.at(-1);
  if (console === undefined) throw new Error("BUG: no console was opened");
  const seen: Uint8Array[] = [];
  let ends = 0;
  terminal.onEnd(() => {
    ends++;
  });
  const listen = () => terminal.onData((data) => seen.push(data));
  return { ...bench, terminal, console, listen, shown: () => Buffer.concat(seen).toString(), ends: () => ends };
}

describe("a shell", () => {
  it("is on the console that its guest offers to its host, which is told the size at the prompt", async () => {
    const { console } = await begin();
    expect(console.device).toBe(shellAlias);
    expect(Buffer.concat(console.typed).toString()).toBe("\u0015stty rows 50 cols 132\n");
  });

  it("of a size that is none has a size all the same", async () => {
    const { console } = await begin({ kind: "shell", columns: 80.9, rows: -3 });
    expect(Buffer.concat(console.typed).toString()).toContain("rows 1 cols 80\n");
  });

  it("ends when the guest says that it was left, after that was shown", async () => {
    const { console, listen, shown, ends } = await begin();
    listen();
    console.show(`logout\r\n${shellEnd}`);
    await eventually(ends).toBe(1);
    expect(shown()).toBe(`logout\r\n${shellEnd}`);
    expect(console.isOver).toBe(true);
  });

  it("ends also where that was said before anybody listened", async () => {
    const { console, listen, ends } = await begin();
    console.show(shellEnd);
    listen();
    await eventually(ends).toBe(1);
  });

  it("goes on while only a part of that was said, or something like it", async () => {
    const { console, listen, terminal } = await begin();
    listen();
    console.show(shellEnd.slice(0, -1));
    console.show(`x${shellEnd.slice(1)}`);
    console.show(shellEnd.slice(0, 5) + shellEnd.slice(6));
    expect(console.isOver).toBe(false);
    terminal.write(Buffer.from("ls\r"));
    expect(console.typed.at(-1)?.toString()).toBe("ls\r");
  });

  it("is not resized by typing into whatever runs in it", async () => {
    const { console, terminal } = await begin();
    const before = console.typed.length;
    terminal.resize(10, 10);
    expect(console.typed.length).toBe(before);
  });
});

describe("the sign that a shell was left", () => {
  it("is seen however it comes apart, and whatever is around it", async () => {
    const { place, spec, fake } = await begin();
    const noise = fc.string({ unit: "binary" }).filter((text) => !text.includes("\u001b"));
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(noise, noise, cuts, async (before, after, where) => {
        const terminal = await openSession(place, spec.id, shell, signal());
        const console = fake.world.consoles.at(-1);
        const seen: Uint8Array[] = [];
        terminal.onData((data) => seen.push(data));
        const text = before + shellEnd + after;
        const marks = [...new Set(where.map((at) => at % (text.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...marks].map((at, index) => text.slice(at, marks[index] ?? text.length));
        for (const piece of pieces) console?.show(piece);
        expect(console?.isOver).toBe(true);
        expect(Buffer.concat(seen).toString()).toContain(shellEnd);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a serial console", () => {
  it("is the machine's own, and nothing is typed into it", async () => {
    const { console } = await begin({ kind: "console", columns: 80, rows: 25 });
    expect([console.device, console.typed]).toEqual(["serial0", []]);
  });

  it("does not end at what its guest shows", async () => {
    const { console, listen } = await begin({ kind: "console", columns: 80, rows: 25 });
    listen();
    console.show(shellEnd);
    expect(console.isOver).toBe(false);
  });

  it("ends with the machine, and what is written then is lost", async () => {
    const { fake, name, terminal, ends } = await begin({ kind: "console", columns: 80, rows: 25 });
    fake.world.powerOff(name);
    await eventually(ends).toBe(1);
    terminal.write(Buffer.from("lost"));
    terminal.close();
    expect(ends()).toBe(1);
  });

  it("shows what came before anybody listened, and passes on what is typed, byte for byte", async () => {
    const { console, terminal, listen, shown } = await begin({ kind: "console", columns: 80, rows: 25 });
    console.show("early ü");
    listen();
    console.show("\0\u001b[m");
    expect(shown()).toBe("early ü\0\u001b[m");
    terminal.write(Uint8Array.of(0, 255, 10));
    expect([...(console.typed.at(-1) ?? [])]).toEqual([0, 255, 10]);
  });
});

it("a session in what does not run, or is not there, is an error", async () => {
  const { place, fake, name, spec } = await begin();
  expect(await failure(openSession(place, machineSpec().id, shell, signal()))).toMatchObject({ name: "VirshError" });
  fake.world.powerOff(name);
  expect(await failure(openSession(place, spec.id, shell, signal()))).toMatchObject({ name: "VirshError" });
});
