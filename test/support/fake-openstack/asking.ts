// Requests to a cloud as a client makes them, without the client of the engine: for tests of the fake, and for those that
// compare it with the real services.

import type { FakeService } from "./exchange.ts";
import type { Stand } from "./stand.ts";

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  /** JSON as it is; text where it is no JSON; undefined: none. */
  readonly body: unknown;
}

export interface Ask {
  (service: FakeService, method: string, path: string, body?: unknown, headers?: object): Promise<Asked>;
  /** What it asks with. */
  readonly token: string;
  /** The id of its project. */
  readonly project: string;
}

/** Who asks, in words of POST /v3/auth/tokens. */
export interface Account {
  readonly authUrl: string;
  readonly auth: object;
}

const types = { compute: "compute", network: "network", image: "image", placement: "placement", volume: "volumev3" };
const versions = { compute: "compute 2.90", placement: "placement 1.36", volume: "volume 3.59" };

export function passwordOf(user: string, password: string, project: string): object {
  const domain = { id: "default" };
  return {
    identity: { methods: ["password"], password: { user: { name: user, domain, password } } },
    scope: { project: { name: project, domain } },
  };
}

/** Paths are those after the host: "/v2.1/servers", "/v2.0/ports", "/v2/images", "/v3/PROJECT/volumes". */
export async function askAs({ authUrl, auth }: Account): Promise<Ask> {
  const signedIn = await fetch(`${authUrl}/auth/tokens`, {
    method: "POST",
    body: JSON.stringify({ auth }),
    headers: json,
  });
  if (signedIn.status !== 201) throw new Error(`signing in was answered with ${signedIn.status}`);
  const token = signedIn.headers.get("x-subject-token") ?? "";
  const { catalog, project } = ((await signedIn.json()) as { token: Token }).token;
  const ask = async (service: FakeService, method: string, path: string, body?: unknown, headers?: object) => {
    const origin = service === "identity" ? new URL(authUrl).origin : originOf(catalog, types[service]);
    const version = service in versions ? versions[service as keyof typeof versions] : undefined;
    const bytes = body instanceof Uint8Array;
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: {
        "x-auth-token": token,
        ...(version === undefined ? {} : { "openstack-api-version": version }),
        ...(body === undefined ? {} : { "content-type": bytes ? "application/octet-stream" : "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : read(text) };
  };
  return Object.assign(ask, { token, project: project.id });
}

/** As the engine's user, or as another. */
export function askFake({ fake, project }: Stand, auth?: object): Promise<Ask> {
  const user = [...fake.identity.users.values()][0];
  return askAs({
    authUrl: fake.authUrl,
    auth: auth ?? passwordOf(user?.name ?? "", user?.password ?? "", project.name),
  });
}

type Catalog = readonly {
  readonly type: string;
  readonly endpoints: readonly { readonly interface: string; readonly url: string }[];
}[];

interface Token {
  readonly catalog: Catalog;
  readonly project: { readonly id: string };
}

const json = { "content-type": "application/json" };

function originOf(catalog: Catalog, type: string): string {
  const endpoint = catalog.find((one) => one.type === type)?.endpoints.find((one) => one.interface === "public");
  if (endpoint === undefined) throw new Error(`the catalog has no ${type}`);
  return new URL(endpoint.url).origin;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
