// The session for every page: who is signed in, the client, and signing out. Pages render only in a session, so useSession
// always has one.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { LessorClient, Shape } from "../../../src/client/client.ts";
import type { Right } from "../../../src/rules/roles.ts";
import { consoleClient } from "./client.ts";
import { lackOf, type Scope } from "./rights.ts";
import { readSession, type Session, signOut } from "./session.ts";

interface SignedIn extends Session {
  readonly client: LessorClient;
  /** Of the session's token. */
  readonly scopes: readonly Scope[];
  /** Whose token it is; null: of the team itself. */
  readonly person: Shape<"Member"> | null;
  /** Why this session may not do what needs the right, with the scope `write` unless told; undefined: it may. */
  readonly lack: (right: Right, scope?: Scope) => string | undefined;
  /** Whether it may. */
  readonly may: (right: Right, scope?: Scope) => boolean;
  readonly isOperator: boolean;
  /** Ends the session here and on the server. */
  readonly leave: () => Promise<void>;
  /** Reads the session again, which acts in another team now. */
  readonly reload: () => Promise<void>;
}

export const sessionKey = ["session"] as const;

const Context = createContext<SignedIn | undefined>(undefined);

/** The session of this page. */
export function useSession(): SignedIn {
  const session = useContext(Context);
  if (session === undefined) throw new Error("BUG: a page outside of a session.");
  return session;
}

/** The session of this browser: null when signed out. */
export function useSessionQuery() {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: Number.POSITIVE_INFINITY, retry: 1 });
}

export function SessionProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { control_url: controlUrl, account } = session;
  const [accountId, isOfPerson] = [account.id, account.person !== null];
  // Not again for a session that was only read again: the event stream would begin anew.
  const connection = useMemo(() => {
    const forget = () => {
      // One account must not see the reads of another.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, null);
    };
    const lost = () => {
      forget();
      // The session of a person may have been switched to another team in another window.
      if (isOfPerson) void queries.invalidateQueries({ queryKey: sessionKey });
    };
    return {
      client: consoleClient(controlUrl, accountId, lost),
      leave: async () => {
        await signOut();
        forget();
      },
      reload: async () => {
        forget();
        await queries.invalidateQueries({ queryKey: sessionKey });
      },
    };
  }, [controlUrl, accountId, isOfPerson, queries]);
  const value = useMemo<SignedIn>(() => {
    const { token, person } = session.account;
    const { scopes, operator_role: operatorRole } = token;
    const lack = (right: Right, scope?: Scope) =>
      lackOf({ scopes, role: person?.role ?? null, operatorRole }, right, scope);
    return {
      ...session,
      ...connection,
      scopes,
      person,
      lack,
      may: (right, scope) => lack(right, scope) === undefined,
      isOperator: scopes.includes("operator"),
    };
  }, [session, connection]);
  return <Context value={value}>{children}</Context>;
}
