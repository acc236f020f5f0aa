// What happened to an instance, newest first.

import { Skeleton } from "@mantine/core";
import { useRead } from "../api/queries.ts";
import { eventDetail, eventTitle, eventTone } from "../events/event-words.ts";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Time } from "../shared/time.tsx";
import classes from "./instance-page.module.css";

/** Enough for many restarts. */
const most = 1000;

export function InstanceHistory({ id }: { readonly id: string }) {
  const read = useRead(["events", "of", id], (client) =>
    client.GET("/events", { params: { query: { instance_id: id, limit: most } } }),
  );
  if (read.data === undefined) {
    if (read.error !== null) return <ErrorState error={read.error} again={() => void read.refetch()} />;
    return <Skeleton height={180} aria-busy="true" />;
  }
  const events = [...read.data.data].reverse();
  if (events.length === 0) {
    return (
      <EmptyState icon="event" title="No events">
        Events of this instance are older than the retention period.
      </EmptyState>
    );
  }
  return (
    <ol className={classes.history} aria-label="History">
      {events.map((event) => (
        <li key={event.id} data-tone={eventTone(event.type)}>
          <span className={classes.what}>
            {eventTitle(event)}
            {eventDetail(event) !== undefined && <span className="soft"> – {eventDetail(event)}</span>}
          </span>
          <span className="soft">
            <Time at={event.timestamp} />
          </span>
        </li>
      ))}
    </ol>
  );
}
