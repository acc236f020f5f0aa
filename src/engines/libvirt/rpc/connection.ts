// A connection to a host's libvirt in libvirt's own protocol: calls, events, streams of bytes, and signs of life,
// without a process of its own. The protocol's numbers are kept for good: daemons serve clients of any age. Used by the
// files of this folder.
//
// Invariant: a call ends with the response to it, with its signal, or with the connection. Anything that libvirt would
// not send ends the connection. A transfer that is not read or written to its end ends the connection, too: what is left
// of it has no other place to go.

import type { Duplex } from "node:stream";
import type { OpenChannel } from "../virsh/virsh.ts";
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

const types = { call: 0, reply: 1, message: 2, stream: 3 } as const;
const statuses = { ok: 0, error: 1, more: 2 } as const;
/** Of a stream in one message: libvirt's own limit for daemons of any age. */
const PACKET_BYTES = 262_120;
/** Of a stream, handed over but not sent: below what counts as a daemon that does not read. */
const MOST_UNSENT_BYTES = 512 * 1024;
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
  refreshPool: 83,
  poolByName: 84,
  poolXml: 88,
  volumeByName: 95,
  deviceNames: 112,
  deviceXml: 114,
  registerEvent: 167,
  volumeUpload: 208,
  volumeDownload: 209,
  openChannel: 296,
  domainStats: 344,
} as const;

export interface ConnectionListener {
  /** A message that is no response, such as an event. */
  onMessage(procedure: number, body: XdrReader): void;
  /** Once. */
  onEnd(why: string): void;
}

export interface StreamListener {
  /** What it throws ends the connection. */
  onData(bytes: Uint8Array): void;
  /** Once, unless it was ended here; also if the connection ends. */
  onEnd(): void;
}

interface Pending {
  resolve(body: XdrReader): void;
  reject(error: unknown): void;
}

/** A stream that belongs to a call, while it is open. */
interface Stream {
  readonly onData: (bytes: Buffer) => void;
  /** libvirt has confirmed its end. */
  end(): void;
  fail(error: unknown): void;
}

const nothing = Buffer.alloc(0);

export class Connection {
  readonly #stream: Duplex;
  readonly #listener: ConnectionListener;
  readonly #pending = new Map<number, Pending>();
  readonly #streams = new Map<number, Stream>();
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

  /** What carries it. */
  get stream(): Duplex {
    return this.#stream;
  }

  /** How many calls have no response yet, also if their signal has aborted. */
  get unanswered(): number {
    return this.#pending.size;
  }

  /** Throws VirshError with libvirt's message, ConnectionLost, and the signal's reason. */
  call(procedure: number, body: XdrWriter, signal: AbortSignal): Promise<XdrReader> {
    return this.#call(++this.#serial, procedure, body, signal);
  }

