// Tokens of Keystone. Invariant: one authentication at a time, however many callers wait for it; a token is renewed before it
// expires by the clock of Keystone, so the clock of this machine may be wrong. Used by client.ts.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import type { CloudAccess } from "../settings/clouds-file.ts";
import { ApiError, UnexpectedAnswer, Unsuitable } from "./api-error.ts";
import { parsed } from "./checked.ts";
import { messageIn, silentError } from "./messages.ts";
import type { Pauses } from "./pauses.ts";
import type { Secrets } from "./secrets.ts";
import { Shared } from "./shared.ts";
import type { Transport } from "./transport.ts";

export interface Project {
  readonly id: string;
  readonly name: string;
  /** The names of our roles in it. */
  readonly roles: readonly string[];
}

export interface Token {
  /** SECRET. */
  readonly value: string;
  readonly project: Project;
  readonly catalog: Catalog;
}

const nullable = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Services = Type.Array(
  Type.Object({
    type: Type.String(),
    endpoints: Type.Array(Type.Object({ interface: Type.String(), region: nullable, url: Type.String() })),
  }),
);
export type Catalog = Static<typeof Services>;

const Response = Compile(
  Type.Object({
    token: Type.Object({
      expires_at: Type.String(),
      issued_at: Type.Optional(Type.String()),
      project: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
      roles: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
      catalog: Type.Optional(Services),
    }),
  }),
);

/** How long before its end a token is renewed. */
const MARGIN_MS = 60_000;
/** Keystone locks accounts after failures: the same credentials are not tried again for so long. */
const REJECTED_MS = 5_000;

export class Session {
  readonly #access: CloudAccess;
  readonly #transport: Transport;
  readonly #secrets: Secrets;
  readonly #pauses: Pauses;
  /** Milliseconds that only grow. */
  readonly #now: () => number;
  readonly #authentication = new Shared<Token>();
  #current: { readonly token: Token; readonly until: number } | undefined;
  #rejected: { readonly error: ApiError; readonly until: number } | undefined;

  constructor(access: CloudAccess, transport: Transport, secrets: Secrets, pauses: Pauses, now: () => number) {
    this.#access = access;
    this.#transport = transport;
    this.#secrets = secrets;
    this.#pauses = pauses;
    this.#now = now;
  }

  /** Throws as `Transport.send`; ApiError, also where Keystone rejects the credentials; Unsuitable. */
  async token(signal: AbortSignal): Promise<Token> {
    signal.throwIfAborted();
    if (this.#current !== undefined && this.#now() < this.#current.until) return this.#current.token;
    if (this.#rejected !== undefined && this.#now() < this.#rejected.until) throw this.#rejected.error;
    return await this.#authentication.run(() => this.#authenticate(), signal);
  }

  /** A service rejected the token: the next call gets another one. */
  reject(token: Token): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #authenticate(): Promise<Token> {
    // It is for all who wait, so it has no signal of one of them.
    const { signal } = new AbortController();
    await this.#pauses.over("identity", "identity", signal);
    const { status, text, header } = await this.#transport.send(
      {
        service: "identity",
        method: "POST",
        url: `${this.#access.authUrl}/auth/tokens`,
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(requestFor(this.#access.credential)),
        repeatable: true,
      },
      signal,
    );
    const value = header("x-subject-token");
    if (status >= 400) {
      const wait = this.#pauses.note("identity", status, header);
      const message = this.#secrets.hide(messageIn(text)) || silentError(status, "identity", this.#access.authUrl);
      const error = new ApiError(status, "identity", message, wait);
      if (status === 401 || status === 403) this.#rejected = { error, until: this.#now() + REJECTED_MS };
      throw error;
    }
    if (value === undefined) throw new UnexpectedAnswer(`Keystone gave no token (HTTP ${status}).`);
    this.#secrets.addToken(value);
    const { token } = parsed(text, Response, "identity /auth/tokens");
    if (token.project === undefined) throw new Unsuitable("The credentials in clouds.yaml are not for a project.");
    const lifetime = Date.parse(token.expires_at) - Date.parse(header("date") ?? token.issued_at ?? "");
    if (Number.isNaN(lifetime)) throw new UnexpectedAnswer("Keystone does not say when its token expires.");
    const { id, name } = token.project;
    const roles = (token.roles ?? []).map(({ name }) => name);
    const made = { value, project: { id, name, roles }, catalog: token.catalog ?? [] };
    this.#current = { token: made, until: this.#now() + Math.max(lifetime - MARGIN_MS, lifetime / 2) };
    return made;
  }
}

function requestFor(credential: CloudAccess["credential"]): object {
  if (credential.kind === "password") {
    const { user, password, project } = credential;
    const identity = { methods: ["password"], password: { user: { ...user, password } } };
    return { auth: { identity, scope: { project } } };
  }
  const { kind, ...application_credential } = credential;
  return { auth: { identity: { methods: ["application_credential"], application_credential } } };
}
