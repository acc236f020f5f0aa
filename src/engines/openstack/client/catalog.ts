// Finds the address of a service in the catalog that comes with a token. Used by client.ts.

import type { CloudAccess } from "../settings/clouds-file.ts";
import { Unsuitable } from "./api-error.ts";
import type { Token } from "./session.ts";

export type ServiceType = "compute" | "network" | "image" | "placement" | "volume";

export interface Place {
  readonly service: ServiceType;
  /** OpenStack's; undefined: that of clouds.yaml, or the only one. */
  readonly region: string | undefined;
}

/** Names in catalogs, and the version in paths that a catalog's address may lack. */
const services: Readonly<Record<ServiceType, { readonly types: readonly string[]; readonly version: string }>> = {
  compute: { types: ["compute"], version: "/v2.1" },
  network: { types: ["network"], version: "/v2.0" },
  image: { types: ["image"], version: "/v2" },
  placement: { types: ["placement"], version: "" },
  volume: { types: ["block-storage", "volumev3"], version: "/v3" },
};

/** Without a trailing slash; paths of the API's documentation follow it. Throws Unsuitable. */
export function addressOf(place: Place, token: Token, access: Pick<CloudAccess, "region" | "interface">): string {
  const { types, version } = services[place.service];
  const called = `${place.service} service (type ${types.join(" or ")})`;
  const all = token.catalog.filter(({ type }) => types.includes(type)).flatMap(({ endpoints }) => endpoints);
  if (all.length === 0) throw new Unsuitable(`The catalog of the cloud has no ${called}.`);

  const regions = [...new Set(all.map(({ region }) => region ?? ""))];
  const region = place.region ?? access.region ?? (regions.length === 1 ? regions[0] : undefined);
  if (region === undefined) throw new Unsuitable(`The cloud has several regions (${some(regions)}): name one.`);
  const here = all.filter((one) => (one.region ?? "") === region);
  if (here.length === 0) {
    throw new Unsuitable(`The catalog of the cloud has no ${called} in region ${region}, only in ${some(regions)}.`);
  }

  const found = here.find((one) => one.interface === access.interface);
  if (found === undefined) {
    const interfaces = some([...new Set(here.map((one) => one.interface))]);
    throw new Unsuitable(
      `The catalog of the cloud has no ${access.interface} endpoint of the ${called} in region ${region}, only ${interfaces}.`,
    );
  }
  const base = usable(found.url);
  if (base === undefined) {
    throw new Unsuitable(`The address of the ${called} in the catalog of the cloud is not an http:// or https:// URL.`);
  }
  const versioned = /\/v\d+(\.\d+)?(\/[^/]+)?$/.test(new URL(base).pathname) ? base : `${base}${version}`;
  return place.service === "volume" && versioned.endsWith(version) ? `${versioned}/${token.project.id}` : versioned;
}

export function hasService(service: ServiceType, { catalog }: Pick<Token, "catalog">): boolean {
  return catalog.some(({ type }) => services[service].types.includes(type));
}

/** The address without a trailing slash; undefined: a token must not be sent there. */
function usable(text: string): string | undefined {
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  return text.replace(/\/+$/, "");
}

const some = (names: readonly string[]) => `${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;
