// What the fake answers: the part of /1.0 that the engine uses, in the words of LXD 5.0.

import type { Fault } from "./faults.ts";
import type { FakeOperation, FakeOperations } from "./operations.ts";
import type { FakeWorld } from "./world.ts";

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** `value`: a synchronous answer; `text`: no JSON. */
export type FakeAnswer =
  | { readonly value: unknown }
  | { readonly operation: FakeOperation }
  | { readonly text: string }
  | { readonly status: number; readonly error: string };

type Handler = (request: FakeRequest, names: readonly string[], fault: Fault) => FakeAnswer | Promise<FakeAnswer>;

const done: FakeAnswer = { value: {} };
const notFound = (what: string): FakeAnswer => ({ status: 404, error: `${what} not found` });
const lost: FakeAnswer = { status: 400, error: "Missing event connection with target cluster member" };

export class FakeRoutes {
  readonly #world: FakeWorld;
  readonly #operations: FakeOperations;
  readonly #table: readonly (readonly [method: string, path: RegExp, handler: Handler])[];

  constructor(world: FakeWorld, operations: FakeOperations) {
    this.#world = world;
    this.#operations = operations;
    this.#table = [
      ["GET", /^\/1\.0$/, (request) => this.#server(request)],
      ["GET", /^\/1\.0\/warnings$/, () => this.#warnings()],
      ["GET", /^\/1\.0\/cluster\/members$/, () => this.#members()],
      ["GET", /^\/1\.0\/resources$/, (request) => this.#resources(request)],
      ["GET", /^\/1\.0\/networks\/([^/]+)$/, (_request, [name]) => this.#network(name)],
      ["GET", /^\/1\.0\/storage-pools\/([^/]+)$/, (request, [name]) => this.#pool(request, name)],
      ["GET", /^\/1\.0\/storage-pools\/[^/]+\/resources$/, (request) => this.#space(request)],
      ["POST", /^\/1\.0\/storage-pools\/[^/]+\/volumes\/custom$/, (request) => this.#makeVolume(request)],
      [
        "GET",
        /^\/1\.0\/storage-pools\/[^/]+\/volumes\/custom\/([^/]+)$/,
        (request, [name]) => this.#volume(request, name),
      ],
      [
        "GET",
        /^\/1\.0\/storage-pools\/[^/]+\/volumes\/custom\/([^/]+)\/state$/,
        (request, [name]) => this.#volumeState(request, name),
      ],
      [
        "DELETE",
        /^\/1\.0\/storage-pools\/[^/]+\/volumes\/custom\/([^/]+)$/,
        (request, [name]) => this.#dropVolume(request, name),
      ],
      ["GET", /^\/1\.0\/network-acls$/, () => this.#acls()],
      ["POST", /^\/1\.0\/network-acls$/, (request) => this.#makeAcl(request)],
      ["DELETE", /^\/1\.0\/network-acls\/([^/]+)$/, (_request, [name]) => this.#dropAcl(name)],
      ["GET", /^\/1\.0\/operations$/, () => this.#running()],
      ["GET", /^\/1\.0\/operations\/([^/]+)\/wait$/, (_request, [id]) => this.#wait(id)],
      ["GET", /^\/1\.0\/instances$/, () => this.#all()],
      ["POST", /^\/1\.0\/instances$/, (request, _names, fault) => this.#make(request, fault)],
      ["GET", /^\/1\.0\/instances\/([^/]+)$/, (request, [name]) => this.#one(request, name)],
      ["PATCH", /^\/1\.0\/instances\/([^/]+)$/, (request, [name]) => this.#patch(request, name)],
      ["POST", /^\/1\.0\/instances\/([^/]+)$/, (request, [name], fault) => this.#move(request, name, fault)],
      [
        "DELETE",
        /^\/1\.0\/instances\/([^/]+)$/,
        (_request, [name = ""], fault) => this.#change(name, fault, () => world.remove(name)),
      ],
      ["PUT", /^\/1\.0\/instances\/([^/]+)\/state$/, (request, [name], fault) => this.#state(request, name, fault)],
      ["POST", /^\/1\.0\/instances\/([^/]+)\/files$/, (request, [name]) => this.#file(request, name)],
      ["GET", /^\/1\.0\/instances\/([^/]+)\/console$/, (_request, [name]) => this.#console(name)],
      [
        "POST",
        /^\/1\.0\/instances\/([^/]+)\/(?:exec|console)$/,
        (request, [name = ""], fault) => this.#session(request, name, fault),
      ],
    ];
  }

  handle(request: FakeRequest, fault: Fault): FakeAnswer | Promise<FakeAnswer> {
    for (const [method, path, handler] of this.#table) {
      const match = path.exec(request.path);
      if (match === null || method !== request.method) continue;
      const target = request.query.target;
      if (target !== undefined && !this.#world.members.has(target)) return notFound("Cluster member");
      if (target !== undefined && !this.#world.reaches(target)) return lost;
      return handler(request, match.slice(1), fault);
    }
    return notFound("Path");
  }

  #warnings(): FakeAnswer {
    const { warnings } = this.#world;
    return warnings === null ? { status: 403, error: "Certificate is restricted" } : { value: warnings };
  }

  #server({ query }: FakeRequest): FakeAnswer {
    const { clustered, serverName } = this.#world;
    const environment = {
      server: "lxd",
      server_version: "5.0.2",
      server_name: serverName,
      server_clustered: clustered,
      server_pid: this.#memberOf(query)?.pid,
    };
    return { value: { auth: "trusted", api_extensions: this.#world.extensions, environment } };
  }

  #members(): FakeAnswer {
    if (!this.#world.clustered) return { status: 400, error: "This server is not clustered" };
    return {
      value: [...this.#world.members].map(([server_name, { status, groups }]) => ({ server_name, status, groups })),
    };
  }

  #resources({ query }: FakeRequest): FakeAnswer {
    const member = this.#memberOf(query);
    if (member === undefined) return notFound("Cluster member");
    const { cpus, memoryBytes, cards } = member;
    return { value: { cpu: { total: cpus }, memory: { total: memoryBytes }, gpu: { cards } } };
  }

  #space({ query }: FakeRequest): FakeAnswer {
    const member = this.#memberOf(query);
    return { value: { space: { used: member?.usedBytes ?? 0, total: member?.storageBytes ?? 0 } } };
  }

  #memberOf(query: FakeRequest["query"]) {
    return this.#world.members.get(query.target ?? this.#world.serverName);
  }

  #network(name: string | undefined): FakeAnswer {
    const { network } = this.#world;
    return name === network.name ? { value: network } : notFound("Network");
  }

  #pool({ query }: FakeRequest, name: string | undefined): FakeAnswer {
    const { pool } = this.#world;
    return name === pool.name
      ? { value: { ...pool, status: this.#memberOf(query)?.poolStatus } }
      : notFound("Storage pool");
  }

  #makeVolume({ query, body }: FakeRequest): FakeAnswer {
    const member = query.target ?? this.#world.serverName;
    const volume = JSON.parse(body.toString());
    const key = `${member}/${volume.name}`;
    if (this.#world.volumes.has(key)) return { status: 409, error: "Volume by that name already exists" };
    this.#world.volumes.set(key, { name: volume.name, member, body: volume, config: volume.config });
    return done;
  }

  #volume({ query }: FakeRequest, name = ""): FakeAnswer {
    const volume = this.#world.volumes.get(`${query.target ?? this.#world.serverName}/${name}`);
    return volume === undefined ? notFound("Storage volume") : { value: { name, config: volume.config } };
  }

  #volumeState({ query }: FakeRequest, name = ""): FakeAnswer {
    const volume = this.#world.volumes.get(`${query.target ?? this.#world.serverName}/${name}`);
    if (volume === undefined) return notFound("Storage volume");
    return { value: { usage: volume.usedBytes === undefined ? null : { used: volume.usedBytes } } };
  }

  #dropVolume({ query }: FakeRequest, name = ""): FakeAnswer {
    const gone = this.#world.volumes.delete(`${query.target ?? this.#world.serverName}/${name}`);
    return gone ? done : notFound("Storage volume");
  }

  #acls(): FakeAnswer {
    return { value: [...this.#world.acls.keys()].map((name) => `/1.0/network-acls/${name}?project=default`) };
  }

  #makeAcl({ body }: FakeRequest): FakeAnswer {
    const acl = JSON.parse(body.toString());
    if (this.#world.acls.has(acl.name)) return { status: 400, error: "The network ACL already exists" };
    if (!/^[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/.test(acl.name)) return { status: 400, error: "Invalid name" };
    const rules: string[] = acl.ingress.map((rule: object) => JSON.stringify(rule));
    if (new Set(rules).size < rules.length) return { status: 400, error: "Duplicate of ingress rule" };
    this.#world.acls.set(acl.name, acl);
    return done;
  }

  #dropAcl(name = ""): FakeAnswer {
    const uses = [...this.#world.instances.values()].some(({ devices }) => aclsIn(devices).includes(name));
    if (uses) return { status: 400, error: "Cannot delete an ACL that is in use" };
    return this.#world.acls.delete(name) ? done : notFound("Network ACL");
  }

  #running(): FakeAnswer {
    const running = this.#operations.running();
    return {
      value:
        running.length === 0
          ? {}
          : { running: running.map(({ id, description, resources }) => ({ id, description, resources })) },
    };
  }

  async #wait(id = ""): Promise<FakeAnswer> {
    const operation = this.#operations.get(id);
    if (operation === undefined) return notFound("Operation");
    await this.#operations.wait(operation);
    if (this.#operations.get(id) === undefined) return notFound("Operation");
    return { value: { id, status_code: operation.status, err: operation.err, metadata: operation.metadata } };
  }

  #all(): FakeAnswer {
    return { value: [...this.#world.instances.values()].map((instance) => this.#world.shown(instance, false)) };
  }

  #one({ query }: FakeRequest, name = ""): FakeAnswer {
    const instance = this.#world.instances.get(name);
    if (instance === undefined) return notFound("Instance");
    return { value: this.#world.shown(instance, query.recursion === "1") };
  }

  #make({ query, body }: FakeRequest, fault: Fault): FakeAnswer {
    const text = body.toString();
    const { name, type, config, devices } = JSON.parse(text);
    if (this.#world.instances.has(name)) return { status: 409, error: `Instance "${name}" already exists` };
    const unknown = aclsIn(devices).find((acl) => !this.#world.acls.has(acl));
    if (unknown !== undefined)
      return { status: 400, error: `Invalid devices: Network ACL "${unknown}" does not exist` };
    const location = this.#world.clustered ? (query.target ?? this.#world.serverName) : "none";
    // In the database from the beginning, as with the real ones; gone again when it fails.
    const plan = { ...planOf(fault), resources: { instances: [`/1.0/instances/${name}`] } };
    this.#world.addInstance(name, { type, config, devices, location, body: text });
    if (plan.fails !== undefined) this.#world.instances.delete(name);
    return { operation: this.#operations.begin(plan, () => undefined) };
  }

  #patch({ body }: FakeRequest, name = ""): FakeAnswer {
    const instance = this.#world.instances.get(name);
    if (instance === undefined) return notFound("Instance");
    const { config, devices } = JSON.parse(body.toString());
    const unknown = aclsIn(devices).find((acl) => !this.#world.acls.has(acl));
    if (unknown !== undefined)
      return { status: 400, error: `Invalid devices: Network ACL "${unknown}" does not exist` };
    instance.config = { ...instance.config, ...config };
    // Each device that is named is replaced as a whole.
    Object.assign(instance.devices, devices);
    return done;
  }

  /** To another member, under the same name. As the real ones, it halts an instance that runs. */
  #move({ query, body }: FakeRequest, name = "", fault: Fault): FakeAnswer {
    const asked = JSON.parse(body.toString());
    if (asked.migration !== true || asked.name !== name || query.target === undefined) {
      return { status: 400, error: "The fake only moves an instance to a member" };
    }
    if (this.#world.instances.get(name)?.location === query.target) {
      return { status: 400, error: "Target must be different than instance's current location" };
    }
    return this.#change(name, fault, () => this.#world.move(name, query.target ?? ""));
  }

  #state({ body }: FakeRequest, name = "", fault: Fault): FakeAnswer {
    const { action, force } = JSON.parse(body.toString());
    return this.#change(name, fault, () => this.#turn(action, name, force === true));
  }

  #change(name: string, fault: Fault, carryOut: () => string | undefined): FakeAnswer {
    const instance = this.#world.instances.get(name);
    if (instance === undefined) return notFound("Instance");
    if (!this.#world.reaches(instance.location)) return lost;
    const plan = { ...planOf(fault), resources: { instances: [`/1.0/instances/${name}?project=default`] } };
    return { operation: this.#operations.begin(plan, carryOut) };
  }

  #turn(action: string, name: string, force: boolean): string | undefined {
    if (action === "start") return this.#world.start(name);
    return action === "restart" ? this.#world.restart(name) : this.#world.stop(name, force);
  }

  #file({ query, headers, body }: FakeRequest, name = ""): FakeAnswer {
    const instance = this.#world.instances.get(name);
    if (instance === undefined) return notFound("Instance");
    if (instance.type === "virtual-machine" && !this.#world.agentAnswers) {
      return { status: 500, error: "LXD VM agent isn't currently running" };
    }
    instance.files.set(query.path ?? "", { bytes: body, headers });
    return done;
  }

  #console(name = ""): FakeAnswer {
    const instance = this.#world.instances.get(name);
    if (instance === undefined) return notFound("Instance");
    if (instance.type !== "container" && !this.#world.keepsVirtualMachineLogs)
      return { status: 500, error: "Instance is not container type" };
    if (instance.console === undefined) {
      return { status: 404, error: `open /var/log/lxd/${name}/console.log: no such file or directory` };
    }
    return { text: instance.console };
  }

  /** Held open until its sockets close; fake-incus.ts connects those. */
  #session({ path, body }: FakeRequest, name: string, fault: Fault): FakeAnswer {
    if (this.#world.instances.get(name)?.status !== "Running") return { status: 400, error: "Instance is not running" };
    const description = path.endsWith("/exec") ? "Executing command" : "Showing console";
    const { command } = JSON.parse(body.toString());
    const metadata = { command, fds: { "0": crypto.randomUUID(), control: crypto.randomUUID() } };
    const resources = { instances: [`/1.0/instances/${name}`] };
    const plan = { ...planOf(fault), held: true, description, resources, metadata };
    return { operation: this.#operations.begin(plan, () => undefined) };
  }
}

function planOf({ hold, operationFails }: Fault): { held: boolean; fails: string | undefined } {
  return { held: hold === true, fails: operationFails };
}

function aclsIn(devices: Readonly<Record<string, Readonly<Record<string, string>>>> = {}): string[] {
  return Object.values(devices).flatMap((device) => device["security.acls"]?.split(",") ?? []);
}
