// A history: what is done to the real thing, step by step, and the model that follows. After each step the model must be
// able to explain what happened, and agree with the database; and when no placer has work, nothing may wait that could be
// placed. Throws what differs, with all steps before.

import { sql } from "kysely";
import { booksDisagree } from "../../support/books.ts";
import { differences, keptHosts, restless } from "./compare.ts";
import type { Kept, Model, ModelBlocker, ModelLaunch, Wanted } from "./model.ts";
import { afterMoves, isSameSet, type Move } from "./moves.ts";
import { type Launched, type Stage, type Trouble, troubles } from "./stage.ts";

/** A placer that always has work has a mistake. */
const mostRuns = 20;

export class History {
  readonly stage: Stage;
  model: Model;
  /** Those whose wait may end otherwise than by the placer. */
  readonly #mayEnd = new Set<string>();
  readonly #told: string[] = [];
  /** How often each kind of move came. */
  readonly moves = new Map<string, number>();
  #hasRun = false;

  constructor(stage: Stage, model: Model) {
    [this.stage, this.model] = [stage, model];
  }

  get steps(): number {
    return this.#told.length;
  }

  /** A step that changes what launches depend on; the model is changed alike. */
  async change(told: string, real: () => Promise<unknown>, after: (model: Model) => Model): Promise<void> {
    this.#tell(told);
    await real();
    this.model = after(this.model);
    await this.#follow([]);
  }

  /** Launches, ends and placers, all at once. */
  async together(
    told: string,
    parts: {
      readonly launches?: readonly { readonly wanted: Wanted; readonly mayWait: boolean }[];
      readonly ends?: readonly { readonly id: string; readonly real: () => Promise<void> }[];
      readonly placers?: number;
      readonly evictors?: number;
    },
  ): Promise<void> {
    this.#tell(told);
    const { launches = [], ends = [], placers = 0, evictors = 0 } = parts;
    const [launched] = await Promise.all([
      Promise.all(
        launches.map(async ({ wanted, mayWait }) => ({ wanted, came: await this.stage.launch(wanted, mayWait) })),
      ),
      Promise.all(ends.map(({ real }) => real())),
      Promise.all(Array.from({ length: placers }, () => this.stage.place())),
      Promise.all(Array.from({ length: evictors }, () => this.stage.evict())),
    ]);
    const isAlone = placers === 1 && launches.length + ends.length + evictors === 0;
    const direct = [
      ...launched.flatMap(({ wanted, came }) => movesOf(wanted, came)),
      ...ends.map(({ id }): Move => ({ kind: "ended", instance: id })),
    ];
    await this.#follow(direct, isAlone);
  }

  /** A placer or an evictor that does not come to its end. */
  async runUntil(what: "placer" | "evictor", statement: number): Promise<void> {
    const trouble: Trouble = troubles[statement % troubles.length] ?? "killed";
    this.#tell(`${what === "placer" ? "a placer" : "an evictor"} is ${trouble} at its statement ${statement}`);
    await this.stage.runUntil(what, statement, trouble);
    await this.#follow([]);
  }

  /** Its account cancels it, or its wait is over; undefined: what is over is no launch. */
  async over(told: string, id: string | undefined, real: () => Promise<unknown>): Promise<void> {
    this.#tell(told);
    if (id !== undefined) this.#mayEnd.add(id);
    await real();
    await this.#follow([]);
  }

  /** Until no placer has work; then nothing may wait that could be placed. */
  async rest(): Promise<void> {
    for (let runs = 0; await this.stage.isWoken(); runs++) {
      if (runs === mostRuns) this.#fail(["the placer is woken again and again"]);
      await this.stage.place();
      await this.#follow([], true);
      await this.stage.evict();
      this.#hasRun = true;
      await this.#follow([]);
    }
    const lines = restless(this.model, this.#hasRun);
    if (lines.length > 0) this.#fail(lines);
  }

  async books(): Promise<void> {
    const lines = await booksDisagree(this.stage.db);
    if (lines.length > 0) this.#fail(lines);
  }

  #tell(told: string): void {
    this.#told.push(told);
    this.#hasRun = false;
  }

