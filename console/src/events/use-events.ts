// The events of the account: what is remembered, from the first on as the service gives them, and what happens meanwhile.

import { useInfiniteQuery } from "@tanstack/react-query";
import { given } from "../../../src/client/index.ts";
import { useSession } from "../api/session-context.tsx";

/** At most as many as the service gives at once. */
const atOnce = 1000;
/** Read on by itself so often; then somebody has to want more. */
const pagesByItself = 10;

/**
 * All events of these types (globs; empty: all), oldest first. `events` is undefined until all are read that are read by
 * themselves, so that a list in the order of time does not jump.
 */
export function useEvents(types: string) {
  const { client, account } = useSession();
  const query = useInfiniteQuery({
    queryKey: ["events", "all", account.id, types],
    queryFn: async ({ pageParam }) => {
      let [cursor, read] = [pageParam, 0];
      const events = [];
      for (;;) {
        const page = await given(
          client.GET("/events", {
            params: {
              query: {
                account_id: account.id,
                limit: atOnce,
                ...(cursor === "" ? {} : { cursor }),
                ...(types === "" ? {} : { types }),
              },
            },
          }),
        );
        events.push(...page.data);
        cursor = page.next_cursor;
        read += 1;
        if (!page.has_more || page.data.length === 0 || read === pagesByItself) {
          return { events, cursor, hasMore: page.has_more && page.data.length > 0 };
        }
      }
    },
    initialPageParam: "",
    getNextPageParam: ({ cursor, hasMore }) => (hasMore ? cursor : undefined),
  });
  return { ...query, events: query.data?.pages.flatMap(({ events }) => events) };
}
