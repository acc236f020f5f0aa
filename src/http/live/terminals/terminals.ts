// All terminals of one replica: their limits, the checks while they are open, and their entries in the audit log. An
// authorized request opens a terminal, which outlives the response; so one query for all checks again and again whether
// each caller is still authorized and whether the machine may still run. If not, it ends within a second, on whatever
// replica that was changed; also when the server stops, and when it is idle (bridge.ts).
//
// Used by the control interface's terminal.ts.

import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { WebSocketServer } from "ws";
import type { Database } from "../../../database/connect.ts";
import type { AuditEntry } from "../../../rental/audit/entry.ts";
import { recordAudit } from "../../../rental/audit/record.ts";
import { runningAmong } from "../../../rental/instances/running.ts";
import type { Principal } from "../../../rental/service.ts";
import type { MachineOf, Machines, Terminal, TerminalOrder } from "../../api/machines.ts";
import { type Holder, revalidateAccess } from "../../auth/revalidation.ts";
import { HttpError } from "../../errors/api-error.ts";
import { OpenConnectionCounts } from "../streams/places.ts";
import { Bridge, type BridgeSettings, defaults as bridgeDefaults } from "./bridge.ts";
import { upgradeOf, whyNoWebSocket } from "./upgrades.ts";

export interface TerminalSettings extends BridgeSettings {
  /** Terminals of one account on this replica. */
  readonly perAccount: number;
  /** Terminals of this replica. */
  readonly most: number;
  readonly checkMs: number;
  /** A terminal ends if its token could not be verified for this long. */
  readonly uncheckedMs: number;
  readonly beatMs: number;
}

const defaults: TerminalSettings = {
  ...bridgeDefaults,
  perAccount: 16,
  most: 500,
  checkMs: 400,
  uncheckedMs: 5_000,
  beatMs: 20_000,
};

/** The largest frame of a client: much more than a person types or pastes into one frame. */
const mostFrameBytes = 65_536;

export interface TerminalsParts {
  readonly db: Database;
  readonly machines: Machines;
  readonly log: Logger;
  /** Aborted when the server begins to stop: all terminals end. */
  readonly closing: AbortSignal;
  /** Called when something was typed. */
  readonly noteUse: (holder: Holder) => void;
  readonly settings?: Partial<TerminalSettings>;
}

/** A request for a terminal. The instance is the principal's. */
export interface Opening {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: Principal;
  readonly holder: Holder;
  readonly instance: MachineOf;
  readonly order: TerminalOrder;
}

/** The audit log's names for the two ends of a terminal. */
export interface TerminalOperations {
  readonly interface: string;
  readonly opened: string;
  readonly ended: string;
}

interface Open {
  readonly holder: Holder;
  readonly instanceId: string;
  /** When it was last verified (performance.now()). */
  goodAt: number;
}

export class Terminals {
  readonly #parts: TerminalsParts;
  readonly #settings: TerminalSettings;
  readonly #ofAccount: OpenConnectionCounts;
  readonly #open = new Map<Bridge, Open>();
  /** Entries being written. */
  readonly #ends = new Set<Promise<void>>();
  #places = 0;
  #isChecking = false;
  #check: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #webSockets: Promise<WebSocketServer> | undefined;
  readonly #requestIds = new WeakMap<IncomingMessage, string>();

