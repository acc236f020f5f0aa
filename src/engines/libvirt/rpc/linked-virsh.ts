// A host's virsh with one connection for the host's events, and for what it is asked all the time: a thousand hosts need
// no process each. Used by engine.ts.
//
// Invariant: it only spares processes of virsh. What cannot be done here (a host that wants a password, a command that is
// not translated, a host whose events are not followed) is left to virsh, which says in its own words what is wrong. Of
// a host that could not be connected to, nothing is asked until the next attempt: a thousand hosts of which some are
// down would need a process for each question to those.

import { type Expiry, expiriesOf } from "../../tls-certificates.ts";
import { restartMs } from "../timeouts.ts";
import { type CallOptions, type Follower, openVirsh, type Virsh } from "../virsh/virsh.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { openChannels } from "./channels.ts";
import { Connection, type ConnectionListener, ConnectionLost, procedures } from "./connection.ts";
import { notConnected, openConnection, whyDown, withinOpening } from "./open.ts";
import { answerOf } from "./reads.ts";
import { linkedTransfers } from "./transfers.ts";
import { type XdrReader, XdrWriter } from "./xdr.ts";

/** libvirt's default: a daemon reads no further call of a connection while this many are blocked. */
const MOST_UNANSWERED = 5;

/** virDomainEventID, and the message of each. */
const events = { lifecycle: { id: 0, message: 107 }, reboot: { id: 1, message: 169 } } as const;

const UUID_BYTES = 16;
/** VIR_DOMAIN_EVENT_SHUTDOWN, VIR_DOMAIN_EVENT_SHUTDOWN_GUEST. */
const guestEnded = { event: 6, detail: 1 } as const;

/** The host's libvirt at that URI. Connects once its events are followed. */
export function openLinkedVirsh(uri: string, virsh: Virsh = openVirsh(uri)): Virsh {
  const link = new DaemonLink(uri);
  const answer = (commands: readonly (readonly string[])[], { signal, input }: CallOptions) =>
    input === undefined ? link.answer(commands, signal) : undefined;
  return {
    ...virsh,
    transfers: linkedTransfers(uri, virsh),
    call: async (args, options) => (await answer([args], options)) ?? virsh.call(args, options),
    channels: (signal) => openChannels(uri, signal),
    certificates: () => link.certificates,
    all: async (commands, options) => (await answer(commands, options)) ?? virsh.all(commands, options),
    follow: (commands, follower) => {
      const byVirsh = () => virsh.follow(commands, follower);
      return commands.at(-1)?.[0] === "event" ? link.follow(follower, byVirsh) : byVirsh();
    },
  };
}

/** Why the host cannot be connected to. */
interface Down {
  readonly why: string;
}

class DaemonLink {
  readonly #uri: string;
  /** While events are followed; undefined in it: only virsh can. */
  #connection: Promise<Connection | Down | undefined> = Promise.resolve(undefined);
  /** After the connection was lost: questions wait for the next one, as long as a daemon restarts. */
  #next:
    | { readonly resolve: (next: Connection | Down | undefined) => void; readonly timer: NodeJS.Timeout }
    | undefined;
  #certificates: readonly Expiry[] = [];

  /** Does not connect yet. */
  constructor(uri: string) {
    this.#uri = uri;
  }

  /** Of the last connection; none without TLS. */
  get certificates(): readonly Expiry[] {
    return this.#certificates;
  }

