// Hooks that read and change through the control API. The first word of a read's key is its subject (touched.ts). A
// rejection is a LessorError, with its suggestion.

import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { type Answered, given, type LessorClient, LessorError } from "../../../src/client/client.ts";
import { useSession } from "./session-context.tsx";

/** A read is reused for this long when a page is opened; events invalidate it sooner. */
const staleMilliseconds = 20_000;

/** The cache of reads, one for the life of the page. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMilliseconds,
        retry: (failures, error) => failures < 2 && mayPass(error),
        // Without a network the browser would hold requests back and show nothing: the console shows its own state.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** Whether the same request may succeed when retried. */
function mayPass(error: unknown): boolean {
  return !(error instanceof LessorError) || error.status >= 500 || error.status === 429;
}

type Ask<T> = (client: LessorClient) => Promise<Answered<T>>;

interface ReadOptions<T> {
  /** False: not yet. */
  readonly enabled?: boolean;
  /** The former response stays until the one to a changed key arrives. */
  readonly keep?: boolean;
  /** Milliseconds until the next poll, for what has no event. */
  readonly again?: (read: Exclude<T, string> | undefined) => number | false;
}

/** Reads through the control API. */
export function useRead<T>(
  key: readonly unknown[],
  ask: Ask<T>,
  { enabled = true, keep = false, again }: ReadOptions<T> = {},
): UseQueryResult<Exclude<T, string>, Error> {
  const { client } = useSession();
  return useQuery<Exclude<T, string>, Error>({
    queryKey: key,
    // A string is CSV, which is only sent on request.
    queryFn: async () => (await given(ask(client))) as Exclude<T, string>,
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...(again === undefined ? {} : { refetchInterval: ({ state }) => again(state.data) }),
  });
}

/**
 * Changes something through the control API. Reads of `subjects` are refetched when it is done, so a page is right even
 * while the event stream is down.
 */
export function useChange<Input, T>(
  ask: (client: LessorClient, input: Input) => Promise<Answered<T>>,
  subjects: readonly string[],
): UseMutationResult<T, Error, Input> {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation<T, Error, Input>({
    mutationFn: (input) => given(ask(client, input)),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => subjects.includes(String(queryKey[0])) }),
  });
}
