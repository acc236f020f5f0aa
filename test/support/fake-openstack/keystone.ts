// What the fake's Keystone answers: tokens, its version document, and the catalog in each token.

import { randomBytes } from "node:crypto";
import { errorAnswer, type FakeAnswer, type FakeRequest, list, object, refusal, text } from "./exchange.ts";
import { bareId, type FakeIdentity, type FakeProject, type FakeToken, type FakeUser } from "./identity.ts";

/** Where a service is in one region. */
export interface FakeEndpoint {
  readonly type: string;
  readonly region: string;
  readonly url: string;
}

/** What the catalog tells of a project: some URLs hold its id. */
export type Catalog = (project: FakeProject) => readonly FakeEndpoint[];

const domain = { id: "default", name: "Default" };
const malformed =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";

export class FakeKeystone {
  readonly #identity: FakeIdentity;
  readonly #catalog: Catalog;

  constructor(identity: FakeIdentity, catalog: Catalog) {
    this.#identity = identity;
    this.#catalog = catalog;
  }

  handle(request: FakeRequest, base: string): FakeAnswer {
    const path = request.path.replace(/\/$/, "");
    if (path === "") return { status: 300, headers: { location: `${base}/v3/` }, body: versions(base) };
    if (path === "/v3") return { status: 200, body: { version: version(base) } };
    if (path !== "/v3/auth/tokens") return this.#other(request);
    if (request.method === "POST") return this.#issue(request);
    const caller = this.#callerOf(request);
    const subject = this.#identity.find(request.headers["x-subject-token"]);
    if (subject === undefined) return errorAnswer("identity", 404, `Could not find token.`);
    if (request.method !== "DELETE") return { status: 200, body: this.#tokenBody(subject) };
    if (subject.user !== caller.user) return errorAnswer("identity", 403, "You are not authorized.");
    subject.revoked = true;
    return { status: 204 };
  }

  #other(request: FakeRequest): FakeAnswer {
    const { project, roles } = this.#callerOf(request);
    if (request.path === "/v3/auth/projects") return { status: 200, body: { projects: [shownProject(project)] } };
    if (request.path !== "/v3/regions" || request.method !== "GET" || roles.length === 0)
      return errorAnswer("identity", 404, "(http://127.0.0.1): The resource could not be found.");
    const regions = [...new Set(this.#catalog(project).map(({ region }) => region))];
    return { status: 200, body: { regions: regions.map((id) => ({ id, parent_region_id: null })) } };
  }

  #callerOf({ headers }: FakeRequest): FakeToken {
    const caller = this.#identity.find(headers["x-auth-token"]);
    if (caller === undefined) throw refusal("identity", 401, unauthorized);
    return caller;
  }

  #issue({ body }: FakeRequest): FakeAnswer {
    let sent: unknown;
    try {
      sent = JSON.parse(body.toString());
    } catch {
      return errorAnswer("identity", 400, `Expecting to find valid JSON in request body. ${malformed}`);
    }
    const auth = object(sent).auth;
    if (auth === undefined) return errorAnswer("identity", 400, `Expecting to find auth in request body. ${malformed}`);
    const { identity, scope } = object(auth);
    const [method] = list(object(identity).methods);
    const token =
      method === "application_credential"
        ? this.#byCredential(object(object(identity).application_credential), scope)
        : this.#byPassword(object(object(object(identity).password).user), scope);
    return { status: 201, headers: { "x-subject-token": token.id }, body: this.#tokenBody(token) };
  }

  #byPassword(said: ReturnType<typeof object>, scope: unknown): FakeToken {
    const user = this.#userOf(said);
    const project = this.#projectOf(object(object(scope).project));
    const roles = project === undefined ? undefined : user?.roles.get(project.id);
    if (user === undefined || user.password !== said.password || project === undefined || roles === undefined)
      throw refusal("identity", 401, unauthorized);
    return this.#identity.issue({ method: "password", user, project, roles: implied(roles) });
  }

  #byCredential(said: ReturnType<typeof object>, scope: unknown): FakeToken {
    const all = this.#identity.credentials;
    const [id, name] = [text(said.id), text(said.name)];
    const user = id === undefined ? this.#userOf(object(said.user)) : undefined;
    const found =
      id === undefined ? [...all.values()].find((one) => one.user === user && one.name === name) : all.get(id);
    if (found === undefined)
      throw refusal("identity", 404, `Could not find Application Credential: ${id ?? name ?? ""}.`);
    if (found.secret !== said.secret) throw refusal("identity", 401, unauthorized);
    if (scope !== undefined)
      throw refusal(
        "identity",
        401,
        "Error authenticating with application credential: Application credentials cannot request a scope.",
      );
    const { project, roles } = found;
    return this.#identity.issue({ method: "application_credential", user: found.user, project, roles });
  }

  #userOf({ id, name, domain }: ReturnType<typeof object>): FakeUser | undefined {
    if (typeof id === "string") return this.#identity.users.get(id);
    if (!isDefault(domain)) return undefined;
    return [...this.#identity.users.values()].find((user) => user.name === name);
  }

  #projectOf({ id, name, domain }: ReturnType<typeof object>): FakeProject | undefined {
    if (typeof id === "string") return this.#identity.projects.get(id);
    if (!isDefault(domain)) return undefined;
    return [...this.#identity.projects.values()].find((project) => project.name === name);
  }

  #tokenBody({ method, user, project, roles, issued, expires }: FakeToken): object {
    return {
      token: {
        methods: [method],
        user: { domain, id: user.id, name: user.name, password_expires_at: null },
        audit_ids: [randomBytes(16).toString("base64url")],
        expires_at: `${expires.toISOString().slice(0, 19)}.000000Z`,
        issued_at: `${issued.toISOString().slice(0, 19)}.000000Z`,
        project: { domain, id: project.id, name: project.name },
        is_domain: false,
        roles: roles.map((name) => ({ id: roleId(name), name })),
        catalog: this.#catalogBody(project),
      },
    };
  }

  #catalogBody(project: FakeProject): object[] {
    const endpoints = this.#catalog(project);
    const types = [...new Set(endpoints.map(({ type }) => type))];
    return types.map((type) => ({
      endpoints: endpoints.flatMap((one) =>
        one.type !== type
          ? []
          : ["internal", "public", ...(type === "identity" ? ["admin"] : [])].map((face) => ({
              ...{ id: bareId(), interface: face, region_id: one.region, url: one.url, region: one.region },
            })),
      ),
      ...{ id: bareId(), type, name: type === "identity" ? "keystone" : type },
    }));
  }
}

export const unauthorized = "The request you have made requires authentication.";

const roleIds = new Map<string, string>();
function roleId(name: string): string {
  const id = roleIds.get(name) ?? bareId();
  roleIds.set(name, id);
  return id;
}

/** An admin is a member, and a member a reader. */
function implied(roles: readonly string[]): string[] {
  const order = ["reader", "member", "admin"];
  const highest = Math.max(-1, ...roles.map((role) => order.indexOf(role)));
  return [...new Set([...order.slice(0, highest + 1), ...roles])];
}

function isDefault(said: unknown): boolean {
  const { id, name } = object(said);
  return id === "default" || name === "Default";
}

function shownProject({ id, name }: FakeProject): object {
  return { id, name, domain_id: "default", enabled: true, parent_id: "default", is_domain: false };
}

function version(base: string): object {
  return {
    ...{ id: "v3.14", status: "stable", updated: "2020-04-07T00:00:00Z" },
    links: [{ rel: "self", href: `${base}/v3/` }],
    "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }],
  };
}

function versions(base: string): object {
  return { versions: { values: [version(base)] } };
}