  /** What virsh would print; undefined: only virsh can. Throws VirshError of the last command, and the signal's reason. */
  async answer(commands: readonly (readonly string[])[], signal: AbortSignal): Promise<string | undefined> {
    const answers = commands.flatMap((args) => answerOf(args) ?? []);
    if (answers.length < commands.length) return undefined;
    const connection = await Promise.race([this.#connection, aborted(signal)]);
    signal.throwIfAborted();
    if (connection === undefined) return undefined;
    if (!(connection instanceof Connection)) {
      throw notConnected(connection.why);
    }
    if (connection.unanswered >= MOST_UNANSWERED) return undefined;
    let text = "";
    for (const [index, answer] of answers.entries()) {
      try {
        text += await answer(connection, signal);
      } catch (error) {
        if (error instanceof ConnectionLost) return undefined;
        if (signal.aborted) throw error;
        if (!(error instanceof VirshError)) {
          connection.end("an answer of libvirt cannot be read");
          return undefined;
        }
        if (index === answers.length - 1) throw error;
      }
    }
    return text;
  }

  /**
   * Follows the events that the engine knows, as lines of `virsh event`, after a first line once they are received.
   * `otherwise`: how virsh follows them. Returns a function that ends it.
   */
  follow(follower: Follower, otherwise: () => () => void): () => void {
    let end: (() => void) | undefined;
    let isOver = false;
    const opening = new AbortController();
    const opened = this.#open(opening.signal, {
      onLine: (line) => {
        if (!isOver) follower.onLine(line);
      },
      onEnd: (why) => {
        if (isOver) return;
        this.#lost(why);
        follower.onEnd(why);
      },
    });
    const attempt = opened.catch((error: unknown) => {
      const why = whyDown(error);
      if (why !== undefined || isOver) return { why: why ?? "it is no longer needed" };
      end = otherwise();
      return undefined;
    });
    // While the last connection is missed, the attempt is not waited for alone: it may fail, and the next one succeed.
    if (this.#next === undefined) this.#connection = attempt;
    void attempt.then((connection) => {
      if (isOver) {
        if (connection instanceof Connection) connection.end("it is no longer needed");
        return;
      }
      const isDown = connection !== undefined && !(connection instanceof Connection);
      if (this.#next === undefined || !isDown) this.#found(connection);
      if (isDown) follower.onEnd(connection.why);
      else if (connection !== undefined) end = () => connection.end("it is no longer needed");
    });
    return () => {
      if (isOver) return;
      isOver = true;
      opening.abort(new Error("it is no longer needed"));
      end?.();
      this.#found(undefined);
    };
  }

  /** Those who ask wait for the next connection, or until a restart would be over. */
  #lost(why: string): void {
    const { promise, resolve } = Promise.withResolvers<Connection | Down | undefined>();
    this.#connection = promise;
    this.#next = { resolve, timer: setTimeout(() => this.#found({ why }), restartMs).unref() };
  }

  #found(connection: Connection | Down | undefined): void {
    clearTimeout(this.#next?.timer);
    this.#next?.resolve(connection);
    this.#next = undefined;
    this.#connection = Promise.resolve(connection);
  }

  async #open(signal: AbortSignal, follower: Follower): Promise<Connection> {
    let isOpen = false;
    const listener: ConnectionListener = {
      onMessage: (procedure, body) => {
        // Not before all are received: the first line says so.
        const line = isOpen ? eventLine(procedure, body) : undefined;
        if (line !== undefined) follower.onLine(line);
      },
      onEnd: (why) => {
        if (isOpen) follower.onEnd(why);
      },
    };
    const within = withinOpening(signal);
    const connection = await openConnection(this.#uri, listener, within);
    this.#certificates = expiriesOf(connection.stream);
    try {
      for (const { id } of Object.values(events)) {
        await connection.call(procedures.registerEvent, new XdrWriter().uint(id), within);
      }
      isOpen = true;
      follower.onLine("connected");
      return connection;
    } catch (error) {
      connection.end("it could not be opened");
      throw error;
    }
  }
}

/** Undefined: no event that is followed. */
function eventLine(procedure: number, body: XdrReader): string | undefined {
  const [kind] = Object.entries(events).find(([, { message }]) => message === procedure) ?? [];
  if (kind === undefined) return undefined;
  const line = `- -: event '${kind}' for domain '${body.text()}'`;
  if (kind !== "lifecycle") return line;
  body.skip(UUID_BYTES + 4);
  const [event, detail] = [body.int(), body.int()];
  const isGuests = event === guestEnded.event && detail === guestEnded.detail;
  return `${line}: ${isGuests ? "Shutdown Finished after guest request" : `${event} ${detail}`}`;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}
