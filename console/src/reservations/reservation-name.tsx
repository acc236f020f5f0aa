// The name of a reservation, as a link to all of them. Used by the page of an instance.

import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";

/** The beginning of its id while loading. */
export function ReservationName({ id }: { readonly id: string }) {
  const { account } = useSession();
  const read = useRead(["reservations", id], (client) =>
    client.GET("/reservations/{id}", { params: { path: { id } } }),
  );
  const one = read.data?.data;
  const isOwn = one === undefined || one.account_id === account.id;
  return <Link href={isOwn ? "/reservations" : "/operator/reservations"}>{one?.name ?? id.slice(0, 8)}</Link>;
}