  constructor(parts: TerminalsParts) {
    this.#parts = parts;
    this.#settings = { ...defaults, ...parts.settings };
    this.#ofAccount = new OpenConnectionCounts(this.#settings.perAccount, "terminals");
    parts.closing.addEventListener("abort", () => this.#endAll(), { once: true });
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Opens one, takes over the connection of the request, and resolves then. Throws HttpError malformed-request and
   * unavailable, RentalError quota-exceeded, and what `Machines.openTerminal` and the database throw.
   */
  async openFor(opening: Opening, operations: TerminalOperations): Promise<void> {
    const { request, principal, holder, instance, order } = opening;
    const problem = whyNoWebSocket(request.raw);
    if (problem !== undefined) throw new HttpError("malformed-request", { problem });
    const leave = this.#admit(principal.accountId);
    let terminal: Terminal | undefined;
    try {
      const webSockets = await this.#loadWebSockets();
      terminal = await this.#parts.machines.openTerminal(instance, order, this.#parts.closing);
      await this.#record(opening, operations.interface, operations.opened);
      const bridge = this.#takeOver(webSockets, opening, terminal);
      const ended = (bridge?.closed ?? Promise.resolve()).then(async () => {
        leave();
        if (bridge !== undefined) this.#open.delete(bridge);
        this.#watch();
        await this.#recordEnd(opening, operations);
      });
      this.#ends.add(ended);
      void ended.finally(() => this.#ends.delete(ended));
      if (bridge === undefined) return terminal.close();
      this.#open.set(bridge, { holder, instanceId: instance.id, goodAt: performance.now() });
      this.#watch();
      // The server may have begun to stop, and have ended the terminals it knew.
      if (this.#parts.closing.aborted) bridge.end("stopping");
    } catch (error) {
      terminal?.close();
      leave();
      throw error;
    }
  }

  /** Ends all, and waits for their audit log entries. */
  async close(): Promise<void> {
    this.#endAll();
    await Promise.all(this.#ends);
  }

  #admit(accountId: string): () => void {
    this.#ofAccount.refuseWhenFull(accountId);
    if (this.#parts.closing.aborted) throw new HttpError("unavailable", { why: "stopping" });
    if (this.#places >= this.#settings.most) throw new HttpError("unavailable", { why: "too many terminals" });
    this.#ofAccount.take(accountId);
    this.#places += 1;
    return () => {
      this.#places -= 1;
      this.#ofAccount.giveBack(accountId);
    };
  }

  /** Undefined if the client has left meanwhile. */
  #takeOver(webSockets: WebSocketServer, opening: Opening, terminal: Terminal): Bridge | undefined {
    const { request, reply, holder } = opening;
    const upgrade = upgradeOf(request.raw);
    if (upgrade === undefined) throw new Error("BUG: the request was found to ask for a WebSocket");
    let bridge: Bridge | undefined;
    reply.hijack();
    this.#requestIds.set(request.raw, request.id);
    const noteUse = () => this.#parts.noteUse(holder);
    webSockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      bridge = new Bridge(socket, terminal, noteUse, this.#settings);
    });
    // For the log and the metrics, the response ends with the terminal.
    reply.raw.statusCode = 101;
    upgrade.socket.once("close", () => reply.raw.emit("finish"));
    return bridge;
  }

  /** Loaded at the first use. */
  #loadWebSockets(): Promise<WebSocketServer> {
    this.#webSockets ??= import("ws").then(({ WebSocketServer: Server }) => {
      const bounds = { perMessageDeflate: false, maxPayload: mostFrameBytes };
      const webSockets = new Server({ noServer: true, clientTracking: false, ...bounds });
      // As in every response.
      webSockets.on("headers", (headers, request) => headers.push(`X-Request-Id: ${this.#requestIds.get(request)}`));
      return webSockets;
    });
    return this.#webSockets;
  }

  /** Checks the open terminals, while there are any. */
  #watch(): void {
    if (this.#open.size > 0) {
      this.#check ??= setInterval(() => void this.#checkAll(), this.#settings.checkMs);
      this.#beat ??= setInterval(() => {
        for (const bridge of this.#open.keys()) bridge.beat();
      }, this.#settings.beatMs);
      return;
    }
    clearInterval(this.#check);
    clearInterval(this.#beat);
    this.#check = undefined;
    this.#beat = undefined;
  }

  /** One query at a time: while the database is slow, more would only queue. */
  async #checkAll(): Promise<void> {
    if (this.#isChecking) return this.#endUnchecked();
    const { db, log } = this.#parts;
    const all = [...this.#open];
    const asked = performance.now();
    this.#isChecking = true;
    try {
      const [isGood, running] = await Promise.all([
        revalidateAccess(
          db,
          all.map(([, { holder }]) => holder),
        ),
        runningAmong(
          db,
          all.map(([, { instanceId }]) => instanceId),
        ),
      ]);
      for (const [bridge, one] of all) {
        if (!isGood(one.holder)) bridge.end("signed-out");
        else if (!running.has(one.instanceId)) bridge.end("halted");
        else one.goodAt = asked;
      }
    } catch (error) {
      log.warn({ err: error }, "cannot verify the tokens of terminals");
      this.#endUnchecked();
    }
    this.#isChecking = false;
  }

  #endUnchecked(): void {
    const latest = performance.now() - this.#settings.uncheckedMs;
    for (const [bridge, { goodAt }] of this.#open) if (goodAt < latest) bridge.end("unchecked");
  }

  #endAll(): void {
    for (const bridge of this.#open.keys()) bridge.end("stopping");
  }

  async #recordEnd(opening: Opening, operations: TerminalOperations): Promise<void> {
    try {
      await this.#record(opening, operations.interface, operations.ended);
    } catch (error) {
      this.#parts.log.error(
        { err: error, request_id: opening.request.id },
        "cannot write the end of a terminal to the audit log",
      );
    }
  }

  async #record({ request, principal, instance }: Opening, name: string, operation: string): Promise<void> {
    const entry: AuditEntry = {
      accountId: principal.accountId,
      tokenId: principal.tokenId,
      changedAccountId: null,
      address: request.clientAddress || null,
      interface: name,
      operation,
      method: "GET",
      objects: [instance.id],
      made: 0,
      result: "done",
      status: 101,
      errorCode: null,
      reason: null,
      requestId: request.id,
    };
    await recordAudit(this.#parts.db, [entry]);
  }
}
