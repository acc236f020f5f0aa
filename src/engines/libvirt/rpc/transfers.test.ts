import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { FakeDaemon, program, type Received } from "../../../../test/support/fake-libvirt/fake-daemon.ts";
import { openVirsh, type Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { procedures } from "./connection.ts";
import { linkedTransfers } from "./transfers.ts";
import { XdrWriter } from "./xdr.ts";

const volume = { pool: "default", name: "a.qcow2" };
const [stream, more, ok, error] = [3, 2, 0, 1];

/** A host with that volume; `onStream` takes what the client streams. */
async function begin(
  onCall: (call: Received, daemon: FakeDaemon) => XdrWriter | string | undefined,
  onStream: (part: Received, daemon: FakeDaemon) => void = () => {},
  authentication = 0,
) {
  const daemon: FakeDaemon = await FakeDaemon.start((call) => {
    if (call.type === stream) return void onStream(call, daemon);
    switch (call.procedure) {
      case procedures.authentications:
        return new XdrWriter().uint(1).uint(authentication);
      case procedures.open:
        return new XdrWriter();
      case procedures.poolByName:
        return new XdrWriter().text(call.body.text()).fixed(Buffer.alloc(16, 7));
      case procedures.volumeByName: {
        const pool = call.body.text();
        call.body.skip(16);
        return new XdrWriter().text(pool).text(call.body.text()).text("/of/it");
      }
      default:
        return onCall(call, daemon);
    }
  });
  const byVirsh: string[] = [];
  const virsh: Virsh = {
    ...openVirsh(daemon.uri),
    call: async (args, { input }) => {
      byVirsh.push(`${args.join(" ")} < ${input?.length}`);
      return "";
    },
    bytes: async (args) => {
      byVirsh.push(args.join(" "));
      return Buffer.from("of virsh");
    },
  };
  return { daemon, byVirsh, transfers: linkedTransfers(daemon.uri, virsh) };
}

/** What a call about a part of the volume names. */
function partIn({ body }: Received) {
  const names = [body.text(), body.text(), body.text()];
  const numbers = [body.uint(), body.uint(), body.uint(), body.uint()];
  return { names, offset: numbers[1], length: numbers[3] };
}

/** Of a multiple of four bytes, which needs no padding. */
const raw = (bytes: Uint8Array) => new XdrWriter().fixed(bytes);

describe("a part of a volume", () => {
  const content = randomBytes(600_000);

  /** Streams what is asked for in packets, and confirms the end when the client does. */
  async function reading(packetBytes = 262_120) {
    const asked: ReturnType<typeof partIn>[] = [];
    const stand = await begin(
      (call, daemon) => {
        const part = partIn(call);
        asked.push(part);
        const { offset = 0, length = 0 } = part;
        setImmediate(() => {
          const bytes = content.subarray(offset, offset + length);
          for (let at = 0; at < bytes.length; at += packetBytes)
            daemon.send(program, call.procedure, stream, call.serial, more, raw(bytes.subarray(at, at + packetBytes)));
          daemon.send(program, call.procedure, stream, call.serial, more);
        });
        return new XdrWriter();
      },
      (part, daemon) => {
        if (part.status === ok) daemon.send(program, part.procedure, stream, part.serial, ok);
      },
    );
    return { ...stand, asked };
  }

  it("is read over one connection, in packets of any size, as often as wanted", async () => {
    const { daemon, asked, transfers, byVirsh } = await reading(40_000);
    const reader = await transfers.open(volume, signal());
    for (const [offset, length] of [
      [0, 300_000],
      [300_000, 300_000],
      [8, 16],
    ] as const) {
      expect((await reader.read(offset, length)).equals(content.subarray(offset, offset + length))).toBe(true);
    }
    expect(asked[1]).toEqual({ names: ["default", "a.qcow2", "/of/it"], offset: 300_000, length: 300_000 });
    expect([daemon.sockets.length, byVirsh]).toEqual([1, []]);
    reader.close();
    await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
  });

  it("that ends early is as long as what is there", async () => {
    const { transfers } = await reading();
    const reader = await transfers.open(volume, signal());
    onTestFinished(() => reader.close());
    expect((await reader.read(599_996, 100_000)).equals(content.subarray(599_996))).toBe(true);
  });

  it("of which libvirt streams more than was asked for ends the connection", async () => {
    const { transfers } = await begin((call, daemon) => {
      setImmediate(() => daemon.send(program, call.procedure, stream, call.serial, more, raw(Buffer.alloc(64))));
      return new XdrWriter();
    });
    const reader = await transfers.open(volume, signal());
    expect(says(await failure(reader.read(0, 60)), "unreachable")).toBe(true);
  });

  it("that libvirt cannot read, at once or later, fails with its words", async () => {
    const gone = "cannot open volume: No such file or directory";
    let calls = 0;
    const { transfers } = await begin((call, daemon) => {
      if (++calls === 1) return gone;
      setImmediate(() => {
        const words = new XdrWriter().uint(38).uint(18).someText("Unable to read: Input/output error");
        daemon.send(program, call.procedure, stream, call.serial, error, words);
      });
      return new XdrWriter();
    });
    const reader = await transfers.open(volume, signal());
    onTestFinished(() => reader.close());
    expect(await failure(reader.read(0, 10))).toMatchObject({ complaint: gone });
    expect(await failure(reader.read(0, 10))).toMatchObject({ complaint: "Unable to read: Input/output error" });
  });

  it("ends with its signal", async () => {
    const ending = new AbortController();
    const { transfers, daemon } = await begin(() => new XdrWriter());
    const reader = await transfers.open(volume, ending.signal);
    const read = failure(reader.read(0, 10));
    await eventually(() => daemon.received.at(-1)?.procedure).toBe(procedures.volumeDownload);
    ending.abort(new Error("enough"));
    expect(await read).toMatchObject({ message: "enough" });
    await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
  });

  it("of a host that is down is left to no process of virsh", async () => {
    const { transfers, byVirsh, daemon } = await begin(() => undefined);
    await rm(daemon.path);
    async function* none(): AsyncGenerator<Buffer> {}
    for (const transfer of [
      () => transfers.open(volume, signal()),
      () => transfers.write(volume, 0, none(), signal()),
    ]) {
      expect(says(await failure(transfer()), "unreachable")).toBe(true);
    }
    expect(byVirsh).toEqual([]);
  });

  it("is read by virsh where only virsh can connect", async () => {
    const { transfers, byVirsh } = await begin(
      () => undefined,
      () => {},
      1,
    );
    const reader = await transfers.open(volume, signal());
    expect((await reader.read(5, 8)).toString()).toBe("of virsh");
    expect(byVirsh).toEqual(["vol-download --pool default a.qcow2 /dev/stdout --offset 5 --length 8"]);
  });
});

describe("bytes for a volume", () => {
  async function* chunks(count: number, bytes: number, taken: number[] = []) {
    for (let index = 0; index < count; index++) {
      taken.push(index);
      yield Buffer.alloc(bytes, index + 1);
    }
  }

  /** Takes all, and confirms the end. */
  async function writing() {
    const parts: Buffer[] = [];
    const asked: ReturnType<typeof partIn>[] = [];
    const stand = await begin(
      (call) => {
        asked.push(partIn(call));
        return new XdrWriter();
      },
      (part, daemon) => {
        if (part.status === more) parts.push(part.body.rest());
        else daemon.send(program, part.procedure, stream, part.serial, ok);
      },
    );
    return { ...stand, parts, asked };
  }

  it("are streamed from the offset on, in packets that any daemon takes, and confirmed", async () => {
    const { transfers, parts, asked, daemon, byVirsh } = await writing();
    await transfers.write(volume, 4096, chunks(3, 700_000), signal());
    expect(asked).toEqual([{ names: ["default", "a.qcow2", "/of/it"], offset: 4096, length: 0 }]);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(262_120);
    const expected = Buffer.concat([1, 2, 3].map((value) => Buffer.alloc(700_000, value)));
    expect(Buffer.concat(parts).equals(expected)).toBe(true);
    expect(byVirsh).toEqual([]);
    await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
  });

  it("wait while libvirt does not take them", async () => {
    const { transfers, daemon, parts } = await writing();
    const taken: number[] = [];
    let isPaused = false;
    async function* watched() {
      for await (const chunk of chunks(60, 1024 ** 2, taken)) {
        if (!isPaused) for (const socket of daemon.sockets) socket.pause();
        isPaused = true;
        yield chunk;
      }
    }
    const written = transfers.write(volume, 0, watched(), signal());
    // What the kernel holds of a socket is a few MiB at most.
    let seen = -1;
    const isStill = () => {
      const last = seen;
      seen = taken.length;
      return seen > 0 && seen === last;
    };
    await expect.poll(isStill, { interval: 200, timeout: 10_000 }).toBe(true);
    expect(taken.length).toBeLessThan(20);
    for (const socket of daemon.sockets) socket.resume();
    await written;
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBe(60 * 1024 ** 2);
  });

  it.each([
    ["as part of the stream", stream],
    ["as a response", 1],
  ])("that libvirt cannot write fail with its words, %s, and no more are taken", async (_how, type) => {
    const words = new XdrWriter().uint(38).uint(18).someText("cannot write: No space left on device");
    let told = false;
    const { transfers } = await begin(
      () => new XdrWriter(),
      ({ procedure, serial }, daemon) => {
        if (!told) daemon.send(program, procedure, type, serial, error, words);
        told = true;
      },
    );
    const taken: number[] = [];
    async function* endless() {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        yield* chunks(1, 1000, taken);
      }
    }
    const failed = await failure(transfers.write(volume, 0, endless(), signal()));
    expect(says(failed, "noSpace")).toBe(true);
  });

  it("that are lost with the connection, fail as an unreachable host does, and are not sent again", async () => {
    const { transfers, byVirsh } = await begin(
      () => new XdrWriter(),
      (_part, daemon) => daemon.sockets[0]?.destroy(),
    );
    const failed = await failure(transfers.write(volume, 0, chunks(200, 500_000), signal()));
    expect([says(failed, "unreachable"), byVirsh]).toEqual([true, []]);
  });

  it("that cannot be read any more end the connection, so that libvirt takes no part for the whole", async () => {
    const { transfers, daemon } = await writing();
    async function* broken() {
      yield Buffer.alloc(10);
      throw new Error("the source is gone");
    }
    expect(await failure(transfers.write(volume, 0, broken(), signal()))).toMatchObject({
      message: "the source is gone",
    });
    expect(daemon.received.some(({ type, status }) => type === stream && status === ok)).toBe(false);
    await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
  });

  it("are given to virsh in few commands where only virsh can connect", async () => {
    const { transfers, byVirsh } = await begin(
      () => undefined,
      () => {},
      1,
    );
    await transfers.write(volume, 100, chunks(5, 4 * 1024 ** 2), signal());
    const of = (offset: number, mib: number) =>
      `vol-upload --pool default a.qcow2 /dev/stdin --offset ${offset} --length ${mib * 1024 ** 2} < ${mib * 1024 ** 2}`;
    expect(byVirsh).toEqual([of(100, 16), of(100 + 16 * 1024 ** 2, 4)]);
  });
});
