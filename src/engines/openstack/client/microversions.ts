// The version of an API that requests ask for: what Lessor is written for, or what the service offers if that is less
// and enough. Asked of each service once. Used by client.ts.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { Unsuitable } from "./api-error.ts";
import type { ServiceType } from "./catalog.ts";
import { parsed } from "./checked.ts";
import type { Token } from "./session.ts";
import { Shared } from "./shared.ts";

type Headers = Readonly<Record<string, string>>;

interface Need {
  readonly wanted: string;
  readonly least: string;
  /** The first release of OpenStack that has the least. */
  readonly release: string;
}

/** Answers the text of a version document. */
type Read = (service: ServiceType, url: string, token: Token) => Promise<string>;

const needs: Partial<Record<ServiceType, Need>> = {
  compute: { wanted: "2.90", least: "2.74", release: "Train" },
  placement: { wanted: "1.36", least: "1.29", release: "Rocky" },
  volume: { wanted: "3.59", least: "3.0", release: "Mitaka" },
};

// Nova has the version of its path, Placement and Cinder a list; Placement calls the newest max_version.
const text = Type.Optional(Type.String());
const One = Type.Object({ min_version: text, version: text, max_version: text });
const Document = Compile(
  Type.Object({ version: Type.Optional(One), versions: Type.Optional(Type.Array(One, { minItems: 1 })) }),
);

export class Microversions {
  readonly #read: Read;
  readonly #known = new Map<string, Headers>();
  readonly #negotiations = new Map<string, Shared<Headers>>();

  constructor(read: Read) {
    this.#read = read;
  }

  /** The headers of a request. Throws Unsuitable, and what reading the document throws. */
  async headers(service: ServiceType, address: string, token: Token, signal: AbortSignal): Promise<Headers> {
    const need = needs[service];
    if (need === undefined) return {};
    const shared = this.#negotiations.get(address) ?? new Shared<Headers>();
    this.#negotiations.set(address, shared);
    return this.#known.get(address) ?? (await shared.run(() => this.#negotiate(service, need, address, token), signal));
  }

  /** The service rejected the version, so it is another one than was asked. */
  forget(address: string): void {
    this.#known.delete(address);
  }

  async #negotiate(service: ServiceType, need: Need, address: string, token: Token): Promise<Headers> {
    // Documents are at the version's own path, before that of a project.
    const url = `${address.replace(/(\/v\d+(?:\.\d+)?)\/[^/]+$/, "$1")}/`;
    const document = parsed(await this.#read(service, url, token), Document, `${service} version document`);
    const version = chosen(service, need, document.version ?? document.versions?.find(newest) ?? {});
    const headers = { "openstack-api-version": `${service} ${version}` };
    this.#known.set(address, headers);
    return headers;
  }
}

const newest = (one: Static<typeof One>) => (one.version ?? one.max_version ?? "") !== "";

function chosen(service: ServiceType, need: Need, offered: Static<typeof One>): string {
  const most = offered.version ?? offered.max_version ?? "";
  if (most === "" || compare(most, need.least) < 0) {
    throw new Unsuitable(
      `The ${service} service offers version ${most || "none"} of its API. Lessor needs ${need.least} or later: OpenStack ${need.release} or later.`,
    );
  }
  return compare(most, need.wanted) < 0 ? most : need.wanted;
}

/** Of "2.90" and the like; greater than 0: a is newer. */
function compare(a: string, b: string): number {
  const [[majorA = 0, minorA = 0], [majorB = 0, minorB = 0]] = [a.split(".").map(Number), b.split(".").map(Number)];
  return majorA - majorB || minorA - minorB;
}
