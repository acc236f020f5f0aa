// The fake's compute nodes as Placement and the scheduler see them: providers with inventories, and what is allocated.

export interface FakeInventory {
  total: number;
  reserved: number;
  ratio: number;
}

export interface FakeProvider {
  readonly id: string;
  readonly name: string;
  /** Undefined: a compute node. */
  readonly parent: FakeHost | undefined;
  /** By resource class. */
  readonly inventory: Map<string, FakeInventory>;
  readonly traits: Set<string>;
  generation: number;
}

export interface FakeHost extends FakeProvider {
  readonly serviceId: string;
  /** Of its own: PCI devices. */
  readonly cards: FakeProvider[];
  /** Nova reports it down. What it was told meanwhile it does when it is up again. */
  down: boolean;
  readonly told: (() => void)[];
  disabled: boolean;
  disabledReason: string | null;
}

export interface FakeAggregate {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly zone: string | null;
  readonly hosts: string[];
  readonly created: Date;
}

/** Amounts by resource class. */
export type Amounts = Readonly<Record<string, number>>;

export interface FakeAllocation {
  readonly project: string;
  readonly user: string;
  /** By the id of the provider. */
  readonly resources: Map<string, Amounts>;
}

/** What a server asks of a host. */
export interface HostNeed {
  readonly amounts: Amounts;
  readonly traits: readonly string[];
  /** Cards by resource class. */
  readonly cards: Amounts;
}

export interface HostOptions {
  readonly vcpus?: number;
  readonly memoryMb?: number;
  readonly diskGb?: number;
  /** GPUs: how many, and as what. */
  readonly gpus?: number;
  readonly form?: "class" | "pci";
}

export const gpuClass = "CUSTOM_GPU_H200";
export const gpuTrait = "CUSTOM_GPU_H200_SXM";
export const cardClass = "CUSTOM_PCI_10DE_2335";
const diskTraits = ["COMPUTE_NODE", "COMPUTE_IMAGE_TYPE_RAW", "COMPUTE_VOLUME_EXTEND", "COMPUTE_NET_ATTACH_INTERFACE"];

export class FakeHosts {
  readonly hosts = new Map<string, FakeHost>();
  readonly aggregates: FakeAggregate[] = [];
  /** By consumer, which is a server. */
  readonly allocations = new Map<string, FakeAllocation>();

  add(name: string, options: HostOptions = {}): FakeHost {
    const { vcpus = 128, memoryMb = 2_097_152, diskGb = 20_000, gpus = 8, form = "class" } = options;
    const told: (() => void)[] = [];
    let isDown = false;
    const host: FakeHost = {
      ...provider(name, undefined, { VCPU: vcpus, MEMORY_MB: memoryMb, DISK_GB: diskGb }, diskTraits),
      serviceId: crypto.randomUUID(),
      cards: [],
      told,
      get down() {
        return isDown;
      },
      set down(down) {
        isDown = down;
        if (!down) for (const work of told.splice(0)) work();
      },
      disabled: false,
      disabledReason: null,
    };
    const memory = host.inventory.get("MEMORY_MB");
    if (memory !== undefined) memory.reserved = 512;
    if (form === "class" && gpus > 0) {
      host.inventory.set(gpuClass, { total: gpus, reserved: 0, ratio: 1 });
      host.traits.add(gpuTrait);
    }
    for (let index = 0; form === "pci" && index < gpus; index++) {
      const address = `0000:${(0x10 + index).toString(16)}:00.0`;
      host.cards.push(provider(`${name}_${address}`, host, { [cardClass]: 1 }, ["COMPUTE_MANAGED_PCI_DEVICE"]));
    }
    this.hosts.set(name, host);
    return host;
  }

  addAggregate(name: string, zone: string | null, hosts: readonly string[]): FakeAggregate {
    const id = this.aggregates.length + 1;
    const aggregate = { id, uuid: crypto.randomUUID(), name, zone, hosts: [...hosts], created: new Date() };
    this.aggregates.push(aggregate);
    return aggregate;
  }

