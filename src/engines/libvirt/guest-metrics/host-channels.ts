// The channels of one host's guests: opened in the background, and kept open, because an agent's line goes only to a
// channel that someone reads. Used by guest-channels.ts.
//
// They share one connection to the host's libvirt, which has no other use: what is on the way from a guest that floods
// could delay only other metrics. A connection for each round instead would be a process of ssh for each host every 15
// seconds, and a wait for agents that are just asleep.
//
// Invariant: of each guest two lines at most are in memory, and of more than a few in a round the rest stays where it
// is: its channel is closed until the next round. No caller waits for a host.

import { guestLines } from "../../../rules/guest-metrics.ts";
import { LatestLine } from "../../guest/latest-line.ts";
import { Pauses } from "../../guest/pauses.ts";
import { metricsChannel } from "../domain-xml.ts";
import { domainName } from "../labels.ts";
import type { ChannelConnection, Virsh } from "../virsh/virsh.ts";

/** Of one guest between two reads. */
const MOST_BYTES = 8 * guestLines.mostBytes;

/** Of one channel. libvirt answers at once, unless it is stuck. */
const OPEN_MS = 10_000;

interface Channel {
  readonly lines: LatestLine;
  bytes: number;
  isOver: boolean;
  end: () => void;
}

export class HostChannels {
  readonly #virsh: Virsh;
  readonly #wanted = new Set<string>();
  readonly #channels = new Map<string, Channel>();
  readonly #pauses: Pauses;
  readonly #hostPause: Pauses;
  readonly #closing = new AbortController();
  #connection: ChannelConnection | undefined;
  #opening: Promise<void> | undefined;

  /** Does not connect yet. `clock`: for tests. */
  constructor(virsh: Virsh, clock?: () => number) {
    this.#virsh = virsh;
    this.#pauses = new Pauses(clock);
    this.#hostPause = new Pauses(clock);
  }

  /** The last line that was not taken yet. From now on the machine is read. */
  take(machineId: string): Uint8Array | undefined {
    this.#wanted.add(machineId);
    const channel = this.#channels.get(machineId);
    if (channel === undefined) return undefined;
    channel.bytes = 0;
    if (channel.isOver) this.#channels.delete(machineId);
    return channel.lines.take();
  }

  /** Opens, in the background, the channels that are missing. */
  openMissing(): void {
    if (this.#opening !== undefined || this.#closing.signal.aborted || this.#missing().length === 0) return;
    // What fails is tried again after its pause.
    this.#opening = this.#openAll()
      .catch(() => {})
      .finally(() => {
        this.#opening = undefined;
      });
  }

  /** The machine might run again: no pause. */
  noteChange(machineId: string): void {
    this.#pauses.end(machineId);
  }

  /** Only these machines are read from now on. */
  keepOnly(machineIds: ReadonlySet<string>): void {
    for (const id of this.#wanted) if (!machineIds.has(id)) this.forget(id);
    if (this.#wanted.size === 0) this.#disconnect();
  }

  forget(machineId: string): void {
    this.#wanted.delete(machineId);
    this.#pauses.end(machineId);
    this.#channels.get(machineId)?.end();
    this.#channels.delete(machineId);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    this.keepOnly(new Set());
    await this.#opening;
  }

  #missing(): string[] {
    return [...this.#wanted].filter((id) => !this.#channels.has(id) && !this.#pauses.has(id));
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** One after the other, so that few calls of libvirt are busy with it. */
  async #openAll(): Promise<void> {
    const connection = await this.#connect();
    if (connection === undefined) return;
    for (const id of this.#missing()) {
      if (connection.isOver || this.#closing.signal.aborted) return;
      // It may have been forgotten since.
      if (this.#wanted.has(id)) await this.#openOne(connection, id);
    }
  }

  /** Undefined: not now. */
  async #connect(): Promise<ChannelConnection | undefined> {
    if (this.#connection?.isOver === false) return this.#connection;
    if (this.#virsh.channels === undefined || this.#hostPause.has("")) return undefined;
    let connection: ChannelConnection;
    try {
      connection = await this.#virsh.channels(this.#closing.signal);
    } catch {
      this.#hostPause.begin("");
      return undefined;
    }
    this.#hostPause.end("");
    this.#connection = connection;
    if (this.#closing.signal.aborted || this.#wanted.size === 0) this.#disconnect();
    return connection;
  }

  async #openOne(connection: ChannelConnection, id: string): Promise<void> {
    const channel: Channel = { lines: new LatestLine(guestLines.mostBytes), bytes: 0, isOver: false, end: () => {} };
    const onData = (bytes: Uint8Array) => {
      // Of what is on the way when it is ended.
      if (channel.isOver) return;
      channel.bytes += bytes.length;
      channel.lines.push(bytes);
      if (channel.bytes <= MOST_BYTES) return;
      channel.isOver = true;
      channel.end();
    };
    const onEnd = () => {
      channel.isOver = true;
    };
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(OPEN_MS)]);
      const domain = { name: domainName(id), uuid: id };
      const { end } = await connection.open(domain, metricsChannel, { onData, onEnd }, signal);
      channel.end = end;
    } catch {
      this.#pauses.begin(id);
      return;
    }
    this.#pauses.end(id);
    if (channel.isOver || !this.#wanted.has(id)) channel.end();
    if (this.#wanted.has(id)) this.#channels.set(id, channel);
  }
}
