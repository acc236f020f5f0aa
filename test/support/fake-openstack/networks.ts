// The fake's networks: subnets, ports, security groups, floating addresses. Nothing here knows HTTP.

export interface FakeSubnet {
  readonly id: string;
  readonly name: string;
  readonly cidr: string;
  /** The first two numbers of its addresses, such as "127.88". */
  readonly prefix: string;
  /** How many addresses it gives. */
  size: number;
}

export interface FakeNetwork {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly shared: boolean;
  readonly external: boolean;
  readonly subnet: FakeSubnet;
  readonly created: Date;
}

export interface FakePort {
  readonly id: string;
  name: string;
  description: string;
  readonly project: string;
  readonly network: FakeNetwork;
  readonly mac: string;
  readonly address: string;
  groups: string[];
  /** The server that has it; "": none. */
  device: string;
  /** The host that it is bound to. */
  host: string;
  readonly tags: Set<string>;
  readonly created: Date;
  updated: Date;
}

export interface FakeGroupRule {
  readonly id: string;
  readonly group: string;
  readonly direction: string;
  readonly ethertype: string;
  readonly protocol: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly prefix: string | null;
  readonly remoteGroup: string | null;
  readonly description: string | null;
  readonly created: Date;
}

export interface FakeGroup {
  readonly id: string;
  name: string;
  description: string;
  readonly project: string;
  readonly rules: FakeGroupRule[];
  readonly tags: Set<string>;
  readonly created: Date;
}

export interface FakeFloating {
  readonly id: string;
  readonly project: string;
  readonly network: FakeNetwork;
  readonly address: string;
  description: string;
  port: FakePort | undefined;
  readonly tags: Set<string>;
  readonly created: Date;
  updated: Date;
}

/** What a port is created with. */
export interface PortOrder {
  readonly project: string;
  readonly network: FakeNetwork;
  readonly name?: string;
  readonly description?: string;
  readonly groups?: readonly string[];
}

export class FakeNetworks {
  readonly networks = new Map<string, FakeNetwork>();
  readonly ports = new Map<string, FakePort>();
  readonly groups = new Map<string, FakeGroup>();
  readonly floatings = new Map<string, FakeFloating>();
  readonly #now: () => Date;
  #given = 1;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** `prefix`: such as "127.88", for addresses that are all of this computer. */
  addNetwork(name: string, project: string, prefix: string, part: Partial<FakeNetwork> = {}): FakeNetwork {
    const subnet = { id: crypto.randomUUID(), name, cidr: `${prefix}.0.0/16`, prefix, size: 65_000 };
    const id = crypto.randomUUID();
    const network = { id, name, project, shared: false, external: false, subnet, created: this.#now(), ...part };
    this.networks.set(id, network);
    return network;
  }

  /** An address that nothing has; undefined: the network has none left. */
  freeAddress({ id, subnet }: FakeNetwork): string | undefined {
    const ports = [...this.ports.values()].filter(({ network }) => network.id === id);
    const floatings = [...this.floatings.values()].filter(({ network }) => network.id === id);
    const taken = new Set([...ports, ...floatings].map(({ address }) => address));
    if (taken.size >= subnet.size) return undefined;
    for (;;) {
      this.#given = (this.#given % 65_000) + 1;
      const address = `${subnet.prefix}.${this.#given >> 8}.${this.#given & 0xff}`;
      if (!taken.has(address) && (this.#given & 0xff) !== 0 && (this.#given & 0xff) !== 0xff) return address;
    }
  }

  /** Undefined: the network has no address left. */
  addPort(order: PortOrder): FakePort | undefined {
    const address = this.freeAddress(order.network);
    if (address === undefined) return undefined;
    const [id, now] = [crypto.randomUUID(), this.#now()];
    const port: FakePort = {
      id,
      name: order.name ?? "",
      description: order.description ?? "",
      project: order.project,
      network: order.network,
      mac: `fa:16:3e:${id.slice(0, 2)}:${id.slice(2, 4)}:${id.slice(4, 6)}`,
      address,
      groups: [...(order.groups ?? [this.defaultGroup(order.project).id])],
      device: "",
      host: "",
      tags: new Set(),
      created: now,
      updated: now,
    };
    this.ports.set(id, port);
    return port;
  }

  removePort(port: FakePort): void {
    this.ports.delete(port.id);
    for (const one of this.floatings.values()) if (one.port === port) one.port = undefined;
  }

  /** Gives it to a server, or takes it from one. */
  bind(port: FakePort, device: string, host: string): void {
    [port.device, port.host, port.updated] = [device, host, this.#now()];
  }

  /** Each project has one, from the first time that it is asked for. */
  defaultGroup(project: string): FakeGroup {
    const known = [...this.groups.values()].find((one) => one.project === project && one.name === "default");
    if (known !== undefined) return known;
    const group = this.addGroup(project, "default", "Default security group");
    for (const ethertype of ["IPv4", "IPv6"])
      this.addRule(group, { direction: "ingress", ethertype, remoteGroup: group.id });
    return group;
  }

  /** With the rules that Neutron gives a new one: all may go out. */
  addGroup(project: string, name: string, description: string): FakeGroup {
    const [id, created] = [crypto.randomUUID(), this.#now()];
    const group: FakeGroup = { id, name, description, project, rules: [], tags: new Set(), created };
    this.groups.set(id, group);
    for (const ethertype of ["IPv4", "IPv6"]) this.addRule(group, { direction: "egress", ethertype });
    return group;
  }

  addRule(group: FakeGroup, part: Partial<FakeGroupRule>): FakeGroupRule {
    const none = { protocol: null, min: null, max: null, prefix: null, remoteGroup: null, description: null };
    const rule = {
      id: crypto.randomUUID(),
      group: group.id,
      direction: "ingress",
      ethertype: "IPv4",
      ...none,
      ...part,
    };
    const made = { ...rule, created: this.#now() };
    group.rules.push(made);
    return made;
  }

  usesGroup({ id }: FakeGroup): boolean {
    return [...this.ports.values()].some(({ groups }) => groups.includes(id));
  }

  /** Undefined: the network has no address left. */
  addFloating(project: string, network: FakeNetwork, description: string): FakeFloating | undefined {
    const address = this.freeAddress(network);
    if (address === undefined) return undefined;
    const [id, now] = [crypto.randomUUID(), this.#now()];
    const base = { id, project, network, address, description, port: undefined, tags: new Set<string>() };
    const floating: FakeFloating = { ...base, created: now, updated: now };
    this.floatings.set(id, floating);
    return floating;
  }

  floatingOf(port: FakePort): FakeFloating | undefined {
    return [...this.floatings.values()].find((one) => one.port === port);
  }
}
