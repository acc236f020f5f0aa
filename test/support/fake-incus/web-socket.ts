// The server's side of a WebSocket, as much of RFC 6455 as the fake needs: whole messages, no extensions.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export class FakeWebSocket {
  readonly #socket: Duplex;
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #parts: Buffer[] = [];
  /** Called with every message, text or binary. */
  onMessage: (message: Buffer) => void = () => {};
  onClose: () => void = () => {};
  /** Goes on with the session although the other side has closed it. */
  holdsOn = false;

  /** `protocol`: the one of those that were offered that is spoken. */
  constructor(request: IncomingMessage, socket: Duplex, protocol?: string) {
    this.#socket = socket;
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${GUID}`).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    const spoken = protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`];
    socket.write([...head, ...spoken, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", () => {});
    // A socket of an HTTP server stays half open by itself.
    socket.on("end", () => socket.end());
    socket.on("close", () => this.onClose());
  }

  sendText(text: string): void {
    this.#send(opcodes.text, Buffer.from(text));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#send(opcodes.binary, Buffer.from(bytes));
  }

  /** As a server closes that is well. */
  close(): void {
    this.#send(opcodes.close, Buffer.from([0x03, 0xe8]));
    this.#socket.end();
  }

  /** As a server closes that dies. */
  drop(): void {
    this.#socket.destroy();
  }

  #send(opcode: number, payload: Buffer): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    const { length } = payload;
    if (length > 0xffff) throw new Error("BUG: the fake sends no message of more than 65535 bytes");
    const head = length < 126 ? [length] : [126, length >> 8, length & 0xff];
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...head]), payload]));
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) this.#handle(frame);
  }

  /** The next frame that has arrived whole. What clients send is masked, always. */
  #next(): { readonly opcode: number; readonly final: boolean; readonly payload: Buffer } | undefined {
    const [first, second] = this.#received;
    if (first === undefined || second === undefined) return undefined;
    let length = second & 0x7f;
    let offset = 2;
    if (length === 126) {
      if (this.#received.length < 4) return undefined;
      length = this.#received.readUInt16BE(2);
      offset = 4;
    }
    if (length === 127) throw new Error("BUG: the fake takes no frame of more than 65535 bytes");
    const end = offset + 4 + length;
    if (this.#received.length < end) return undefined;
    const mask = this.#received.subarray(offset, offset + 4);
    const payload = Buffer.from(
      this.#received.subarray(offset + 4, end).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
    );
    this.#received = this.#received.subarray(end);
    return { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload };
  }

  #handle({ opcode, final, payload }: { opcode: number; final: boolean; payload: Buffer }): void {
    if (opcode === opcodes.close) {
      if (!this.holdsOn) this.close();
    } else if (opcode === opcodes.ping) this.#send(opcodes.pong, payload);
    else if (opcode !== opcodes.pong) {
      this.#parts.push(payload);
      if (final) this.onMessage(Buffer.concat(this.#parts.splice(0)));
    }
  }
}
