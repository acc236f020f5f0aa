// The session for every page: who is signed in, the client, and signing out. Pages render only in a session, so useSession
// always has one.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { LessorClient } from "../../../src/client/client.ts";
import { consoleClient } from "./client.ts";
import { readSession, type Session, signOut } from "./session.ts";

interface SignedIn extends Session {
  readonly client: LessorClient;
  /** Of the session's token. */
  readonly scopes: readonly ("read" | "write" | "operator")[];
  readonly mayWrite: boolean;
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
  const value = useMemo<SignedIn>(() => {
    const forget = () => {
      // One account must not see the reads of another.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, null);
    };
    const lost = () => {
      forget();
      // The session of a person may have been switched to another team in another window.
      if (session.account.person !== null) void queries.invalidateQueries({ queryKey: sessionKey });
    };
    const { scopes } = session.account.token;
    return {
      ...session,
      client: consoleClient(session.control_url, session.account.id, lost),
      scopes,
      mayWrite: scopes.includes("write"),
      isOperator: scopes.includes("operator"),
      leave: async () => {
        await signOut();
        forget();
      },
      reload: async () => {
        forget();
        await queries.invalidateQueries({ queryKey: sessionKey });
      },
    };
  }, [session, queries]);
  return <Context value={value}>{children}</Context>;
}
