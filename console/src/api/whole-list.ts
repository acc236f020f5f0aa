// Hook that reads a whole list page by page, and shows what is there already: of ten thousand entries the first can be seen
// and used while the others are read. Most lists are one page, which is one request.
//
// A list that was read before is replaced when all of it was read again, so it never gets shorter meanwhile. Events change it
// only when it is complete (long-lists.ts).

import { experimental_streamedQuery, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type Answered, type LessorClient, LessorError } from "../../../src/client/client.ts";
import { nextCursor } from "./pages-query.ts";
import { useSession } from "./session-context.tsx";

export interface WholeList<Entry> {
  readonly data: readonly Entry[];
  /** False while it is read for the first time. */
  readonly isComplete: boolean;
}

/** Entries of a page: few at first, as somebody waits for them. */
const lengths = { first: 500, later: 1000 };

export interface PageAsked {
  readonly limit: number;
  readonly cursor?: string;
}

/** `ask` reads a page. */
export function useWholeList<Entry>(
  key: readonly unknown[],
  ask: (client: LessorClient, page: PageAsked) => Promise<Answered<{ readonly data: readonly Entry[] }>>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseQueryResult<WholeList<Entry>, Error> {
  const { client } = useSession();
  return useQuery({
    queryKey: key,
    queryFn: experimental_streamedQuery<WholeList<Entry>, WholeList<Entry>>({
      streamFn: () => pagesOf((page) => ask(client, page)),
      initialValue: { data: [], isComplete: false },
      reducer: (list, page) => ({ data: [...list.data, ...page.data], isComplete: page.isComplete }),
      refetchMode: "replace",
    }),
    enabled,
  });
}

/** Each page, as a list of its own. */
export async function* pagesOf<Entry>(
  ask: (page: PageAsked) => Promise<Answered<{ readonly data: readonly Entry[] }>>,
): AsyncGenerator<WholeList<Entry>> {
  let page: PageAsked = { limit: lengths.first };
  for (;;) {
    const { data, error, response } = await ask(page);
    if (data === undefined) throw new LessorError(response.status, error);
    const cursor = nextCursor(response.headers.get("link"));
    yield { data: data.data, isComplete: cursor === undefined };
    if (cursor === undefined) return;
    page = { limit: lengths.later, cursor };
  }
}
