// Launches in M that come at the same time, over real connections, for the tests of src/http/launching/: a server with plenty
// of capacity, one small product and a customer. Only the database shows whether launches were done together,
// so these tests also look at what a client alone would be told.

import { sql } from "kysely";
import { afterEach, beforeEach, onTestFinished, vi } from "vitest";
import { Launches } from "../../src/http/launching/launches.ts";
import type { Principal } from "../../src/rental/service.ts";
import { auditCapacity } from "./audit.ts";
import { type CallResult, type RunningHttp, startHttp } from "./http.ts";
import { begin, eventually, type OpenTransaction } from "./interleave.ts";
import { type World, worldOfFile } from "./world.ts";

export interface Customer {
  readonly token: string;
  readonly principal: Principal;
  readonly tokenId: string;
}

export interface Wanted {
  readonly as?: Customer;
  readonly type?: string;
  readonly name?: string;
  readonly quantity?: number;
  readonly key?: string;
  readonly requestId?: string;
}

export const idsOf = ({ body }: CallResult) => (body as { data: { uuids: string[] } }).data.uuids;
export const codeOf = ({ body }: CallResult) => (body as { error?: { code: string } }).error?.code;
export const statusesOf = (answers: readonly CallResult[]) => answers.map(({ status }) => status);
export const isTold = ({ status }: CallResult) => status === 200;
export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
export const inProgress = "idempotency/in-progress";

/** Call it once in a file of tests: each test then finds a new server, on a database that is empty but for what it needs. */
export function launchesOfFile(): LaunchesFixture {
  const fixture = new LaunchesFixture(worldOfFile());
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  return fixture;
}

export class LaunchesFixture {
  readonly world: World;
  #opened: { readonly http: RunningHttp; readonly small: string; readonly one: Customer } | undefined;

  constructor(world: World) {
    this.world = world;
  }

  /** A server that has never heard of the hosts before. */
  async open(): Promise<void> {
    const { world } = this;
    const http = await startHttp(world);
    for (let n = 0; n < 4; n++) await world.host({ vcpus: 10_000, memoryGib: 100_000, storageGb: 1_000_000 });
    const { name: small } = await world.product({ gpus: 0, vcpus: 1, memoryGib: 1, storageGb: 1 });
    await world.image();
    this.#opened = { http, small, one: await http.customer() };
  }

  async close(): Promise<void> {
    await this.http.close();
    await auditCapacity(this.world.db);
  }

  get http(): RunningHttp {
    return this.#open.http;
  }

  /** The name of the product. */
  get small(): string {
    return this.#open.small;
  }

  /** The customer who launches unless another is named. */
  get one(): Customer {
    return this.#open.one;
  }

  get #open() {
    if (this.#opened === undefined) throw new Error("the server is not there yet: it starts in beforeEach");
    return this.#opened;
  }

  /** A launch in M. */
  launch = (wanted: Wanted = {}): Promise<CallResult> => {
    const { as = this.one, type = this.small, name, quantity = 1, key, requestId } = wanted;
    const body = { instance_type_name: type, region_name: "any", ssh_key_names: [], quantity, name };
    return this.http.call("POST", `${this.http.marketplace}/instance-operations/launch`, {
      token: as.token,
      body,
      headers: {
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...(requestId === undefined ? {} : { "x-request-id": requestId }),
      },
    });
  };

  /** All instances, with the transaction that wrote each row. Nothing changes them here. */
  instances = async () => {
    const { rows } = await sql<{ id: string; name: string; account_id: string; token_id: string; tx: string }>`
      select id, name, account_id, token_id, xmin::text as tx from instances order by created_at, id`.execute(
      this.world.db,
    );
    return rows;
  };

  /** How many instances each of the transactions has written. */
  perTransaction = async (): Promise<number[]> => {
    const counts = new Map<string, number>();
    for (const { tx } of await this.instances()) counts.set(tx, (counts.get(tx) ?? 0) + 1);
    return [...counts.values()];
  };

  /** Sends all of them, and lets the first come to its accounts' locks only when all have arrived: so most go together. */
  atOnce = async (launches: readonly (() => Promise<CallResult>)[]): Promise<CallResult[]> => {
    await using lock = await this.accountsLocked();
    const answers = await this.arrived(launches);
    await lock.rollback();
    return Promise.all(answers);
  };

  accountsLocked = async (): Promise<OpenTransaction> => {
    const lock = await begin(this.world.db);
    await sql`select from accounts for update`.execute(lock.tx);
    return lock;
  };

  /** Sends them, and comes back when the server has them all in its queue, or has refused them before. */
  arrived = async (launches: readonly (() => Promise<CallResult>)[]): Promise<Promise<CallResult>[]> => {
    const take = vi.spyOn(Launches.prototype, "take");
    onTestFinished(() => void vi.restoreAllMocks());
    take.mockClear();
    let answered = 0;
    const answers = launches.map((send) => send().finally(() => answered++));
    for (const answer of answers) answer.catch(() => {}); // the caller that awaits them gets the error
    await eventually(
      () => new Promise((resolve) => setImmediate(resolve)),
      () => take.mock.calls.length + answered >= launches.length,
    );
    return answers;
  };
}

/** Asks again as a client does that is told to come back, until it gets something else. */
export async function untilTold(send: () => Promise<CallResult>): Promise<CallResult> {
  return eventually(send, ({ status, ...rest }) => status !== 503 && codeOf({ status, ...rest }) !== inProgress);
}
