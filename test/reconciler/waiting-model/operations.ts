// The operations of a history, chosen by chance: each does something to the real thing and tells the history of it.

import { changeAccount } from "../../../src/rental/accounts/account-store.ts";
import { revokeToken } from "../../../src/rental/accounts/token-store.ts";
import { quarantineGpu, releaseGpu } from "../../../src/rental/gpus/decisions.ts";
import { changeHostMode } from "../../../src/rental/hosts/change-mode.ts";
import type { Principal } from "../../../src/rental/service.ts";
import { deleteKey } from "../../../src/rental/ssh-keys/ssh-keys.ts";
import { cancelWait } from "../../../src/rental/waiting/waiting-store.ts";
import type { Random } from "../../support/random.ts";
import type { World } from "../../support/world.ts";
import { newHost, putType, racks, regions, types, withToken } from "./fleet.ts";
import type { History } from "./history.ts";
import { couldEverFit, found, type ModelHost, type ModelInstance, put, type Wanted } from "./model.ts";

/** More would take long to judge, and tell nothing else. */
const mostWaiting = 10;
const mostHosts = 6;
/** The model looks at all sets of them. */
const mostSpot = 9;

export class Operations {
  readonly #world: World;
  readonly #random: Random;
  readonly #history: History;
  readonly #principals: Map<string, Principal>;
  readonly #ready = new Set<string>();
  /** Few types, so that several launches wait for the same. */
  readonly #types: readonly string[];

