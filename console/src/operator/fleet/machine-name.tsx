// The name of a machine by its id, which leads to it; with what it is doing, where that passes.

import { Link } from "wouter";
import { useRead } from "../../api/queries.ts";

export function MachineName({ id }: { readonly id: string }) {
  const { data } = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
  return <Link href={`/operator/machines/${id}`}>{data?.data.name ?? id.slice(0, 8)}</Link>;
}