  async #follow(direct: readonly Move[], isInOrder = false): Promise<void> {
    const moves = [...direct, ...(await this.#movesOfRows(direct))];
    const after = afterMoves(this.model, moves, isInOrder);
    if (after === undefined) this.#fail(["no order of these is allowed:", ...moves.map((one) => JSON.stringify(one))]);
    this.model = after;
    for (const move of moves) {
      const kind = "by" in move ? `${move.kind} by ${move.by}` : move.kind;
      this.moves.set(kind, (this.moves.get(kind) ?? 0) + 1);
    }
    const lines = await differences(this.stage.db, after);
    if (lines.length > 0) this.#fail(lines);
  }

  /** What has become of waiting launches, and of hosts that are kept for them. */
  async #movesOfRows(direct: readonly Move[]): Promise<Move[]> {
    const begun = direct.flatMap((move) => (move.kind === "begun" ? [move.launch] : []));
    const known = new Map([...this.model.launches.values(), ...begun].map((one) => [one.id, one]));
    const { rows } = await sql<Row>`
      select w.id, w.state, w.blocked_by, (extract(epoch from w.starts_at) * 1000)::float8 as starts, (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'account', i.account_id,
        'type', w.instance_type, 'host', i.host, 'gpus', i.gpu_addresses, 'spot', i.spot, 'position', i.position)), '[]')
        from instances i where i.id = any(w.instance_ids)) as instances
      from waiting_launches w where w.id = any(${[...known.keys()]}::uuid[]) order by w.position`.execute(
      this.stage.db,
    );
    const moves = rows.flatMap((row) => this.#movesOfRow(row, known.get(row.id)));
    return [...moves, ...(await this.#movesOfEvictions(direct)), ...(await this.#movesOfHosts())];
  }

  /** By launch, what is under notice for it if that has changed; and what has ended so. */
  async #movesOfEvictions(direct: readonly Move[]): Promise<Move[]> {
    const { rows } = await sql<{ id: string; for: string; preempted: boolean }>`
      select id, evicted_for as "for", coalesce(ended_by = 'preempted', false) as preempted from instances
      where evict_at is not null and (terminating_at is null or ended_by = 'preempted')`.execute(this.stage.db);
    const known = [...this.model.instances.values()];
    const ended = rows.filter(({ id, preempted }) => preempted && this.model.instances.has(id));
    const gone = new Set(direct.flatMap((move) => (move.kind === "ended" ? [move.instance] : [])));
    const ids = new Set([...known.flatMap(({ evictedFor }) => evictedFor ?? []), ...rows.map((row) => row.for)]);
    const changed = [...ids].flatMap((launch): Move[] => {
      const before = known.filter(({ id, evictedFor }) => evictedFor === launch && !gone.has(id)).map(({ id }) => id);
      const now = rows.filter((row) => row.for === launch && this.model.instances.has(row.id)).map(({ id }) => id);
      return isSameSet(new Set(before), new Set(now)) ? [] : [{ kind: "evicts", launch, instances: now }];
    });
    return [...changed, ...ended.map(({ id }): Move => ({ kind: "preempted", instance: id }))];
  }

  #movesOfRow({ id, state, blocked_by, starts, instances }: Row, before: ModelLaunch | undefined): Move[] {
    switch (state) {
      case "waiting":
        return [
          ...(blocked_by === before?.blockedBy ? [] : [{ kind: "blocked", id, by: blocked_by } as const]),
          ...(starts === null || starts === before?.startsMs ? [] : [{ kind: "starts", id, atMs: starts } as const]),
        ];
      case "placed":
        return [{ kind: "placed", id, instances }];
      case "refused":
        return [{ kind: "refused", id }];
      default:
        if (!this.#mayEnd.has(id)) this.#fail([`${id} is ${state}, for no reason`]);
        return [{ kind: "over", id }];
    }
  }

  async #movesOfHosts(): Promise<Move[]> {
    const now = await keptHosts(this.stage.db);
    return [...this.model.hosts.values()].flatMap(({ name, kept }): Move[] => {
      const after = now.get(name);
      if (isSame(kept, after)) return [];
      return [
        ...(kept === undefined || isSooner(kept, after)
          ? []
          : [{ kind: "given-back", host: name, ...(after !== undefined && { next: after }) } as const]),
        ...(after === undefined ? [] : [{ kind: "kept", host: name, kept: after } as const]),
      ];
    });
  }

  #fail(lines: readonly string[]): never {
    const steps = this.#told.map((told, index) => `${index + 1}. ${told}`);
    const launches = [...this.model.launches.values()].map((one) => JSON.stringify(one));
    const instances = [...this.model.instances.values()].map((one) => JSON.stringify(one));
    const hosts = [...this.model.hosts.values()].map((one) => JSON.stringify({ ...one, gpus: [...one.gpus] }));
    const there = ["while these wait:", ...launches, "and these are there:", ...instances, ...hosts];
    throw new Error([...lines, "after:", ...steps, ...there].join("\n  "));
  }
}

interface Row {
  id: string;
  state: string;
  blocked_by: ModelBlocker;
  starts: number | null;
  instances: Extract<Move, { kind: "placed" }>["instances"];
}

function movesOf(wanted: Wanted, { instances, rejectedBy, waits }: Launched): Move[] {
  if (rejectedBy === undefined) return [{ kind: "launched", wanted, instances }];
  const rejection: Move = { kind: "rejected", wanted, by: rejectedBy };
  if (waits === undefined) return [rejection];
  const launch: ModelLaunch = { ...wanted, ...waits };
  return [rejection, { kind: "begun", launch, rejection }];
}

/** It is kept on, and expected to be free earlier. */
function isSooner({ launch, fromMs = Number.POSITIVE_INFINITY }: Kept, after: Kept | undefined): boolean {
  return after?.launch === launch && after.fromMs !== undefined && after.fromMs < fromMs;
}

function isSame(a: Kept | undefined, b: Kept | undefined): boolean {
  return a?.launch === b?.launch && a?.position === b?.position && a?.fromMs === b?.fromMs;
}
