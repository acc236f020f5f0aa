// Keeps long lists current: reads what an event is about, and puts it into the list in the cache. To read ten thousand
// entries again for each event would keep the page busy for seconds. Short lists are read again as a whole (event-stream.tsx).
// Invariant: changes are applied in the order in which they were read.

import type { Query, QueryClient } from "@tanstack/react-query";
import { given, type LessorClient, LessorError, type Shape } from "../../../src/client/client.ts";
import type { WholeList } from "./whole-list.ts";

type Instance = Shape<"Instance">;
type Host = Shape<"Host">;

/** `readAt`: when it was read, in milliseconds since 1970. Each by itself: a list is read page by page. */
export type InstanceInList = Instance & { readonly readAt: number };

/** An instance that was read now. */
export const inList = (instance: Instance): InstanceInList => ({ ...instance, readAt: Date.now() });

/** Shorter lists take one request, and few milliseconds. */
const longFrom = 500;
/** For more instances at once, one request for the list costs the service less. */
const mostReads = 10;

/**
 * Lists that are shown, and better changed than read again when these instances change. One that is being read is among
 * them, and changed when it is complete.
 */
export function patchable(queries: QueryClient, instanceIds: ReadonlySet<string>): readonly Query[] {
  if (instanceIds.size === 0 || instanceIds.size > mostReads) return [];
  return queries.getQueryCache().findAll({
    type: "active",
    predicate: (query) => isLongList(query) && (query.state.fetchStatus === "fetching" || !query.state.isInvalidated),
  });
}

/**
 * Reads in progress that an event does not begin again: long lists, which might never be complete, and first reads, which
 * the cache does not begin again by itself. They are to be read again when they have ended.
 */
export function notBegunAgain(queries: QueryClient): readonly Query[] {
  return queries.getQueryCache().findAll({
    type: "active",
    fetchStatus: "fetching",
    predicate: (query) => query.state.data === undefined || isLongList(query),
  });
}

function isLongList({ queryKey: [subject, which], state: { data } }: Query): boolean {
  const isList = (subject === "instances" && (which === "own" || which === "all")) || subject === "hosts";
  return isList && isLong(data);
}

function isLong(data: unknown): boolean {
  return (
    typeof data === "object" &&
    data !== null &&
    "data" in data &&
    Array.isArray(data.data) &&
    data.data.length >= longFrom
  );
}

/** Reads these instances, and puts them or their hosts into the lists; those that it cannot change are read again. */
export async function patch(
  queries: QueryClient,
  client: LessorClient,
  accountId: string,
  lists: readonly Query[],
  instanceIds: ReadonlySet<string>,
): Promise<void> {
  // What is being read was asked for earlier than what is read here. Its own failure is shown by its page.
  await Promise.allSettled(lists.map(({ promise }) => promise));
  try {
    const found = await Promise.all([...instanceIds].map((id) => readInstance(client, id)));
    const instances = found.filter((one) => one !== undefined);
    const gone = new Set([...instanceIds].filter((id) => !instances.some((one) => one.id === id)));
    const [ofHosts, ofInstances] = [
      lists.filter(({ queryKey }) => queryKey[0] === "hosts"),
      lists.filter(({ queryKey }) => queryKey[0] === "instances"),
    ];
    for (const { queryKey, state } of ofInstances) {
      const changed = queryKey[1] === "own" ? instances.filter((one) => one.account_id === accountId) : instances;
      queries.setQueryData<WholeList<InstanceInList>>(
        queryKey,
        (list) => list && { ...list, data: withChanged(list.data, changed, gone, ({ id }) => id) },
        { updatedAt: state.dataUpdatedAt },
      );
    }
    // The host of what is gone is not known any more.
    if (gone.size > 0) await readAgain(queries, ofHosts);
    else if (ofHosts.length > 0) {
      const hosts = await readHosts(client, new Set(instances.flatMap(({ host }) => host ?? [])));
      for (const { queryKey, state } of ofHosts)
        queries.setQueryData<WholeList<Host>>(
          queryKey,
          (list) => list && { ...list, data: withChanged(list.data, hosts, new Set(), ({ name }) => name) },
          { updatedAt: state.dataUpdatedAt },
        );
    }
  } catch {
    await readAgain(queries, lists);
  }
}

async function readAgain(queries: QueryClient, lists: readonly Query[]): Promise<void> {
  await queries.invalidateQueries({ predicate: (query) => lists.includes(query) });
}

/** As in a list, without what only its own page shows. Undefined: it was removed. */
async function readInstance(client: LessorClient, id: string): Promise<InstanceInList | undefined> {
  try {
    const { data } = await given(client.GET("/instances/{id}", { params: { path: { id } } }));
    const { password: _password, command: _command, ...listed } = data;
    return inList(listed);
  } catch (error) {
    if (error instanceof LessorError && error.status === 404) return undefined;
    throw error;
  }
}

async function readHosts(client: LessorClient, names: ReadonlySet<string>): Promise<Host[]> {
  const read = [...names].map((name) => given(client.GET("/hosts/{name}", { params: { path: { name } } })));
  return (await Promise.all(read)).map(({ data }) => data);
}

/** The entries with the changed ones in their places, new ones at the end, and without those that are gone. */
export function withChanged<Entry>(
  entries: readonly Entry[],
  changed: readonly Entry[],
  gone: ReadonlySet<string>,
  keyOf: (entry: Entry) => string,
): readonly Entry[] {
  const left = new Map(changed.map((entry) => [keyOf(entry), entry]));
  const kept = entries.flatMap((entry) => {
    const key = keyOf(entry);
    if (gone.has(key)) return [];
    const instead = left.get(key);
    left.delete(key);
    return [instead ?? entry];
  });
  return [...kept, ...left.values()];
}
