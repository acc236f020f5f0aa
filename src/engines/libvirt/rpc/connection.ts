// A connection to a host's libvirt in libvirt's own protocol: calls, events, and signs of life, without a process of
// its own. The protocol's numbers are kept for good: daemons serve clients of any age. Used by linked-virsh.ts.
//
// Invariant: a call ends with the response to it, with its signal, or with the connection. Anything that libvirt would
// not send ends the connection.

import type { Duplex } from "node:stream";
import { VirshError } from "../virsh/virsh-error.ts";
import { XdrReader, XdrWriter } from "./xdr.ts";

const PROGRAM = 0x2000_8086;
const KEEPALIVE = 0x6b65_6570;
const VERSION = 1;
const HEADER_BYTES = 28;
/** libvirt's own limit. */
const MOST_BYTES = 32 * 1024 * 1024 + 4;
/** A daemon that reads has no more than a few calls before it. */
const MOST_UNREAD_BYTES = 1024 * 1024;

const types = { call: 0, reply: 1, message: 2 } as const;
const PING = 1;
const PONG = 2;

/** So often a sign of life is requested of a host that sent nothing; after so many requests the connection counts as lost. */
const KEEPALIVE_MS = 5000;
const MOST_PINGS = 3;

/** Procedures of libvirt's program. */
export const procedures = {
  open: 1,
  capabilities: 7,
  domainXml: 14,
  domainByName: 23,
  hostname: 59,
  authentications: 66,
  authenticatePolkit: 70,
  poolByName: 84,
  poolXml: 88,
  deviceNames: 112,
  deviceXml: 114,
  registerEvent: 167,
  domainStats: 344,
} as const;

export interface ConnectionListener {
  /** A message that is no response, such as an event. */
  onMessage(procedure: number, body: XdrReader): void;
  /** Once. */
  onEnd(why: string): void;
}

interface Pending {
  resolve(body: XdrReader): void;
  reject(error: unknown): void;
}

export class Connection {
  readonly #stream: Duplex;
  readonly #listener: ConnectionListener;
  readonly #pending = new Map<number, Pending>();
  readonly #timer: NodeJS.Timeout;
  /** The beginning of a message. Put together when all of it is here: doing so for each part would cost the square. */
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Since the last byte. Counted, because a process that was held up has bytes to read that it has not seen. */
  #pings = 0;
  #serial = 0;
  #isOver = false;

  constructor(stream: Duplex, listener: ConnectionListener) {
    this.#stream = stream;
    this.#listener = listener;
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    stream.on("error", (error) => this.end(error.message));
    stream.on("close", () => this.end("the connection was closed"));
    this.#timer = setInterval(() => this.#keepAlive(), KEEPALIVE_MS);
    this.#timer.unref();
  }

  /** How many calls have no response yet, also if their signal has aborted. */
  get unanswered(): number {
    return this.#pending.size;
  }

  /** Throws VirshError with libvirt's message, ConnectionLost, and the signal's reason. */
  async call(procedure: number, body: XdrWriter, signal: AbortSignal): Promise<XdrReader> {
    signal.throwIfAborted();
    if (this.#isOver) throw new ConnectionLost();
    const serial = ++this.#serial;
    const { promise, resolve, reject } = Promise.withResolvers<XdrReader>();
    this.#pending.set(serial, { resolve, reject });
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    this.#send(PROGRAM, procedure, types.call, serial, body.bytes);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#stream.destroy();
    for (const { reject } of this.#pending.values()) reject(new ConnectionLost());
    this.#listener.onEnd(why);
  }

  #send(program: number, procedure: number, type: number, serial: number, body: Buffer): void {
    const header = new XdrWriter()
      .uint(HEADER_BYTES + body.length)
      .uint(program)
      .uint(VERSION)
      .uint(procedure);
    this.#stream.write(Buffer.concat([header.uint(type).uint(serial).uint(0).bytes, body]));
    if (this.#stream.writableLength > MOST_UNREAD_BYTES) this.end("libvirt does not read what it is sent");
  }

  #keepAlive(): void {
    if (this.#pings++ >= MOST_PINGS) this.end("keepalive timeout");
    else this.#send(KEEPALIVE, PING, types.message, 0, Buffer.alloc(0));
  }

  #receive(bytes: Buffer): void {
    this.#pings = 0;
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    try {
      if (this.#receivedBytes < lengthOf(this.#received[0])) return;
      let left = Buffer.concat(this.#received);
      for (let length = lengthOf(left); left.length >= length && !this.#isOver; length = lengthOf(left)) {
        this.#take(new XdrReader(left.subarray(0, length)));
        left = left.subarray(length);
      }
      this.#received = [left];
      this.#receivedBytes = left.length;
    } catch (error) {
      this.end(`a message of libvirt cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }

  #take(message: XdrReader): void {
    const [, program, , procedure = 0, type, serial = 0, status] = Array.from({ length: 7 }, () => message.uint());
    if (program === KEEPALIVE) {
      if (procedure === PING) this.#send(KEEPALIVE, PONG, types.message, 0, Buffer.alloc(0));
    } else if (type === types.message) {
      this.#listener.onMessage(procedure, message);
    } else if (type === types.reply) {
      // First, as a message that cannot be read ends the connection, and with it the call.
      const error = status === 0 ? undefined : errorIn(message);
      const pending = this.#pending.get(serial);
      this.#pending.delete(serial);
      if (error === undefined) pending?.resolve(message);
      else pending?.reject(error);
    }
  }
}

/** The call may or may not have been carried out. */
export class ConnectionLost extends Error {
  constructor() {
    super("the connection to libvirt was lost");
    this.name = "ConnectionLost";
  }
}

/** Of the message that begins with these bytes; of a header, where its own length is not there yet. Throws RangeError. */
function lengthOf(beginning: Buffer | undefined): number {
  if (beginning === undefined || beginning.length < HEADER_BYTES) return HEADER_BYTES;
  const length = beginning.readUInt32BE(0);
  if (length < HEADER_BYTES || length > MOST_BYTES) throw new RangeError("no message of its protocol");
  return length;
}

function errorIn(message: XdrReader): VirshError {
  const [code] = [message.int(), message.int()];
  return VirshError.answered(message.someText() ?? `error ${code}`);
}
