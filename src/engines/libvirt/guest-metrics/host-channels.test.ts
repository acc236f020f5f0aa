// Channels of guests, over libvirt's protocol, from a stand-in for its daemon. The same with a real one: test/vm.

import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../test/support/engine-calls.ts";
import { FakeDaemon, program, type Received } from "../../../../test/support/fake-libvirt/fake-daemon.ts";
import { procedures } from "../rpc/connection.ts";
import { openLinkedVirsh } from "../rpc/linked-virsh.ts";
import { XdrWriter } from "../rpc/xdr.ts";
import { GuestChannels } from "./guest-channels.ts";
import { HostChannels } from "./host-channels.ts";

const [stream, more, ok, error] = [3, 2, 0, 1];

/** A host whose guests all have a channel, unless `refuses` says otherwise. */
async function begin(refuses: (id: string) => string | undefined = () => undefined) {
  let now = 0;
  const opened = new Map<string, Received>();
  const parts: { readonly serial: number; readonly status: number }[] = [];
  const asked: string[] = [];
  const daemon: FakeDaemon = await FakeDaemon.start((call) => {
    if (call.type === stream) return void parts.push(call);
    if (call.procedure === procedures.authentications) return new XdrWriter().uint(1).uint(0);
    if (call.procedure !== procedures.openChannel) return new XdrWriter();
    const id = call.body.text().replace("lessor-", "");
    expect(call.body.fixed(16).toString("hex")).toBe(id.replaceAll("-", ""));
    call.body.skip(4);
    expect(call.body.someText()).toBe("org.lessor.metrics.0");
    asked.push(id);
    const refusal = refuses(id);
    if (refusal !== undefined) return refusal;
    opened.set(id, call);
    return new XdrWriter();
  });
  const virsh = openLinkedVirsh(daemon.uri);
  const channels = new HostChannels(virsh, () => now);
  onTestFinished(() => channels.close());
  const raw = (text: string) => new XdrWriter().fixed(Buffer.from(text));
  const sends = (id: string, body: XdrWriter = new XdrWriter(), status = more) => {
    const call = opened.get(id);
    daemon.send(program, procedures.openChannel, stream, call?.serial, status, body);
  };
  const read = (...ids: string[]) => {
    const lines = ids.map((id) => channels.take(id)?.toString().trim());
    channels.openMissing();
    return lines;
  };
  const begun = async (...ids: string[]) => {
    read(...ids);
    await eventually(() => ids.every((id) => opened.has(id))).toBe(true);
  };
  return { daemon, channels, virsh, opened, parts, asked, raw, sends, read, begun, pass: (ms: number) => (now += ms) };
}

/** Of a multiple of four bytes, which needs no padding. */
const line = (n: number) => `{"v":1,"n":${n}}`.padEnd(23, " ").concat("\n");
const ids = () => [randomUUID(), randomUUID()] as const;

describe("the channel of a guest", () => {
  it("gives its last line, once, and is opened once", async () => {
    const { begun, sends, read, raw, asked, daemon } = await begin();
    const [a, b] = ids();
    await begun(a, b);
    sends(a, raw(line(1) + line(2)));
    sends(b, raw(line(7)));
    await eventually(() => read(a, b)).toEqual(['{"v":1,"n":2}', '{"v":1,"n":7}']);
    expect(read(a, b)).toEqual([undefined, undefined]);
    expect(asked.toSorted()).toEqual([a, b].toSorted());
    expect(daemon.sockets).toHaveLength(1);
  });

  it("is closed where more comes than lines can be, and opened again in the next round", async () => {
    const { begun, sends, read, raw, parts, opened, asked } = await begin();
    const [a, b] = ids();
    await begun(a, b);
    const serial = opened.get(a)?.serial;
    for (let count = 0; count < 20; count++) sends(a, new XdrWriter().fixed(Buffer.alloc(65_536, "x")));
    await eventually(() => parts).toEqual([expect.objectContaining({ serial, status: error })]);
    sends(b, raw(line(3)));
    await eventually(() => read(b)).toEqual(['{"v":1,"n":3}']);
    expect(asked).toHaveLength(2);
    expect(read(a)).toEqual([undefined]);
    await eventually(() => asked).toEqual([...asked.slice(0, 2), a]);
    await eventually(() => opened.get(a)?.serial).not.toBe(serial);
    sends(a, raw(line(9)));
    await eventually(() => read(a)).toEqual(['{"v":1,"n":9}']);
  });

  it("that ends is confirmed, and its last line is not lost", async () => {
    const { begun, sends, read, raw, parts, opened, asked } = await begin();
    const [a] = ids();
    await begun(a);
    const serial = opened.get(a)?.serial;
    sends(a, raw(line(4)));
    sends(a);
    await eventually(() => parts).toEqual([expect.objectContaining({ serial, status: ok })]);
    expect(read(a)).toEqual(['{"v":1,"n":4}']);
    await eventually(() => asked).toEqual([a, a]);
  });

  it("that cannot be opened is left alone for a while, or until its machine changes", async () => {
    const { read, asked, channels, pass, begun } = await begin((id) =>
      id === a ? "domain is not running" : undefined,
    );
    const [a, b] = ids();
    await begun(b);
    // What is read while the round before ends is opened in the next one.
    await eventually(() => {
      read(a);
      return asked;
    }).toEqual([b, a]);
    await eventually(() => {
      pass(15_000);
      read(a, b);
      return asked.length;
    }).toBe(3);
    // No time passes from here on.
    await eventually(() => {
      channels.noteChange(a);
      read(a, b);
      return asked.length;
    }).toBeGreaterThan(3);
    expect(asked.filter((id) => id === b)).toHaveLength(1);
  });

  it("is closed where it is no longer read, and the connection with the last one", async () => {
    const { begun, channels, parts, opened, daemon } = await begin();
    const [a, b] = ids();
    await begun(a, b);
    channels.keepOnly(new Set([b]));
    await eventually(() => parts.map(({ serial }) => serial)).toEqual([opened.get(a)?.serial]);
    channels.keepOnly(new Set());
    await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
  });

  it("is opened again after the connection was lost", async () => {
    const { begun, daemon, read, raw, sends, asked } = await begin();
    const [a] = ids();
    await begun(a);
    daemon.sockets[0]?.destroy();
    await eventually(() => {
      read(a);
      return asked.length;
    }).toBe(2);
    sends(a, raw(line(5)));
    await eventually(() => read(a)).toEqual(['{"v":1,"n":5}']);
  });
});

describe("the channels of an engine", () => {
  it("read a machine where it is now", async () => {
    const [from, to] = [await begin(), await begin()];
    const all = new GuestChannels(
      new Map([
        ["h1", { virsh: from.virsh }],
        ["h2", { virsh: to.virsh }],
      ]),
    );
    onTestFinished(() => all.close());
    const [a] = ids();
    expect(await all.readLines([{ id: a, host: "h1" }])).toEqual(new Map());
    await eventually(() => from.opened.has(a)).toBe(true);
    await all.readLines([{ id: a, host: "h2" }]);
    await eventually(() => to.opened.has(a)).toBe(true);
    await eventually(() => from.parts).toEqual([expect.objectContaining({ status: error })]);
    to.sends(a, to.raw(line(6)));
    await eventually(async () => {
      const lines = await all.readLines([{ id: a, host: "h2" }]);
      return Buffer.from(lines.get(a) ?? [])
        .toString()
        .trim();
    }).toBe('{"v":1,"n":6}');
    expect(await all.readLines([{ id: a, host: "unknown" }])).toEqual(new Map());
  });
});
