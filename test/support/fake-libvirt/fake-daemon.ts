// A stand-in for a libvirt daemon at the other end of a socket, which speaks libvirt's protocol as far as a test tells it
// to: for tests of the connection itself. What libvirt says over it is held to a real one by test/vm.

import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { XdrReader, XdrWriter } from "../../../src/engines/libvirt/rpc/xdr.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { afterTest } from "../when-over.ts";

export const program = 0x2000_8086;
export const keepalive = 0x6b65_6570;

export interface Received {
  readonly program: number;
  readonly procedure: number;
  /** 0: a call; 3: a part of a stream. */
  readonly type: number;
  readonly serial: number;
  readonly status: number;
  readonly body: XdrReader;
}

/** The body of the response, the message of an error, or none. */
export type Respond = (call: Received) => XdrWriter | string | undefined;

export class FakeDaemon {
  readonly path: string;
  readonly received: Received[] = [];
  readonly sockets: Socket[] = [];
  readonly #respond: Respond;

  private constructor(path: string, respond: Respond) {
    this.path = path;
    this.#respond = respond;
  }

  /** Listens until the test is over. */
  static async start(respond: Respond): Promise<FakeDaemon> {
    const daemon = new FakeDaemon(join(await temporaryDirectory(), "libvirt-sock"), respond);
    const server = createServer((socket) => daemon.#serve(socket));
    await new Promise<void>((resolve) => server.listen(daemon.path, resolve));
    afterTest(async () => {
      for (const socket of daemon.sockets) socket.destroy();
      server.close();
    });
    return daemon;
  }

  get uri(): string {
    return `qemu:///system?socket=${this.path}`;
  }

  /** To everyone who is connected. */
  send(of: number, procedure: number, type: number, serial = 0, status = 0, body = new XdrWriter()): void {
    const { bytes } = body;
    const header = new XdrWriter()
      .uint(28 + bytes.length)
      .uint(of)
      .uint(1)
      .uint(procedure)
      .uint(type);
    const message = Buffer.concat([header.uint(serial).uint(status).bytes, bytes]);
    for (const socket of this.sockets) socket.write(message);
  }

  #serve(socket: Socket): void {
    this.sockets.push(socket);
    let rest: Buffer = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 4 && rest.length >= rest.readUInt32BE(0)) {
        const message = new XdrReader(rest.subarray(0, rest.readUInt32BE(0)));
        rest = rest.subarray(rest.readUInt32BE(0));
        this.#take(message);
      }
    });
  }

  #take(body: XdrReader): void {
    const [, of = 0, , procedure = 0, type = 0, serial = 0, status = 0] = Array.from({ length: 7 }, () => body.uint());
    const call = { program: of, procedure, type, serial, status, body };
    this.received.push(call);
    if (of !== program) return;
    const response = this.#respond(call);
    if (typeof response === "string") {
      this.send(of, procedure, 1, serial, 1, new XdrWriter().uint(42).uint(10).someText(response));
    } else if (response !== undefined) this.send(of, procedure, 1, serial, 0, response);
  }
}
