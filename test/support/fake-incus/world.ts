// What the fake cluster has: members, instances, volumes. Nothing here knows HTTP.

export interface FakeMember {
  status: "Online" | "Offline" | "Evacuated";
  groups: string[];
  /** Whether its daemon answers. The cluster needs a while to see that one does not, so it may still be "Online". */
  answers: boolean;
  cpus: number;
  memoryBytes: number;
  storageBytes: number;
  usedBytes: number;
  poolStatus: string;
  /** Of its daemon. */
  pid: number;
  cards: object[] | null;
}

export interface FakeInstance {
  readonly name: string;
  status: string;
  readonly type: string;
  location: string;
  last_used_at: string;
  config: Record<string, string>;
  readonly devices: Record<string, Record<string, string>>;
  /** What POST /1.0/instances said, as it came. */
  readonly body: string;
  /** Pushed into the guest, by path. */
  readonly files: Map<string, { readonly bytes: Buffer; readonly headers: Readonly<Record<string, unknown>> }>;
  network: Record<string, { addresses: { family: string; address: string; scope: string }[] | null }> | null;
  console: string | undefined;
  /** It booted while nobody could tell it anything; until it boots once more. */
  missedFirstBoot: boolean;
}

export interface FakeVolume {
  readonly name: string;
  readonly member: string;
  readonly body: object;
  config: Record<string, string>;
  /** What its state tells; undefined: the driver cannot say. */
  usedBytes?: number;
}

const never = "1970-01-01T00:00:00Z";

export class FakeWorld {
  clustered = true;
  serverName = "m1";
  readonly members = new Map<string, FakeMember>();
  readonly instances = new Map<string, FakeInstance>();
  /** By member and name; local storage. */
  readonly volumes = new Map<string, FakeVolume>();
  /** By name: what was posted. */
  readonly acls = new Map<
    string,
    { readonly name: string; readonly ingress: readonly object[]; readonly egress: readonly object[] }
  >();
  /** Of the API. */
  extensions: string[] = [];
  /** What the cluster warns of; null: it hides them from our certificate. */
  warnings: { type: string; status: string; location: string }[] | null = [];
  /** How far the clock of the member that responds is ahead. */
  clockAheadMs = 0;
  pool = { name: "local", driver: "zfs" };
  network = {
    name: "lxdbr0",
    type: "bridge",
    managed: true,
    config: { "ipv6.address": "none" } as Record<string, string>,
  };
  /** What the guests of virtual machines do: whether their agent is up. */
  agentAnswers = true;
  /** Whether console logs of virtual machines are kept: not in LXD 5.0. */
  keepsVirtualMachineLogs = true;
  /** Whether guests halt when they are asked. */
  guestsListen = true;
  /** The address that guests get. */
  guestAddress: string | undefined = "127.0.0.1";
  /** Called with each thing that happens to an instance. */
  onEvent: (action: string, name: string) => void = () => {};
  #boots = 0;

  addMember(name: string, part: Partial<FakeMember> = {}): FakeMember {
    const member: FakeMember = {
      status: "Online",
      groups: ["default"],
      answers: true,
      cpus: 64,
      memoryBytes: 512 * 1024 ** 3,
      storageBytes: 4000 * 1000 ** 3,
      usedBytes: 0,
      poolStatus: "Created",
      pid: 4711,
      cards: null,
      ...part,
    };
    this.members.set(name, member);
    return member;
  }

  /** Puts an instance there, as from before, or from somebody else. */
  addInstance(name: string, part: Partial<FakeInstance> = {}): FakeInstance {
    const instance: FakeInstance = {
      name,
      status: "Stopped",
      type: "container",
      location: this.clustered ? "m1" : "none",
      last_used_at: never,
      config: {},
      devices: {},
      body: "",
      files: new Map(),
      network: null,
      console: undefined,
      missedFirstBoot: false,
      ...part,
    };
    this.instances.set(name, instance);
    return instance;
  }

  /** Answers with why it failed; undefined: it runs. */
  start(name: string): string | undefined {
    const instance = this.instances.get(name);
    if (instance === undefined) return "Instance not found";
    if (instance.status === "Running") return "The instance is already running";
    this.#boots++;
    instance.status = "Running";
    instance.last_used_at = new Date(1_700_000_000_000 + this.#boots * 1000).toISOString();
    instance.console = `boot ${this.#boots}\n`;
    const address = this.guestAddress;
    const addresses = address === undefined ? [] : [{ family: "inet", address, scope: "global" }];
    instance.network = { eth0: { addresses } };
    this.onEvent("instance-started", name);
    return undefined;
  }

  stop(name: string, force: boolean): string | undefined {
    const instance = this.instances.get(name);
    if (instance === undefined) return "Instance not found";
    if (instance.status === "Stopped") return "The instance is already stopped";
    if (!force && !this.guestsListen)
      return 'Failed shutting down instance, status is "Running": context deadline exceeded';
    instance.status = "Stopped";
    instance.network = null;
    this.onEvent(force ? "instance-stopped" : "instance-shutdown", name);
    return undefined;
  }

  restart(name: string): string | undefined {
    const instance = this.instances.get(name);
    if (instance === undefined) return "Instance not found";
    instance.status = "Stopped";
    instance.missedFirstBoot = false;
    return this.start(name);
  }

  /** With its disk. Volumes stay on their member, so an instance that has some cannot move. */
  move(name: string, member: string): string | undefined {
    const instance = this.instances.get(name);
    if (instance === undefined) return "Instance not found";
    const attached = Object.values(instance.devices).find(
      ({ type, source }) => type === "disk" && source !== undefined,
    );
    if (attached !== undefined) return `Storage volume "${attached.source}" not found`;
    if (instance.status === "Running") this.stop(name, true);
    instance.location = member;
    return undefined;
  }

  remove(name: string): string | undefined {
    const instance = this.instances.get(name);
    if (instance === undefined) return "Instance not found";
    if (instance.status === "Running") return "Instance is running";
    this.instances.delete(name);
    this.onEvent("instance-deleted", name);
    return undefined;
  }

  /** Whether the member that has it can be asked. */
  reaches(location: string): boolean {
    const member = this.members.get(location);
    return member === undefined || (member.answers && member.status !== "Offline");
  }

  /** As the API shows it. */
  shown(instance: FakeInstance, withState: boolean): object {
    const { name, type, location, last_used_at, config, devices } = instance;
    const reached = this.reaches(location);
    const status = reached ? instance.status : "Error";
    const base = { name, status, type, location, last_used_at, config, devices };
    if (!withState) return base;
    return { ...base, state: reached ? this.#stateOf(instance) : null };
  }

  #stateOf({ status, type, network }: FakeInstance): object {
    if (status !== "Running") return { processes: 0, network: null };
    return type === "virtual-machine" && !this.agentAnswers ? { processes: -1, network } : { processes: 12, network };
  }
}