  /** The bytes that the call streams, `most` at most. Throws as `call`, and ends the connection unless libvirt rejects it. */
  async receive(procedure: number, body: XdrWriter, most: number, signal: AbortSignal): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    await this.#streaming(procedure, body, signal, (serial) => (bytes) => {
      length += bytes.length;
      if (length > most) throw new RangeError("a stream of libvirt is too long");
      // An empty message is its end, which wants to be confirmed.
      if (bytes.length > 0) parts.push(bytes);
      else this.#send(PROGRAM, procedure, types.stream, serial, nothing, statuses.ok);
    });
    return Buffer.concat(parts);
  }

  /**
   * Streams the bytes to the call, as fast as libvirt takes them; resolves when libvirt has confirmed all of them. Throws
   * as `call` and as `bytes`, and ends the connection unless libvirt rejects it.
   */
  async send(procedure: number, body: XdrWriter, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const refuse = () => {
      throw new RangeError("libvirt streams where it was to read");
    };
    await this.#streaming(
      procedure,
      body,
      signal,
      () => refuse,
      async (serial, over) => {
        for await (const chunk of bytes) {
          for (let at = 0; at < chunk.length; at += PACKET_BYTES) {
            // What has failed already comes first.
            await Promise.race([over, this.#sent()]);
            const packet = Buffer.from(chunk.subarray(at, at + PACKET_BYTES));
            this.#send(PROGRAM, procedure, types.stream, serial, packet, statuses.more);
          }
        }
        this.#send(PROGRAM, procedure, types.stream, serial, nothing, statuses.ok);
      },
    );
  }

  /**
   * Opens a stream that is read until either side ends it. Resolves once libvirt has opened it. Throws as
   * `call`, and ends the connection unless libvirt rejects it: it might open later, and send without end.
   */
  async listen(
    procedure: number,
    body: XdrWriter,
    { onData, onEnd }: StreamListener,
    signal: AbortSignal,
  ): Promise<OpenChannel> {
    const serial = ++this.#serial;
    const over = () => {
      if (this.#streams.delete(serial)) onEnd();
    };
    const take = (bytes: Buffer) => {
      if (bytes.length > 0) return onData(bytes);
      this.#send(PROGRAM, procedure, types.stream, serial, nothing, statuses.ok);
      over();
    };
    this.#streams.set(serial, { onData: take, end: over, fail: over });
    try {
      await this.#call(serial, procedure, body, signal);
    } catch (error) {
      this.#streams.delete(serial);
      if (!(error instanceof VirshError)) this.end("a stream was not opened in time");
      throw error;
    }
    const send = (part: Buffer, status: number) => this.#send(PROGRAM, procedure, types.stream, serial, part, status);
    return {
      write: (bytes) => {
        if (this.#streams.has(serial)) send(Buffer.from(bytes), statuses.more);
      },
      end: () => {
        if (this.#streams.delete(serial)) send(nothing, statuses.error);
      },
    };
  }

  /** A call with a stream, from its beginning until libvirt has confirmed its end. `run`: what is done once it is open. */
  async #streaming(
    procedure: number,
    body: XdrWriter,
    signal: AbortSignal,
    onDataOf: (serial: number) => Stream["onData"],
    run: (serial: number, over: Promise<void>) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const serial = ++this.#serial;
    const { promise: over, resolve, reject } = Promise.withResolvers<void>();
    // It may fail while something else is awaited, which then fails as well.
    over.catch(() => {});
    this.#streams.set(serial, { onData: onDataOf(serial), end: resolve, fail: reject });
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await this.#call(serial, procedure, body, signal);
      await run(serial, over);
      await over;
    } catch (error) {
      if (!(error instanceof VirshError)) this.end("a transfer was interrupted");
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#streams.delete(serial);
    }
  }

  /** Resolves when little enough is waiting to be sent. Never, if the connection ends. */
  #sent(): Promise<void> {
    if (this.#stream.writableLength <= MOST_UNSENT_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#stream.once("drain", resolve));
  }

  async #call(serial: number, procedure: number, body: XdrWriter, signal: AbortSignal): Promise<XdrReader> {
    signal.throwIfAborted();
    if (this.#isOver) throw new ConnectionLost();
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
    for (const { fail } of this.#streams.values()) fail(new ConnectionLost());
    this.#listener.onEnd(why);
  }

  #send(program: number, procedure: number, type: number, serial: number, body: Buffer, status = 0): void {
    const header = new XdrWriter()
      .uint(HEADER_BYTES + body.length)
      .uint(program)
      .uint(VERSION)
      .uint(procedure);
    this.#stream.write(Buffer.concat([header.uint(type).uint(serial).uint(status).bytes, body]));
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
      const error = status === statuses.ok ? undefined : errorIn(message);
      const pending = this.#pending.get(serial);
      this.#pending.delete(serial);
      if (error === undefined) pending?.resolve(message);
      else if (pending === undefined) this.#streams.get(serial)?.fail(error);
      else pending.reject(error);
    } else if (type === types.stream) this.#takeOf(this.#streams.get(serial), status, message);
  }

  /** What comes for a stream that has ended is late, and ignored. */
  #takeOf(stream: Stream | undefined, status: number | undefined, message: XdrReader): void {
    if (status === statuses.error) stream?.fail(errorIn(message));
    else if (status === statuses.ok) stream?.end();
    else stream?.onData(message.rest());
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
