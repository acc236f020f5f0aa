// Hook that reads a long list page by page.

import { useInfiniteQuery } from "@tanstack/react-query";
import { type Answered, type LessorClient, LessorError } from "../../../src/client/client.ts";
import { useSession } from "./session-context.tsx";

export interface Pages<Row> {
  /** Undefined: loading the first page. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
  readonly again: () => void;
}

/** `ask` gets the cursor of the page; the first has none. */
export function usePages<Row>(
  key: readonly unknown[],
  ask: (
    client: LessorClient,
    cursor: { cursor?: string },
  ) => Promise<Answered<{ readonly data: readonly Row[] } | string>>,
): Pages<Row> {
  const { client } = useSession();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }) => {
      const { data, error, response } = await ask(client, pageParam === "" ? {} : { cursor: pageParam });
      // A string is CSV, which is only sent on request.
      if (data === undefined || typeof data === "string") throw new LessorError(response.status, error);
      return { rows: data.data, next: nextCursor(response.headers.get("link")) };
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
  return {
    rows: query.data?.pages.flatMap(({ rows }) => rows),
    error: query.error,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    readMore: () => void query.fetchNextPage(),
    again: () => void query.refetch(),
  };
}

/** The cursor of the next page, from the Link header (RFC 8288); undefined: it was the last. */
export function nextCursor(link: string | null): string | undefined {
  for (const [, address = "", parameters = ""] of (link ?? "").matchAll(/<([^>]*)>([^,<]*)/g)) {
    if (!/;\s*rel="?next"?(\s*;|\s*$)/.test(parameters)) continue;
    // The address may be a path.
    return new URL(address, "http://page").searchParams.get("cursor") ?? undefined;
  }
  return undefined;
}
