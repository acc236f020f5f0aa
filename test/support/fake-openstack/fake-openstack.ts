// A stand-in for an OpenStack cloud, for tests that have no real one: real HTTP on loopback, a listener for each service of
// each region, and a world in memory (world.ts) that the test sees and changes. What goes wrong, the test says (faults.ts).
// It answers as Zed does; that it does is held by test/openstack/fake-openstack.test.ts, on the real services.

import { cinderRoutes, cinderVersions } from "./cinder.ts";
import { FakeConsoles } from "./consoles.ts";
import {
  errorAnswer,
  type FakeAnswer,
  type FakeRequest,
  type FakeRoute,
  type FakeService,
  object,
  Refusal,
} from "./exchange.ts";
import { type Fault, Faults } from "./faults.ts";
import { glanceRoutes, glanceVersions } from "./glance.ts";
import { FakeIdentity, type FakeProject } from "./identity.ts";
import { type FakeEndpoint, FakeKeystone, unauthorized } from "./keystone.ts";
import { Listener } from "./listener.ts";
import { neutronRoutes, neutronVersions } from "./neutron.ts";
import { novaRoutes, novaVersion, novaVersions } from "./nova.ts";
import { placementRoutes, placementVersions } from "./placement.ts";
import { FakeWorld } from "./world.ts";

const regional = ["compute", "network", "image", "placement", "volume"] as const;

/** A request as it arrived, with the status that it was answered with; undefined: not yet, or never. */
export interface SeenRequest extends FakeRequest {
  status: number | undefined;
}

interface FakeRegion {
  readonly world: FakeWorld;
  readonly routes: ReadonlyMap<FakeService, readonly FakeRoute[]>;
}

export class FakeOpenStack {
  readonly identity = new FakeIdentity();
  readonly faults = new Faults();
  readonly requests: SeenRequest[] = [];
  readonly consoles = new FakeConsoles();
  readonly #regions = new Map<string, FakeRegion>();
  readonly #listeners = new Map<string, Listener>();
  readonly #keystone = new FakeKeystone(this.identity, (project) => this.#catalog(project));

  /** Opens Keystone and one region. */
  static async open(region = "RegionOne"): Promise<FakeOpenStack> {
    const fake = new FakeOpenStack();
    await fake.#listen("identity", "");
    await fake.addRegion(region);
    return fake;
  }

  /** That of the first region. */
  get world(): FakeWorld {
    const [first] = this.#regions.values();
    if (first === undefined) throw new Error("BUG: the fake has no region");
    return first.world;
  }

  /** Of Keystone, as clouds.yaml has it. */
  get authUrl(): string {
    return `${this.#listener("identity", "").url}/v3`;
  }

  /** With hosts, networks and servers of its own. */
  async addRegion(name: string): Promise<FakeWorld> {
    const world = new FakeWorld(this.identity);
    const openConsole = (server: string) => {
      const { url } = this.#listener("compute", name);
      return `${url.replace("http", "ws")}/serial?token=${this.consoles.open(server)}`;
    };
    const routes = new Map<FakeService, readonly FakeRoute[]>([
      ["compute", novaRoutes(world, openConsole)],
      ["network", neutronRoutes(world)],
      ["image", glanceRoutes(world)],
      ["placement", placementRoutes(world)],
      ["volume", cinderRoutes(world)],
    ]);
    this.#regions.set(name, { world, routes });
    for (const service of regional) await this.#listen(service, name);
    return world;
  }

  /** Ends a service: connections are cut and further ones refused until it begins again. */
  async stop(service: FakeService, region?: string): Promise<void> {
    await this.#listener(service, this.#regionOf(service, region)).stop();
  }

  /** Where it was. */
  async begin(service: FakeService, region?: string): Promise<void> {
    await this.#listener(service, this.#regionOf(service, region)).begin();
  }

  /** As an operator restarts one: what it was at is cut off, and what it holds in memory gone. */
  async restart(service: FakeService, region?: string): Promise<void> {
    await this.stop(service, region);
    await this.begin(service, region);
  }

