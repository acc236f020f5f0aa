// Requests to the services of a cloud. Used by everything else in this engine.
//
// Invariant: only reads are repeated if they might have been carried out. Repeating a change is up to the caller, who
// can recognize its own. No error or log contains a token or a credential.

import { Readable } from "node:stream";
import { type Static, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Expiry } from "../../tls-certificates.ts";
import type { CloudAccess } from "../settings/clouds-file.ts";
import { ApiError, UnexpectedAnswer } from "./api-error.ts";
import { addressOf, hasService, type Place, type ServiceType } from "./catalog.ts";
import { checked, json, type Schema } from "./checked.ts";
import { messageIn, silentError } from "./messages.ts";
import { Microversions } from "./microversions.ts";
import { Pauses } from "./pauses.ts";
import { Secrets } from "./secrets.ts";
import { type Project, Session, type Token } from "./session.ts";
import { type Incoming, type Line, Transport } from "./transport.ts";

/** A list is sent as the same key several times. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent unchanged. */
  readonly bytes?: Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  /** Undefined: empty. */
  readonly body: unknown;
  /** The clock of the service. */
  readonly date: Date | undefined;
  readonly location: string | undefined;
}

/** A list, and when its service began to give it, by the clock of that. */
export interface Dated<T> {
  readonly items: readonly T[];
  readonly date: Date | undefined;
}

/** Pages of one list: far more than any cloud has, so that a service that repeats itself ends. */
const MOST_PAGES = 2000;

const Linked = Compile(
  Type.Intersect([Type.Object({ next: Type.Optional(Type.String()) }), Type.Record(Type.String(), Type.Unknown())]),
);
const Links = Compile(Type.Array(Type.Object({ rel: Type.String(), href: Type.String() })));

export class Client {
  readonly #access: CloudAccess;
  readonly #transport: Transport;
  readonly #secrets: Secrets;
  readonly #session: Session;
  readonly #pauses: Pauses;
  readonly #microversions: Microversions;

  /** Makes no request. Throws what reading the certificate files throws. `now`: milliseconds that only grow. */
  constructor(access: CloudAccess, now: () => number = () => performance.now()) {
    this.#access = access;
    this.#transport = new Transport(access);
    this.#secrets = new Secrets(access);
    this.#pauses = new Pauses(now);
    this.#session = new Session(access, this.#transport, this.#secrets, this.#pauses, now);
    this.#microversions = new Microversions(
      // It is for all who wait, so it has no signal of one of them.
      async (service, url, token) =>
        (await this.#send({ service, url, call: {}, token, headers: {} }, new AbortController().signal)).text,
    );
  }

  /**
   * `path` follows the endpoint in the catalog and the version: "/servers", "/ports". Throws ApiError, NoAnswer,
   * UnexpectedAnswer, or the reason of `signal`.
   */
  async call(place: Place, path: string, call: Call, signal: AbortSignal): Promise<Answer> {
    const { service } = place;
    const { status, text, header } = await this.#authorized(
      async (token) => {
        const address = addressOf(place, token, this.#access);
        const headers = await this.#microversions.headers(service, address, token, signal);
        const url = `${address}${path}${queryOf(call.query ?? {})}`;
        try {
          return await this.#send({ service, url, call, token, headers }, signal);
        } catch (error) {
          if (error instanceof ApiError && error.status === 406) this.#microversions.forget(address);
          throw error;
        }
      },
      call,
      signal,
    );
    const date = new Date(header("date") ?? "");
    return {
      status,
      body: json(text, `${service} ${path}`),
      date: Number.isNaN(date.getTime()) ? undefined : date,
      location: header("location"),
    };
  }

  /** Reads an object and validates it against `schema`. Throws as `call`. */
  async read<T extends TSchema>(
    place: Place,
    path: string,
    schema: Schema<T>,
    signal: AbortSignal,
    query: Query = {},
  ): Promise<Static<T>> {
    const { body } = await this.call(place, path, { query }, signal);
    return checked(body, schema, `${place.service} ${path}`);
  }

  /** Reads all pages of a list, in which `key` has the items. Throws as `call`. */
  async readAll<T extends TSchema>(
    place: Place,
    path: string,
    key: string,
    item: Schema<T>,
    signal: AbortSignal,
    query: Query = {},
  ): Promise<Static<T>[]> {
    return [...(await this.readDated(place, path, key, item, signal, { query })).items];
  }

