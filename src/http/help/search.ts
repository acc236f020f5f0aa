// Searching all documents: an index of the text under each heading, created at the first search. Used by
// help-routes.ts.

import MiniSearch from "minisearch";
import type { Guide } from "./guides.ts";

export interface Found {
  readonly title: string;
  readonly group: string;
  readonly address: string;
  /** The text around the first match. */
  readonly excerpt: string;
}

/** The query is cut to this length. */
const longestQuery = 100;
const mostResults = 20;
const excerptLength = 140;

interface Entry extends Omit<Found, "excerpt"> {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** A search over these documents: the best matches for all words of a query, at most one per page. */
export function searchOver(guides: readonly Guide[]): (query: string) => readonly Found[] {
  const entries = guides.flatMap(entriesOf);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const index = new MiniSearch<Entry>({
    fields: ["title", "heading", "text"],
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: "AND", boost: { title: 4, heading: 2 } },
  });
  index.addAll(entries);
  return (query) => {
    const found = new Map<string, Found>();
    for (const { id, terms } of index.search(query.slice(0, longestQuery))) {
      const entry = byId.get(String(id));
      if (entry === undefined || found.has(entry.title)) continue;
      const { title, heading, group, address, text } = entry;
      found.set(title, {
        title: heading === "" ? title : `${title}: ${heading}`,
        ...{ group, address, excerpt: excerptOf(text, terms) },
      });
      if (found.size === mostResults) break;
    }
    return [...found.values()];
  };
}

function entriesOf({ title, group, address, sections }: Guide): Entry[] {
  return sections.map(({ heading, text }) => {
    const place = heading === undefined ? address : `${address}#${heading.id}`;
    return { id: place, title, group, address: place, heading: heading?.title ?? "", text };
  });
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 40)) + 1) : 0;
  const part = text.slice(from, from + excerptLength).trim();
  return `${from > 0 ? "… " : ""}${part}${from + excerptLength < text.length ? " …" : ""}`;
}
