// Signing in with a token, at the address of the requested page. The token is sent once, in a request body, and is neither
// stored nor put into an address.

import { Alert, Button, PasswordInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { LessorError } from "../../../src/client/client.ts";
import { signIn } from "../api/session.ts";
import { sessionKey } from "../api/session-context.tsx";
import { DocumentationLinks } from "./documentation-links.tsx";
import classes from "./sign-in-page.module.css";
import { Wordmark } from "./wordmark.tsx";

export function SignInPage() {
  useDocumentTitle("Sign in – Lessor");
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const entering = useMutation<Awaited<ReturnType<typeof signIn>>, Error, string>({
    mutationFn: signIn,
    onSuccess: (session) => queries.setQueryData(sessionKey, session),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    entering.mutate(token.trim());
  };
  return (
    <main className={classes.ground}>
      <div className={classes.sheet}>
        <Wordmark />
        <h1 className={classes.title}>Sign in</h1>
        <form onSubmit={submit} className={classes.form}>
          <PasswordInput
            label="Token"
            placeholder="lessor_…"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            autoComplete="current-password"
            spellCheck={false}
            autoFocus
            required
            withAsterisk={false}
            size="md"
          />
          {entering.error !== null && <Refused error={entering.error} />}
          <Button type="submit" size="md" fullWidth loading={entering.isPending} disabled={token.trim() === ""}>
            Sign in
          </Button>
        </form>
        <p className={classes.hint}>
          Your provider gives you the first token. It is exchanged for a session in this browser and not stored. You can
          create more tokens in the console.
        </p>
        <DocumentationLinks alone />
      </div>
    </main>
  );
}

function Refused({ error }: { readonly error: Error }) {
  const [title, text] =
    error instanceof LessorError
      ? error.status === 401
        ? ["This token is not valid", "It might be expired, revoked or incomplete."]
        : [error.message, error.suggestion]
      : ["The service can't be reached", "Check your connection and try again."];
  return (
    <Alert color="red" title={title} role="alert">
      {text}
    </Alert>
  );
}
