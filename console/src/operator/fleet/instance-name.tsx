// The name of an instance, as a link to its page. Used by the drawer of a host (host-drawer.tsx, host-partitions.tsx).

import { Link } from "wouter";
import { useRead } from "../../api/queries.ts";
import { nameShown } from "../../shared/readable-name.ts";

export function InstanceName({ id }: { readonly id: string }) {
  const { data } = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
  return <Link href={`/operator/instances/${id}`}>{data === undefined ? id.slice(0, 8) : nameShown(data.data)}</Link>;
}
