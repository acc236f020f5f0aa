// Whose something is: the name of an account, which leads to it. Ids alone tell operators nothing.

import { Link } from "wouter";
import { useRead } from "../api/queries.ts";

/** All accounts. One read for all names of all pages. */
export const useAccounts = () => useRead(["accounts"], (client) => client.GET("/accounts"));

/** The name of an account by its id; the beginning of the id as long as it is not known. */
export function useAccountNames(): (id: string) => string {
  const { data } = useAccounts();
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id.slice(0, 8);
}

export function AccountName({ id }: { readonly id: string }) {
  const nameOf = useAccountNames();
  return <Link href={`/operator/accounts/${id}`}>{nameOf(id)}</Link>;
}
