// A host's virsh with one connection for the host's events, and for what it is asked all the time: a thousand hosts need
// no process each. Used by engine.ts.
//
// Invariant: it only spares processes of virsh. What cannot be done here (a host that wants a password, a connection
// that is not there, a command that is not translated) is left to virsh, which says in its own words what is wrong.

import { type CallOptions, type Follower, openVirsh, type Virsh } from "../virsh/virsh.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { Connection, ConnectionLost, procedures } from "./connection.ts";
import { answerOf } from "./reads.ts";
import { openStream } from "./transport.ts";
import { type XdrReader, XdrWriter } from "./xdr.ts";

/** Less than a host check may take (timeouts.ts), which waits for it before it asks by virsh. */
const OPEN_MS = 8000;

/** libvirt's default: a daemon reads no further call of a connection while this many are blocked. */
const MOST_UNANSWERED = 5;

/** A host that wants a password wants another one. */
const authentications = { none: 0, polkit: 2 } as const;

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
    call: async (args, options) => (await answer([args], options)) ?? virsh.call(args, options),
    all: async (commands, options) => (await answer(commands, options)) ?? virsh.all(commands, options),
    follow: (commands, follower) => {
      const byVirsh = () => virsh.follow(commands, follower);
      return commands.at(-1)?.[0] === "event" ? link.follow(follower, byVirsh) : byVirsh();
    },
  };
}

class DaemonLink {
  readonly #uri: string;
  /** While events are followed; undefined in it: it could not be opened. */
  #connection: Promise<Connection | undefined> = Promise.resolve(undefined);

  /** Does not connect yet. */
  constructor(uri: string) {
    this.#uri = uri;
  }

  /** What virsh would print; undefined: only virsh can. Throws VirshError of the last command, and the signal's reason. */
  async answer(commands: readonly (readonly string[])[], signal: AbortSignal): Promise<string | undefined> {
    const answers = commands.flatMap((args) => answerOf(args) ?? []);
    if (answers.length < commands.length) return undefined;
    const connection = await Promise.race([this.#connection, aborted(signal)]);
    signal.throwIfAborted();
    if (connection === undefined || connection.unanswered >= MOST_UNANSWERED) return undefined;
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
        this.#connection = Promise.resolve(undefined);
        if (!isOver) follower.onEnd(why);
      },
    });
    this.#connection = opened.catch(() => {
      if (!isOver) end = otherwise();
      return undefined;
    });
    void this.#connection.then((connection) => {
      if (isOver) connection?.end("it is no longer needed");
      else if (connection !== undefined) end = () => connection.end("it is no longer needed");
    });
    return () => {
      if (isOver) return;
      isOver = true;
      opening.abort(new Error("it is no longer needed"));
      end?.();
    };
  }

  async #open(signal: AbortSignal, follower: Follower): Promise<Connection> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]);
    let isOpen = false;
    const connection = new Connection(await openStream(this.#uri, within), {
      onMessage: (procedure, body) => {
        // Not before all are received: the first line says so.
        const line = isOpen ? eventLine(procedure, body) : undefined;
        if (line !== undefined) follower.onLine(line);
      },
      onEnd: (why) => {
        if (isOpen) follower.onEnd(why);
      },
    });
    try {
      const call = (procedure: number, body = new XdrWriter()) => connection.call(procedure, body, within);
      const offered = await call(procedures.authentications);
      const [authentication] = offered.list(() => offered.uint());
      if (authentication === authentications.polkit) await call(procedures.authenticatePolkit);
      else if (authentication !== authentications.none) throw new Error("libvirt wants a password");
      await call(procedures.open, new XdrWriter().someText("qemu:///system").uint(0));
      for (const { id } of Object.values(events)) await call(procedures.registerEvent, new XdrWriter().uint(id));
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
