// The audit log, page after page: the service says in the Link header of each where the next one begins. Used by
// audit-page.tsx.

import { useInfiniteQuery } from "@tanstack/react-query";
import { LessorError, type Shape } from "../../../../src/client/index.ts";
import { useSession } from "../../api/session-context.tsx";

/** Null and "": whatever it is. */
export interface AuditFilter {
  readonly account_id: string | null;
  readonly result: Shape<"AuditEntry">["result"] | null;
  readonly object: string;
}

export interface AuditLog {
  /** Undefined: still on their way. */
  readonly entries: readonly Shape<"AuditEntry">[] | undefined;
  readonly error: Error | null;
  readonly again: () => void;
  /** Undefined: there are no older ones. */
  readonly more: (() => void) | undefined;
  readonly isReading: boolean;
}

const pageLength = 100;

export function useAuditLog({ account_id, result, object }: AuditFilter): AuditLog {
  const { client } = useSession();
  const query = useInfiniteQuery({
    queryKey: ["audit-log", "all", account_id, result, object],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { data, error, response } = await client.GET("/audit-log", {
        params: {
          query: {
            limit: pageLength,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
            ...(account_id === null ? {} : { account_id }),
            ...(result === null ? {} : { result }),
            ...(object === "" ? {} : { object }),
          },
        },
      });
      if (data === undefined) throw new LessorError(response.status, error);
      return { entries: data.data, next: cursorIn(response.headers.get("link")) };
    },
    getNextPageParam: ({ next }) => next,
  });
  return {
    entries: query.data?.pages.flatMap(({ entries }) => entries),
    error: query.error,
    again: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isReading: query.isFetchingNextPage,
  };
}

/** The cursor of the page after, from a Link header such as `</control/v1/audit-log?cursor=…>; rel="next"`. */
export function cursorIn(link: string | null): string | undefined {
  const [, address] = /<([^>]+)>;\s*rel="next"/.exec(link ?? "") ?? [];
  if (address === undefined) return undefined;
  return new URL(address, "http://any").searchParams.get("cursor") ?? undefined;
}
