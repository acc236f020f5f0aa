// The names of the objects of an audit entry, for ids in a list of the account or of all accounts.

import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { isId } from "../shared/short-id.tsx";

export interface NamedObject {
  /** Undefined: unknown. */
  readonly name: string | undefined;
  /** Undefined: the entry names it, and no more is known. */
  readonly id: string | undefined;
  /** "instance". */
  readonly kind: string;
  /** Its page. */
  readonly href?: string;
}

export type Named = ReadonlyMap<string, NamedObject>;

interface Listed {
  readonly id: string;
  readonly name: string;
}

/** Names by id. `all`: of all accounts, for operators. */
export function useObjectNames(all: boolean): Named {
  const { account } = useSession();
  const instances = useRead(["instances", all ? "all" : "own"], (client) =>
    client.GET("/instances", all ? {} : { params: { query: { account_id: account.id } } }),
  ).data?.data;
  const accounts = useRead(["accounts"], (client) => client.GET("/accounts"), { enabled: all }).data?.data;
  const tokens = useRead(["tokens"], (client) => client.GET("/tokens")).data?.data;
  const keys = useRead(["ssh-keys"], (client) => client.GET("/ssh-keys")).data?.data;
  const fileSystems = useRead(["file-systems"], (client) => client.GET("/file-systems")).data?.data;
  const webhooks = useRead(["webhooks"], (client) => client.GET("/webhooks")).data?.data;
  const before = all ? "/operator" : "";
  return new Map([
    ...named("instance", instances, ({ id }) => `${before}/instances/${id}`),
    ...named("account", accounts, ({ id }) => `/operator/accounts/${id}`),
    ...named("token", tokens),
    ...named("SSH key", keys),
    ...named("file system", fileSystems),
    ...named(
      "webhook",
      webhooks?.map(({ id, url }) => ({ id, name: url })),
      ({ id }) => `/webhooks/${id}`,
    ),
  ]);
}

const named = (kind: string, list: readonly Listed[] = [], hrefOf?: (one: Listed) => string) =>
  list.map((one): [string, NamedObject] => [
    one.id,
    { name: one.name, id: one.id, kind, ...(hrefOf && { href: hrefOf(one) }) },
  ]);

/**
 * The objects of an entry: those with known names first, unknown ids last. A name that the request gave to one of them is not
 * repeated.
 */
export function objectsOf(objects: readonly string[], names: Named): readonly NamedObject[] {
  const known = objects.flatMap((one) => names.get(one) ?? []);
  const said = new Set(known.map(({ name }) => name));
  const others = objects.filter((one) => !names.has(one) && !said.has(one));
  return [
    ...known,
    ...others.filter((one) => !isId(one)).map((name) => ({ name, id: undefined, kind: "object" })),
    ...others.filter(isId).map((id) => ({ name: undefined, id, kind: "object" })),
  ];
}
