// What all runs share: the generator, the services and their datasets (each created when first needed), the length of
// rounds, and where files go. Everything it started ends with it, in reverse order.

import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Effort } from "./effort.ts";
import { Generator } from "./load/generator.ts";
import { Service } from "./service/service.ts";
import {
  emptyWorld,
  hugeWorld,
  largeWorld,
  mainWorld,
  mediumWorld,
  smallWorld,
  type WorldSpec,
  waitingWorld,
} from "./worlds/catalog.ts";
import type { Customer } from "./worlds/customers.ts";
import { putAtRest } from "./worlds/instances-at-rest.ts";
import { makeWorld } from "./worlds/make-world.ts";

export interface Stage {
  readonly service: Service;
  readonly customers: readonly Customer[];
  /** One of the accounts with idle instances; undefined where there are none. */
  readonly owner: Customer | undefined;
}

export type StageName =
  | "empty"
  | "main"
  | "external"
  | "storm"
  | "waiting"
  | "small"
  | "medium"
  | "large"
  | "large, full"
  | "huge"
  | "metrics"
  | "console";

/** `atRest`: idle instances, `ofAccount` each. `bootSeconds`: of the simulated engine, from and to. `isExternal`: with the external engine. */
const worlds: Record<
  StageName,
  {
    world: WorldSpec;
    atRest: number;
    ofAccount?: number;
    bootSeconds?: readonly [number, number];
    isExternal?: boolean;
  }
> = {
  empty: { world: emptyWorld, atRest: 0 },
  main: { world: mainWorld, atRest: 0 },
  external: { world: mainWorld, atRest: 0, isExternal: true },
  storm: { world: mainWorld, atRest: 0, bootSeconds: [0, 0] },
  waiting: { world: waitingWorld, atRest: 0 },
  small: { world: smallWorld, atRest: 1000 },
  medium: { world: mediumWorld, atRest: 10_000 },
  large: { world: largeWorld, atRest: 0 },
  "large, full": { world: largeWorld, atRest: 100_000 },
  huge: { world: hugeWorld, atRest: 1_000_000 },
  metrics: { world: mediumWorld, atRest: 10_000 },
  console: { world: largeWorld, atRest: 10_000, ofAccount: 10_000 },
};

export class Bench implements AsyncDisposable {
  readonly effort: Effort;
  readonly generator: Generator;
  readonly directory: string;
  /** Of Node, for the measured service. */
  readonly nodeOptions: readonly string[];
  readonly #say: (line: string) => void;
  readonly #ends = new AsyncDisposableStack();
  readonly #stages = new Map<StageName, Promise<Stage>>();

  private constructor(
    effort: Effort,
    directory: string,
    say: (line: string) => void,
    profileDirectory: string | undefined,
  ) {
    this.effort = effort;
    this.nodeOptions =
      profileDirectory === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${resolve(profileDirectory)}`];
    this.directory = directory;
    this.#say = say;
    this.#ends.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
    this.generator = this.#ends.use(new Generator());
  }

  /** `say` is called with progress. CPU profiles of the services go to `profileDirectory`, if given. */
  static async open(effort: Effort, say: (line: string) => void, profileDirectory?: string): Promise<Bench> {
    const directory = await mkdtemp(join(await realpath(tmpdir()), "lessor-bench-"));
    await chmod(directory, 0o711);
    return new Bench(effort, directory, say, profileDirectory);
  }

  say(line: string): void {
    this.#say(line);
  }

  /** The service with the dataset of this name; the same one each time. All others are paused meanwhile. */
  async stage(name: StageName): Promise<Stage> {
    await this.pauseStages(name);
    const known = this.#stages.get(name);
    if (known !== undefined) {
      const stage = await known;
      await stage.service.resume();
      return stage;
    }
    const made = this.#make(name);
    this.#stages.set(name, made);
    return made;
  }

  /** Pauses the services of all stages but this one: what is not measured must use no resources. */
  async pauseStages(except?: StageName): Promise<void> {
    for (const [name, stage] of this.#stages) if (name !== except) await (await stage).service.pause();
  }

  /** Has it end with the benchmark, also if that is interrupted. */
  own<T extends AsyncDisposable>(started: T): T {
    return this.#ends.use(started);
  }

  /** Any running service, to query its environment. */
  async anyService(): Promise<Service | undefined> {
    const [first] = this.#stages.values();
    return (await first)?.service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ends.disposeAsync();
  }

  async #make(name: StageName): Promise<Stage> {
    const { world, atRest, ofAccount, bootSeconds, isExternal } = worlds[name];
    this.say(`making the ${name} world`);
    const service = await Service.start({
      directory: join(this.directory, name.replace(", ", "-")),
      bootSeconds,
      externalHosts: isExternal === true ? world.hosts : undefined,
      nodeOptions: this.nodeOptions,
    });
    this.#ends.use(service);
    const customers = await makeWorld(service, world);
    const owner = atRest > 0 ? await putAtRest(service, atRest, ofAccount) : undefined;
    return { service, customers, owner };
  }
}