  /** The requests to a service of this method and path, in their order. */
  seen(service: FakeService, method: string, path: RegExp): SeenRequest[] {
    return this.requests.filter((one) => one.service === service && one.method === method && path.test(one.path));
  }

  async close(): Promise<void> {
    for (const { world } of this.#regions.values()) world.close();
    await Promise.all([...this.#listeners.values()].map((one) => one.stop()));
  }

  #regionOf(service: FakeService, region: string | undefined): string {
    return service === "identity" ? "" : (region ?? [...this.#regions.keys()][0] ?? "");
  }

  #listener(service: FakeService, region: string): Listener {
    const listener = this.#listeners.get(`${service} ${region}`);
    if (listener === undefined) throw new Error(`BUG: no ${service} in region ${region}`);
    return listener;
  }

  async #listen(service: FakeService, region: string): Promise<void> {
    const listener = new Listener({
      answer: (request) => this.#answer({ ...request, service, region }, listener.url),
      upgrade: (request, socket) => this.consoles.connect(request, socket),
      now: () => this.identity.now(),
    });
    this.#listeners.set(`${service} ${region}`, listener);
    await listener.begin();
  }

  #catalog({ id }: FakeProject): readonly FakeEndpoint[] {
    const types = { compute: "/v2.1", network: "", image: "", placement: "", volume: `/v3/${id}` } as const;
    return [...this.#regions.keys()].flatMap((region) => [
      ...regional.map((service) => {
        const type = service === "volume" ? "volumev3" : service;
        return { type, region, url: `${this.#listener(service, region).url}${types[service]}` };
      }),
      { type: "identity", region, url: this.authUrl },
    ]);
  }

  /** Undefined: the connection is cut. Never resolves: silence. */
  async #answer(request: FakeRequest, base: string): Promise<FakeAnswer | undefined> {
    const seen: SeenRequest = { ...request, status: undefined };
    this.requests.push(seen);
    const fault = this.faults.take(request);
    if (fault.silence === true) return new Promise(() => {});
    if (fault.drop === "before") return undefined;
    await fault.after;
    if (fault.slowMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.slowMs));
    const answer = refusedBy(request, fault) ?? (await this.#carryOut(request, base, fault));
    await fault.then?.();
    seen.status = answer.status;
    return fault.drop === "after" ? undefined : answer;
  }

  async #carryOut(request: FakeRequest, base: string, fault: Fault): Promise<FakeAnswer> {
    try {
      if (request.service === "identity") return this.#keystone.handle(request, base);
      return this.#versions(request, base) ?? (await this.#call(request, base, fault));
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  /** Version documents need no token. */
  #versions({ service, path, region }: FakeRequest, base: string): FakeAnswer | undefined {
    const { newest } = this.#region(region).world;
    const root = path === "/" || path === "";
    if (service === "compute" && /^\/v2\.1\/?$/.test(path))
      return { status: 200, body: novaVersion(base, newest.compute) };
    if (service === "volume" && /^\/v3\/?$/.test(path))
      return { status: 200, body: cinderVersions(base, newest.volume) };
    if (!root) return undefined;
    if (service === "compute") return { status: 200, body: novaVersions(base, newest.compute) };
    if (service === "network") return { status: 200, body: neutronVersions(base) };
    if (service === "image") return { status: 300, body: glanceVersions(base) };
    if (service === "placement") return { status: 200, body: placementVersions(newest.placement) };
    return { status: 300, body: cinderVersions(base, newest.volume) };
  }

  #region(name: string): FakeRegion {
    const region = this.#regions.get(name);
    if (region === undefined) throw new Error(`BUG: no region ${name}`);
    return region;
  }

  async #call(request: FakeRequest, base: string, fault: Fault): Promise<FakeAnswer> {
    const { service, path, method, body } = request;
    const { world, routes } = this.#region(request.region);
    const caller = this.identity.find(request.headers["x-auth-token"]);
    if (caller === undefined) return unauthorizedAt(service, this.authUrl);
    const version = versionOf(request, world);
    let json: object = {};
    if (body.length > 0 && service !== "image") json = parsed(service, body);
    else if (body.length > 0 && method === "POST") json = parsed(service, body);
    const call = { ...request, caller, version: version.asked, json: object(json), base, fault };
    for (const [of, pattern, handler] of routes.get(service) ?? []) {
      const names = of === method ? pattern.exec(path) : null;
      if (names === null) continue;
      const answer = await handler(call, ...names.slice(1).map(decodeURIComponent));
      return { ...answer, headers: { ...version.headers, ...answer.headers } };
    }
    return errorAnswer(service, 404, "The resource could not be found.");
  }
}