  /** As `readAll`, with the time of the first page. */
  async readDated<T extends TSchema>(
    place: Place,
    path: string,
    key: string,
    item: Schema<T>,
    signal: AbortSignal,
    { query = {}, headers = {} }: Pick<Call, "query" | "headers">,
  ): Promise<Dated<Static<T>>> {
    const called = `${place.service} ${path}`;
    const items: Static<T>[] = [];
    const seen = new Set<string>();
    let page: Query = query;
    let begun: Date | undefined;
    while (seen.size < MOST_PAGES) {
      const { body, date } = await this.call(place, path, { query: page, headers }, signal);
      if (seen.size === 0) begun = date;
      const listed: unknown = typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
      if (!Array.isArray(listed)) throw new UnexpectedAnswer(`Unexpected response from ${called}: no list "${key}".`);
      for (const one of listed) items.push(checked(one, item, called));
      const marker = markerIn(body, key, called);
      if (marker === undefined) return { items, date: begun };
      if (seen.has(marker)) break;
      seen.add(marker);
      page = { ...query, marker };
    }
    throw new UnexpectedAnswer(`The list ${called} has no end.`);
  }

  /** The project that the credentials are for. Throws as `call`. */
  async project(signal: AbortSignal): Promise<Project> {
    return (await this.#session.token(signal)).project;
  }

  /** Whether the catalog has the service, in any region and interface. Throws as `call`. */
  async offers({ service }: Place, signal: AbortSignal): Promise<boolean> {
    return hasService(service, await this.#session.token(signal));
  }

  /** Where the service is, without a trailing slash. Throws as `call`. */
  async address(place: Place, signal: AbortSignal): Promise<string> {
    return addressOf(place, await this.#session.token(signal), this.#access);
  }

  /** For a WebSocket that a service gives the address of. */
  line(): Line {
    return this.#transport.line();
  }

  /** When the certificates of the connections expire, of all services that were connected to. */
  get certificates(): readonly Expiry[] {
    return this.#transport.certificates;
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** `send` with a token, and once more with another one if that is rejected. */
  async #authorized(send: (token: Token) => Promise<Incoming>, call: Call, signal: AbortSignal): Promise<Incoming> {
    const token = await this.#session.token(signal);
    try {
      return await send(token);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      this.#session.reject(token);
      // A stream is used up.
      if (call.bytes instanceof Readable) throw error;
    }
    return await send(await this.#session.token(signal));
  }

  async #send(
    {
      service,
      url,
      call,
      token,
      headers,
    }: {
      readonly service: ServiceType;
      readonly url: string;
      readonly call: Call;
      readonly token: Token;
      readonly headers: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<Incoming> {
    const key = `${service} ${new URL(url).origin}`;
    await this.#pauses.over(key, service, signal);
    const incoming = await this.#transport.send(
      {
        service,
        method: call.method ?? "GET",
        url,
        headers: {
          accept: "application/json",
          ...(call.body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
          ...call.headers,
          "x-auth-token": token.value,
        },
        body: call.body === undefined ? (call.bytes ?? null) : JSON.stringify(call.body),
        repeatable: (call.method ?? "GET") === "GET",
      },
      signal,
    );
    const { status, text, header } = incoming;
    if (status < 300) return incoming;
    if (status < 400)
      throw new UnexpectedAnswer(`${service} redirects requests (HTTP ${status}), which is not followed.`);
    const wait = this.#pauses.note(key, status, header);
    const message = this.#secrets.hide(messageIn(text), call.body) || silentError(status, service, url);
    throw new ApiError(status, service, message, wait);
  }
}

function queryOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) for (const one of [value].flat()) parameters.append(key, one);
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/**
 * Where the next page begins: Nova, Neutron and Cinder link it in `<key>_links`, Glance in `next`. Only the marker is
 * taken, because hosts in links are often wrong behind proxies. Throws UnexpectedAnswer: half a list is none.
 */
function markerIn(body: unknown, key: string, called: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { next, [`${key}_links`]: links = [] } = checked(body, Linked, called);
  const href = next ?? checked(links, Links, called).find(({ rel }) => rel === "next")?.href;
  if (href === undefined) return undefined;
  const marker = new URLSearchParams(href.slice(href.indexOf("?") + 1)).get("marker");
  if (marker === null) throw new UnexpectedAnswer(`Unexpected response from ${called}: the next page has no marker.`);
  return marker;
}
