// The addresses on a port under a host name: the documents of all interfaces and the console. Every interface has a
// document on every port: if the interface is elsewhere, the documentation of this port shows it.

import { type InterfaceName, interfaceNames, type Listener, type Mount } from "../../config/interfaces.ts";
import type { OpenApiDocument } from "./reference/document.ts";

export const documentTitles: Readonly<Record<InterfaceName, string>> = {
  marketplace: "Marketplace (M)",
  direct: "Direct (D)",
  reference: "Reference (R)",
  lambda: "Lambda edition",
  control: "Control",
};

/** The document of an interface, at its first mount. */
export interface PublishedDocument {
  readonly mount: Mount;
  readonly listener: Listener;
  readonly description: string;
  /** As JSON. */
  readonly text: () => Promise<string>;
}

/** Filled when interfaces are mounted. */
export type PublishedDocuments = Map<InterfaceName, PublishedDocument>;

export interface DocumentLink {
  readonly name: InterfaceName;
  readonly title: string;
  readonly address: string;
  readonly published: PublishedDocument;
  /** The mount of the interface on this port; undefined: elsewhere. */
  readonly here: Mount | undefined;
}

/** One port under one host name. */
export interface Site {
  readonly documents: readonly DocumentLink[];
  /** Undefined: the console is elsewhere. */
  readonly console: string | undefined;
}

export function siteOf(listener: Listener, documents: PublishedDocuments, hostName: string | undefined): Site {
  const here = (name: InterfaceName) =>
    listener.mounts.find((one) => one.interface === name && [undefined, hostName].includes(one.hostName));
  return {
    documents: interfaceNames.flatMap((name) => {
      const published = documents.get(name);
      if (published === undefined) return [];
      const mount = here(name);
      const address = mount === undefined ? `/docs/api/${name}` : `${mount.prefix}/docs/`;
      return [{ name, title: documentTitles[name], address, published, here: mount }];
    }),
    // It is beside the control interface.
    console: here("control") === undefined ? undefined : "/",
  };
}

/** The host names that change the links of a port's pages. */
export function knownHostNames({ mounts }: Listener): ReadonlySet<string | undefined> {
  return new Set(mounts.map(({ hostName }) => hostName));
}

export async function parsedDocument(published: PublishedDocument): Promise<OpenApiDocument> {
  const document: OpenApiDocument = JSON.parse(await published.text());
  return document;
}