  constructor(world: World, random: Random, history: History, principals: Map<string, Principal>) {
    [this.#world, this.#random, this.#history, this.#principals] = [world, random, history, principals];
    const models = new Set([...history.model.hosts.values()].map(({ gpuModel }) => gpuModel));
    const some = types.filter(({ gpuModel }) => gpuModel === undefined || models.has(gpuModel));
    this.#types = random.shuffled(some.map(({ name }) => name)).slice(0, 3 + random.below(2));
  }

  /** Launches until the fleet is full, or nearly. */
  async fill(): Promise<void> {
    for (let left = 2 + this.#random.below(5); left > 0; left--) {
      const launches = Array.from({ length: 2 }, () => ({ ...this.#anyLaunch(), mayWait: false }));
      await this.#history.together(`launch at once ${JSON.stringify(launches)}`, { launches });
    }
  }

  /** One of all, some more often than others. */
  async next(): Promise<void> {
    const operations: readonly (readonly [number, () => Promise<void>])[] = [
      [45, () => this.#launch()],
      [26, () => this.#end()],
      [4, () => this.#fail()],
      [7, () => this.#becomeReady()],
      [2, () => this.#cancel()],
      [2, () => this.#expire()],
      [6, () => this.#quota()],
      [7, () => this.#price()],
      [3, () => this.#spendLimit()],
      [2, () => this.#host()],
      [4, () => this.#cordon()],
      [5, () => this.#quarantine()],
      [3, () => this.#key()],
      [2, () => this.#token()],
      [4, () => this.#history.together("a placer runs", { placers: 1 })],
      [3, () => this.#history.together("two placers run", { placers: 2 })],
      [7, () => this.#history.runUntil("placer", this.#random.below(40))],
      [4, () => this.#history.together("two evictors run", { evictors: 2 })],
      [6, () => this.#history.runUntil("evictor", this.#random.below(40))],
      [10, () => this.#history.over("all notices end", undefined, () => this.#history.stage.endNotices())],
      [8, () => this.#together()],
    ];
    const all = operations.flatMap(([weight, operation]) => Array.from({ length: weight }, () => operation));
    await this.#random.one(all)();
  }

  /** All is given back: what waits is cancelled, and instances end. */
  async clear(): Promise<void> {
    for (const { id } of this.#model.launches.values()) await this.#cancelOne(id);
    for (const one of this.#model.instances.values()) await this.#endOne(one);
  }

  get #model() {
    return this.#history.model;
  }

  #principal(account: string): Principal {
    return found(this.#principals, account);
  }

  async #launch(): Promise<void> {
    const launch = this.#anyLaunch();
    await this.#history.together(`launch ${JSON.stringify(launch)}`, { launches: [launch] });
  }

  #anyLaunch() {
    const random = this.#random;
    const account = random.one([...this.#model.accounts.values()]);
    const type = found(this.#model.types, random.one(this.#types));
    const spotNow = [...this.#model.instances.values(), ...this.#model.launches.values()]
      .filter((one) => one.spot)
      .reduce((sum, one) => sum + ("quantity" in one ? one.quantity : 1), 0);
    const quantity = random.one([1, 1, 1, 1, 1, 2, 2, 3, 4]);
    // Some to evict, and then others who wait.
    const isLikely = random.below(10) < (spotNow < 4 ? 7 : 2);
    const spot = type.spotCents !== undefined && isLikely && spotNow + quantity <= mostSpot;
    const cents = spot ? (type.spotCents ?? 0) : type.cents;
    const wanted: Wanted = {
      account: account.id,
      token: this.#principal(account.id).tokenId,
      type: type.name,
      region: random.below(3) > 0 ? undefined : random.one(regions),
      rack: random.below(12) === 0 ? random.one(racks) : undefined,
      quantity,
      spot,
      mostCents: random.below(3) === 0 ? random.one([cents, Math.ceil(cents * 1.2)]) : undefined,
      lifetimeSeconds: random.below(2) === 0 ? undefined : 3600 * random.one([1, 2, 5]),
      key: account.keys.size > 0 && random.below(5) === 0 ? random.one([...account.keys]) : undefined,
    };
    const isFew = this.#model.launches.size < mostWaiting;
    return { wanted, mayWait: isFew && random.below(6) > 0 && couldEverFit(this.#model, wanted) };
  }

  async #end(): Promise<void> {
    const one = this.#one(this.#model.instances);
    if (one !== undefined) await this.#endOne(one);
  }

  #endOne(one: ModelInstance): Promise<void> {
    return this.#history.together(`instance ${one.id} ends`, { ends: [this.#endOf(one)] });
  }

  #endOf(one: ModelInstance) {
    return { id: one.id, real: () => this.#history.stage.end(one, this.#principal(one.account)) };
  }

  async #fail(): Promise<void> {
    const one = this.#one(this.#model.instances);
    if (one === undefined) return;
    const real = () => this.#history.stage.fail(one);
    await this.#history.together(`instance ${one.id} fails`, { ends: [{ id: one.id, real }] });
  }

  /** From then on its end is known, if it has one. */
  async #becomeReady(): Promise<void> {
    const one = this.#one(this.#model.instances);
    if (one === undefined || this.#ready.has(one.id)) return;
    this.#ready.add(one.id);
    await this.#history.change(
      `instance ${one.id} is ready`,
      () => this.#history.stage.ready(one),
      (model) => model,
    );
  }

  async #cancel(): Promise<void> {
    const launch = this.#one(this.#model.launches);
    if (launch !== undefined) await this.#cancelOne(launch.id);
  }

  #cancelOne(id: string): Promise<void> {
    const { account } = found(this.#model.launches, id);
    return this.#history.over(`launch ${id} is cancelled`, id, () =>
      this.#world.tx((tx) => cancelWait(tx, this.#principal(account), id)),
    );
  }

  async #expire(): Promise<void> {
    const launch = this.#one(this.#model.launches);
    if (launch === undefined) return;
    const past = new Date(Date.now() - 1000);
    await this.#history.over(`the wait of launch ${launch.id} is over`, launch.id, async () => {
      await this.#world.db
        .updateTable("waiting_launches")
        .set({ wait_until: past })
        .where("id", "=", launch.id)
        .execute();
      this.#history.stage.wake();
    });
  }

  async #quota(): Promise<void> {
    const account = this.#one(this.#model.accounts);
    if (account === undefined) return;
    const of = this.#random.one(["instances", "gpus", "vcpus"] as const);
    const most = this.#random.one(
      { instances: [2, 5, 100, 100], gpus: [1, 4, 12, 100, 100], vcpus: [32, 96, 1000, 1000] }[of],
    );
    const quotas = { ...account.quotas, [of]: most };
    await this.#history.change(
      `account ${account.id} has quota ${JSON.stringify(quotas)}`,
      () => this.#world.tx((tx) => changeAccount(tx, account.id, { quotas })),
      (model) => ({ ...model, accounts: put(model.accounts, account.id, { ...account, quotas }) }),
    );
  }

  async #spendLimit(): Promise<void> {
    // Those that may spend nothing mostly soon may again, and are few.
    const poor = [...this.#model.accounts.values()].find((one) => one.spendsNothing);
    const account = poor ?? this.#one(this.#model.accounts);
    if (account === undefined) return;
    const spendsNothing = !account.spendsNothing;
    await this.#history.change(
      `account ${account.id} ${spendsNothing ? "may spend nothing" : "may spend"}`,
      () => this.#world.tx((tx) => changeAccount(tx, account.id, { spendLimitCents: spendsNothing ? 0 : null })),
      (model) => ({ ...model, accounts: put(model.accounts, account.id, { ...account, spendsNothing }) }),
    );
  }

  async #price(): Promise<void> {
    const type = found(this.#model.types, this.#random.one(this.#types));
    const first = types.find(({ name }) => name === type.name)?.cents ?? type.cents;
    const factor = this.#random.one([1, 1.1, 1.5]);
    const original = types.find(({ name }) => name === type.name)?.spotCents;
    const spotCents = original === undefined ? undefined : Math.ceil(original * factor);
    const changed = { ...type, cents: Math.ceil(first * factor), spotCents };
    await this.#history.change(
      `${type.name} costs ${changed.cents}`,
      () => putType(this.#world, changed),
      (model) => ({ ...model, types: put(model.types, type.name, changed) }),
    );
  }

  async #host(): Promise<void> {
    if (this.#model.hosts.size >= mostHosts) return;
    let host: ModelHost | undefined;
    await this.#history.change(
      "a new host",
      async () => {
        host = await newHost(this.#world, this.#random);
      },
      (model) => (host === undefined ? model : { ...model, hosts: put(model.hosts, host.name, host) }),
    );
  }

  async #cordon(): Promise<void> {
    const host = this.#one(this.#model.hosts);
    if (host === undefined) return;
    const action = host.accepts ? "cordon" : "uncordon";
    await this.#history.change(
      `${action} ${host.name}`,
      () => this.#world.tx((tx) => changeHostMode(tx, host.name, { action, reason: undefined, by: null })),
      (model) => ({ ...model, hosts: put(model.hosts, host.name, { ...host, accepts: !host.accepts }) }),
    );
  }

  async #quarantine(): Promise<void> {
    const host = this.#one(this.#model.hosts);
    if (host === undefined || host.gpus.size === 0) return;
    const [address, isQuarantined] = this.#random.one([...host.gpus]);
    const by = this.#one(this.#model.accounts)?.id ?? "";
    await this.#history.change(
      `${isQuarantined ? "release" : "quarantine"} GPU ${address} of ${host.name}`,
      () =>
        this.#world.tx(async (tx) => {
          if (!isQuarantined) return quarantineGpu(tx, host.name, address, { reason: "by chance", by });
          const { confirmation } = await releaseGpu(tx, host.name, address, { confirmation: undefined, by });
          return releaseGpu(tx, host.name, address, { confirmation, by });
        }),
      (model) => {
        const gpus = put(host.gpus, address, !isQuarantined);
        return { ...model, hosts: put(model.hosts, host.name, { ...host, gpus }) };
      },
    );
  }

  /** Deletes the account's SSH key, or adds it again. */
  async #key(): Promise<void> {
    const account = this.#one(this.#model.accounts);
    if (account === undefined) return;
    const principal = this.#principal(account.id);
    const [name] = account.keys;
    await this.#history.change(
      `account ${account.id} ${name === undefined ? "adds" : "deletes"} its SSH key`,
      async () => {
        if (name === undefined) return this.#world.sshKey(principal, "laptop");
        const query = this.#world.db.selectFrom("ssh_keys").select("id").where("account_id", "=", account.id);
        const { id } = await query.executeTakeFirstOrThrow();
        return this.#world.tx((tx) => deleteKey(tx, principal, id));
      },
      (model) => {
        const keys = new Set(name === undefined ? ["laptop"] : []);
        return { ...model, accounts: put(model.accounts, account.id, { ...account, keys }) };
      },
    );
  }

  /** Revokes the account's token; it uses another one from then on. */
  async #token(): Promise<void> {
    const account = this.#one(this.#model.accounts);
    if (account === undefined) return;
    const principal = this.#principal(account.id);
    await this.#history.change(
      `the token of account ${account.id} is revoked`,
      async () => {
        await this.#world.tx((tx) => revokeToken(tx, account.id, principal.tokenId));
        this.#principals.set(account.id, await withToken(this.#world, principal));
      },
      (model) => ({ ...model, revokedTokens: new Set([...model.revokedTokens, principal.tokenId]) }),
    );
  }

  /** Launches, ends and placers at the same moment. */
  async #together(): Promise<void> {
    const launches = Array.from({ length: this.#random.below(3) }, () => this.#anyLaunch());
    const instances = this.#random.shuffled([...this.#model.instances.values()]);
    const ends = instances.slice(0, this.#random.below(3)).map((one) => this.#endOf(one));
    const placers = this.#random.below(3);
    const evictors = this.#random.below(2);
    const told = { launches, ends: ends.map(({ id }) => id), placers, evictors };
    await this.#history.together(`at once ${JSON.stringify(told)}`, { launches, ends, placers, evictors });
  }

  #one<T>(map: ReadonlyMap<string, T>): T | undefined {
    return map.size === 0 ? undefined : this.#random.one([...map.values()]);
  }
}