function refusedBy({ service }: FakeRequest, { answer, fail }: Fault): FakeAnswer | undefined {
  if (answer !== undefined || fail === undefined) return answer;
  const { status, message = `The fake was told to fail with ${status}.`, retryAfter } = fail;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  const refused = errorAnswer(service, status, message);
  return { ...refused, headers: { ...refused.headers, ...headers } };
}

function parsed(service: FakeService, body: Buffer): object {
  try {
    return object(JSON.parse(body.toString()));
  } catch {
    throw new Refusal(errorAnswer(service, 400, "Malformed request body"));
  }
}

function unauthorizedAt(service: FakeService, authUrl: string): FakeAnswer {
  const headers = { "www-authenticate": `Keystone uri="${authUrl.replace(/\/v3$/, "")}"` };
  // What checks tokens is the same before each service, but Glance words it by itself.
  if (service === "image") {
    const why = "Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand";
    const message = `This server could not verify that you are authorized to access the document you requested. ${why} how to supply the credentials required.`;
    const refused = errorAnswer("image", 401, message);
    return { ...refused, headers: { ...refused.headers, ...headers } };
  }
  return { status: 401, headers, body: { error: { code: 401, title: "Unauthorized", message: unauthorized } } };
}

/** The microversion that a request asks for, and the headers that tell it back. */
function versionOf({ service, headers }: FakeRequest, { newest }: FakeWorld) {
  const majors = { compute: [2, 1], placement: [1, 0], volume: [3, 0] } as const;
  if (service !== "compute" && service !== "placement" && service !== "volume") return { asked: 0, headers: {} };
  const [major, oldest] = majors[service];
  const said = String(headers["openstack-api-version"] ?? "");
  const [, number] = new RegExp(`^${service} (.*)$`).exec(said) ?? [];
  const old = service === "compute" ? headers["x-openstack-nova-api-version"] : undefined;
  const wanted = number ?? (typeof old === "string" ? old : `${major}.${oldest}`);
  if (!/^\d+\.\d+$/.test(wanted) && wanted !== "latest") {
    const why = `API Version String ${wanted} is of invalid format. Must be of format MajorNum.MinorNum.`;
    throw new Refusal(errorAnswer(service, 400, why));
  }
  const asked = wanted === "latest" ? newest[service] : Number(wanted.split(".")[1]);
  if (Number(wanted.split(".")[0]) !== major || asked < oldest || asked > newest[service]) {
    const why = `Version ${wanted} is not supported by the API. Minimum is ${major}.${oldest} and maximum is ${major}.${newest[service]}.`;
    if (service !== "placement") throw new Refusal(errorAnswer(service, 406, why));
    const detail = `The resource could not be generated that was acceptable to your browser (content of type application/json. \n\n Invalid microversion: Unacceptable version header: ${wanted}`;
    const [max_version, min_version] = [`1.${newest.placement}`, "1.0"];
    const error = { status: 406, title: "Not Acceptable", detail, max_version, min_version };
    throw new Refusal({ status: 406, body: { errors: [error] } });
  }
  return { asked, headers: { "openstack-api-version": `${service} ${major}.${asked}` } };
}
