// The page that a sign-in link opens. It asks for a click, because programs open links of emails too, and for the address if
// another browser requested the link. The secret is in the fragment of the address, from which it is removed at once.

import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { type Session, signInByLink } from "../api/session.ts";
import { sessionKey } from "../api/session-context.tsx";
import classes from "./sign-in-page.module.css";
import { Refused } from "./sign-in-page.tsx";
import { Wordmark } from "./wordmark.tsx";

/** The secret of the link that this window was opened with, and how to forget it. */
export function useLinkSecret(): readonly [string | undefined, () => void] {
  const [secret, setSecret] = useState(takeSecret);
  useEffect(() => {
    // A link that is opened in a window that shows this page already.
    const changed = () => setSecret((before) => takeSecret() ?? before);
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return [secret, useCallback(() => setSecret(undefined), [])];
}

/** Removes it from the address. Survives a second call, which React makes in development. */
function takeSecret(): string | undefined {
  const [, found] = /^#(lessor_signin_[\w-]+)$/.exec(window.location.hash) ?? [];
  if (found === undefined || window.location.pathname !== "/sign-in") return taken;
  window.history.replaceState(null, "", "/sign-in");
  taken = found;
  return found;
}
let taken: string | undefined;

export function SignInLinkPage({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  useDocumentTitle("Sign in – Lessor");
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [confirm, setConfirm] = useState<string | undefined>();
  const done = () => {
    taken = undefined;
    navigate("/", { replace: true });
    onDone();
  };
  const entering = useMutation<Session | { readonly confirm: string }, Error, string | undefined>({
    mutationFn: (confirmed) => signInByLink(secret, confirmed),
    onSuccess: (result) => {
      if ("confirm" in result) return setConfirm(result.confirm);
      // One account must not see the reads of another.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, result);
      done();
    },
  });
  return (
    <main className={classes.ground}>
      <div className={classes.sheet}>
        <Wordmark />
        <h1 className={classes.title}>Sign in</h1>
        <div className={classes.form}>
          {confirm !== undefined && (
            <p>
              This link was requested in another browser. It signs you in as <strong>{confirm}</strong>. Continue only
              if you requested it.
            </p>
          )}
          {entering.error === null ? (
            <Button size="md" fullWidth loading={entering.isPending} onClick={() => entering.mutate(confirm)}>
              {confirm === undefined ? "Sign in" : `Sign in as ${confirm}`}
            </Button>
          ) : (
            <Refused error={entering.error} />
          )}
          {(entering.error !== null || confirm !== undefined) && (
            <Button size="md" fullWidth variant="default" onClick={done}>
              Go to sign-in
            </Button>
          )}
        </div>
      </div>
    </main>
  );
}
