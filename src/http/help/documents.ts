// The page of an interface's OpenAPI document, in the frame: beside the interface itself, where requests can be tried,
// or on a port that does not have the interface.

import { type Html, html } from "../../rules/html.ts";
import { framed } from "./frame.ts";
import { referencePage } from "./reference/page.ts";
import { type DocumentLink, parsedDocument, type Site } from "./site.ts";

export async function documentPage(site: Site, link: DocumentLink, assets: string): Promise<Html> {
  const { published, here, title, address, name } = link;
  const document = await parsedDocument(published);
  const { mount, listener } = published;
  const prefix = (here ?? mount).prefix;
  const source = here === undefined ? `/docs/api/${name}/openapi.json` : `${prefix}/openapi.json`;
  const base =
    here === undefined
      ? elsewhere(mount.hostName, listener.port, prefix)
      : html`<code data-origin>${prefix === "" ? "/" : prefix}</code>`;
  const where = html`<p>Base URL: ${base}. Version ${document.info.version}. <a href="${source}" download>OpenAPI document</a></p>`;
  const place = { document, prefix, canSend: here !== undefined };
  return framed({
    ...{ title: `${title} API`, site, assets, address, section: "api", search: "Search operations" },
    ...referencePage(place, where),
  });
}

/** An interface that is not on this port. */
export function elsewhere(hostName: string | undefined, port: number, prefix: string): Html {
  const places = [hostName !== undefined && `host name ${hostName}`, port !== 0 && `port ${port}`].filter(
    (one) => one !== false,
  );
  const words = places.length === 0 ? "on another port" : `on ${places.join(", ")}`;
  return html`<code>${prefix === "" ? "/" : prefix}</code> (${words})`;
}
