// The name of an account, as a link to its page.

import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import classes from "./words.module.css";

/** All accounts. One read for all names of all pages. */
export const useAccounts = () => useRead(["accounts"], (client) => client.GET("/accounts"));

/** The name of an account by its id; the beginning of the id while loading. */
export function useAccountNames(): (id: string) => string {
  const { data } = useAccounts();
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id.slice(0, 8);
}

/** `id` of an account. One newer than the list is read by itself. */
export function AccountName({ id }: { readonly id: string }) {
  const { data } = useAccounts();
  const listed = data?.data.find((account) => account.id === id);
  const read = useRead(["accounts", id], (client) => client.GET("/accounts/{id}", { params: { path: { id } } }), {
    enabled: data !== undefined && listed === undefined,
  });
  const name = listed?.name ?? read.data?.data.name ?? id.slice(0, 8);
  return (
    <Link href={`/operator/accounts/${id}`} className={classes.whole ?? ""}>
      {name}
    </Link>
  );
}
