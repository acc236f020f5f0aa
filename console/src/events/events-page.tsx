// The account's events, newest first, live. Operators also read those of hosts and GPUs, which belong to no account.

import { Button, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { given } from "../../../src/client/client.ts";
import { useSession } from "../api/session-context.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { eventGlobs, operatorGlobs } from "./event-globs.ts";
import { eventDetail, eventInstance, eventSubject, eventTitle, eventTone, type LessorEvent } from "./event-words.ts";
import classes from "./events-page.module.css";

const columns: readonly Column<LessorEvent>[] = [
  {
    key: "what",
    header: "What",
    primary: true,
    cell: (event) => (
      <span className={classes.what} data-tone={eventTone(event.type)}>
        <span>
          {eventTitle(event)}
          {eventDetail(event) !== undefined && <span className="soft"> – {eventDetail(event)}</span>}
        </span>
      </span>
    ),
    sort: eventTitle,
    text: (event) => `${eventTitle(event)} ${eventDetail(event) ?? ""}`,
  },
  {
    key: "about",
    header: "About",
    cell: (event) => {
      const instance = eventInstance(event);
      const name = eventSubject(event);
      return instance === undefined ? name : <Link href={`/instances/${instance}`}>{name}</Link>;
    },
    sort: eventSubject,
    text: (event) => `${eventSubject(event)} ${eventInstance(event) ?? ""}`,
  },
  {
    key: "type",
    header: "Type",
    whole: true,
    cell: ({ type }) => <code>{type}</code>,
    sort: ({ type }) => type,
    text: ({ type }) => type,
  },
  { key: "at", header: "When", cell: ({ timestamp }) => <Time at={timestamp} />, sort: ({ timestamp }) => timestamp },
];

export function EventsPage() {
  const { isOperator } = useSession();
  const [types, setTypes] = useState<string | null>(null);
  const read = useEvents(types ?? "");
  const newest = useMemo(() => read.events && [...read.events].reverse(), [read.events]);
  return (
    <Page title="Events" description="Newest first. The same events go to webhooks and the event stream.">
      <DataTable
        label="Events"
        columns={columns}
        rows={newest}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        tools={
          <Select
            aria-label="Event filter"
            placeholder="All events"
            data={isOperator ? [...eventGlobs, ...operatorGlobs] : [...eventGlobs]}
            value={types}
            onChange={setTypes}
            clearable
            w={200}
          />
        }
        empty={
          <EmptyState icon="event" title="No events">
            Changes of instances, keys, tokens and file systems appear here.
          </EmptyState>
        }
      />
      {read.hasNextPage && (
        <p className={classes.more}>
          These are the oldest events.{" "}
          <Button variant="default" onClick={() => void read.fetchNextPage()} loading={read.isFetchingNextPage}>
            Load newer events
          </Button>
        </p>
      )}
    </Page>
  );
}

/** The largest page of the service. */
const atOnce = 1000;
/** More pages are read on demand. */
const pagesByItself = 10;

/**
 * All events of these types (globs; empty: all), oldest first. `events` is undefined until the first pages are all read,
 * so that a list in order of time does not jump.
 */
function useEvents(types: string) {
  const { client, account } = useSession();
  const isOfNoAccount = operatorGlobs.some(({ value }) => value === types);
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
                ...(isOfNoAccount ? {} : { account_id: account.id }),
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
