// Launches that wait, for tests in a world (world.ts): asking for one as the control interface does, and what ends others.

import type { Transaction } from "../../src/database/connect.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import { RentalError } from "../../src/rental/errors.ts";
import type { Instance } from "../../src/rental/instances/instance.ts";
import { recordObservation } from "../../src/rental/instances/record-observation.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import type { Principal } from "../../src/rental/service.ts";
import { Evictor } from "../../src/rental/spot/evictor.ts";
import type { EvictorGate } from "../../src/rental/spot/evictor-points.ts";
import { beginWait } from "../../src/rental/waiting/begin-wait.ts";
import { blockedBy, type InWords } from "../../src/rental/waiting/blockers.ts";
import { Placer } from "../../src/rental/waiting/placer.ts";
import type { PlacerGate } from "../../src/rental/waiting/placer-points.ts";
import type { WaitingLaunch } from "../../src/rental/waiting/waiting-launch.ts";
import { readOwn } from "../../src/rental/waiting/waiting-store.ts";
import { type WaitBounds, waitBounds } from "../../src/rules/waiting-launches.ts";
import { launch } from "./launch-all.ts";
import { launchOrder, type World } from "./world.ts";

export type Part = Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">;

/** A rejection by its kind. */
export const inWords: InWords = ({ kind }) => kind;

export class Waiting {
  readonly #world: World;

  readonly #bounds: WaitBounds;

  constructor(world: World, bounds = waitBounds) {
    [this.#world, this.#bounds] = [world, bounds];
  }

  /** An account with a token that is stored, so that its launches can wait. */
  async customer(spec: Parameters<World["account"]>[0] = {}, spendLimitCents: number | null = null) {
    const principal = await this.#world.account(spec);
    const order = { name: "test", accountId: principal.accountId, scopes: ["read", "write"] as const, expiresAt: null };
    const token = await this.#world.tx((tx: Transaction) => createToken(tx, { ...order, spendLimitCents }));
    return { ...principal, tokenId: token.id };
  }

  /** Launches, or waits if that is not possible now. `seconds`: for so long at most. */
  async ask(principal: Principal, part: Part, seconds = 3600): Promise<readonly Instance[] | WaitingLaunch> {
    const { service } = this.#world;
    const order = launchOrder(part);
    const until = new Date(Date.now() + seconds * 1000);
    await service.capacity.refresh();
    return this.#world
      .tx((tx) => launch(tx, service, principal, order))
      .catch(async (error: unknown) => {
        const blocked = error instanceof RentalError ? blockedBy(error, order, inWords) : undefined;
        if (blocked === undefined) throw error;
        const bounded = { ...service, limits: { ...service.limits, waiting: this.#bounds } };
        return this.#world.tx((tx) => beginWait(tx, bounded, { principal, order }, { until }, blocked));
      });
  }

  /** As `ask`, for what cannot be placed now. */
  async waits(principal: Principal, part: Part, seconds?: number): Promise<WaitingLaunch> {
    const asked = await this.ask(principal, part, seconds);
    if (!("blockedBy" in asked)) throw new Error("it was launched");
    return asked;
  }

  now({ id, accountId }: WaitingLaunch): Promise<WaitingLaunch> {
    return readOwn(this.#world.db, { accountId }, id);
  }

  async stateOf(launch: WaitingLaunch): Promise<string> {
    const { state, blockedBy: by } = await this.now(launch);
    return by === null ? state : `${state} for ${by}`;
  }

  /** What a replica does when it is woken. */
  place(gate?: PlacerGate): Promise<void> {
    return this.placer().run(new AbortController().signal, gate);
  }

  placer(): Placer {
    return new Placer(this.#world.db, this.#world.service, inWords);
  }

  /** What a replica does about spot instances when it is woken. */
  evict(gate?: EvictorGate): Promise<number> {
    return new Evictor(this.#world.db, this.#world.service, inWords).run(new AbortController().signal, gate);
  }

  /** An instance is terminated, and nothing of it is left. */
  async end(principal: Principal, id: string): Promise<void> {
    await this.#world.change(principal, "terminate", [id]);
    await this.removed(id);
  }

  /** Nothing is left of one that was terminated. */
  async removed(id: string): Promise<void> {
    const query = this.#world.db.selectFrom("instances").select("generation").where("id", "=", id);
    const { generation } = await query.executeTakeFirstOrThrow();
    await this.#world.tx((tx) => recordObservation(tx, { id, generation }, "removed", {}));
  }
}