  zoneOf(host: string): string {
    return this.aggregates.find(({ zone, hosts }) => zone !== null && hosts.includes(host))?.zone ?? "nova";
  }

  get zones(): Set<string> {
    return new Set([...this.hosts.keys()].map((name) => this.zoneOf(name)));
  }

  /** Compute nodes and their cards. */
  get providers(): FakeProvider[] {
    return [...this.hosts.values()].flatMap((host) => [host, ...host.cards]);
  }

  find(id: string): FakeProvider | undefined {
    return this.providers.find((one) => one.id === id);
  }

  /** Those that all of these aggregates have, or one of them; undefined: every one. */
  traitsOf(provider: FakeProvider): string[] {
    const host = this.hosts.get(provider.name);
    return [...provider.traits, ...(host?.disabled === true ? ["COMPUTE_STATUS_DISABLED"] : [])];
  }

  aggregatesOf(provider: FakeProvider): string[] {
    return this.aggregates.filter(({ hosts }) => hosts.includes(provider.name)).map(({ uuid }) => uuid);
  }

  used({ id }: FakeProvider, resourceClass: string): number {
    let sum = 0;
    for (const { resources } of this.allocations.values()) sum += resources.get(id)?.[resourceClass] ?? 0;
    return sum;
  }

  capacity(provider: FakeProvider, resourceClass: string): number {
    const of = provider.inventory.get(resourceClass);
    return of === undefined ? 0 : Math.floor((of.total - of.reserved) * of.ratio);
  }

  /** Whether the provider itself has so much free. */
  fits(provider: FakeProvider, amounts: Amounts): boolean {
    return Object.entries(amounts).every(
      ([name, amount]) => this.capacity(provider, name) - this.used(provider, name) >= amount,
    );
  }

  freeCards({ cards }: FakeHost, resourceClass: string): FakeProvider[] {
    return cards.filter((card) => this.capacity(card, resourceClass) - this.used(card, resourceClass) > 0);
  }

  /** Allocates on the one of these hosts that has most memory free, as Nova's weighers do; undefined: none fits. */
  place(consumer: string, owner: Omit<FakeAllocation, "resources">, need: HostNeed, among: readonly FakeHost[]) {
    const free = (host: FakeHost) => this.capacity(host, "MEMORY_MB") - this.used(host, "MEMORY_MB");
    const host = among
      .filter((one) => !one.down && !one.disabled && this.#takes(one, need))
      .sort((a, b) => free(b) - free(a))[0];
    if (host === undefined) return undefined;
    const resources = new Map<string, Amounts>([[host.id, need.amounts]]);
    for (const [name, count] of Object.entries(need.cards))
      for (const card of this.freeCards(host, name).slice(0, count)) resources.set(card.id, { [name]: 1 });
    this.allocations.set(consumer, { ...owner, resources });
    this.#touch(resources);
    return host;
  }

  release(consumer: string): void {
    const allocation = this.allocations.get(consumer);
    this.allocations.delete(consumer);
    if (allocation !== undefined) this.#touch(allocation.resources);
  }

  #takes(host: FakeHost, { amounts, traits, cards }: HostNeed): boolean {
    return (
      this.fits(host, amounts) &&
      traits.every((trait) => host.traits.has(trait)) &&
      Object.entries(cards).every(([name, count]) => this.freeCards(host, name).length >= count)
    );
  }

  #touch(resources: ReadonlyMap<string, Amounts>): void {
    for (const one of this.providers) if (resources.has(one.id)) one.generation++;
  }
}

function provider(name: string, parent: FakeHost | undefined, totals: Amounts, traits: readonly string[]) {
  const inventory = new Map(
    Object.entries(totals).map(([key, total]): [string, FakeInventory] => [key, { total, reserved: 0, ratio: 1 }]),
  );
  return { id: crypto.randomUUID(), name, parent, inventory, traits: new Set(traits), generation: 1 };
}
