// Signing in with a token or by email, at the address of the requested page. The token is sent once, in a request body, and
// is neither stored nor put into an address.

import { Alert, Button, Divider, PasswordInput, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { LessorError } from "../../../src/client/client.ts";
import { leaveForProvider, requestLink, type SignInWays, signIn, signInWays } from "../api/session.ts";
import { sessionKey } from "../api/session-context.tsx";
import { DocumentationLinks } from "./documentation-links.tsx";
import classes from "./sign-in-page.module.css";
import { Wordmark } from "./wordmark.tsx";

export function SignInPage() {
  useDocumentTitle("Sign in – Lessor");
  // Until then only a moment passes; without a response the token remains.
  const ways = useQuery({ queryKey: ["sign-in-ways"], queryFn: signInWays, retry: false });
  const links = ways.data?.links === true;
  const providers = ways.data?.providers ?? [];
  const [failure] = useState(takeFailure);
  return (
    <main className={classes.ground}>
      <div className={classes.sheet}>
        <Wordmark />
        <h1 className={classes.title}>Sign in</h1>
        {failure !== undefined && (
          <Alert color="red" title="You are not signed in" role="alert" mb="md">
            {failure}
          </Alert>
        )}
        {providers.length > 0 && <ByProvider providers={providers} />}
        {links && (
          <>
            {providers.length > 0 && <Divider my="lg" label="or by email" />}
            <ByEmail second={providers.length > 0} />
          </>
        )}
        {(links || providers.length > 0) && <Divider my="lg" label="or with a token" />}
        {!ways.isPending && <ByToken second={links || providers.length > 0} />}
        <DocumentationLinks alone />
      </div>
    </main>
  );
}

const failures: Readonly<Record<string, string>> = {
  expired: "The sign-in took too long, or was begun in another browser. Try again.",
  unreachable: "The provider did not respond. Try again later.",
  denied: "The provider did not sign you in.",
  invalid: "The response of the provider is not valid. Try again.",
  suspended: "Sign in again with your other provider: it no longer confirms your access.",
  unknown: "You are in no team. Ask the owner of your team to invite you.",
};

/** Why a sign-in at a provider failed, taken out of the address. */
function takeFailure(): string | undefined {
  const [, reason] = /^#failed=(\w+)$/.exec(window.location.hash) ?? [];
  if (reason === undefined) return undefined;
  return failures[reason] ?? failures.invalid;
}

function ByProvider({ providers }: Pick<SignInWays, "providers">) {
  const leaving = useMutation<void, Error, string>({ mutationFn: leaveForProvider });
  return (
    <div className={classes.form}>
      {providers.map(({ id, label }) => (
        <Button
          key={id}
          size="md"
          fullWidth
          loading={leaving.isPending && leaving.variables === id}
          onClick={() => leaving.mutate(id)}
        >
          Sign in with {label}
        </Button>
      ))}
      {leaving.error !== null && (
        <Alert color="red" title="You are not signed in" role="alert">
          {failures.unreachable}
        </Alert>
      )}
    </div>
  );
}

/** `second`: there is another way above. */
function ByEmail({ second }: { readonly second: boolean }) {
  const [email, setEmail] = useState("");
  const requesting = useMutation<void, Error, string>({ mutationFn: requestLink });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    requesting.mutate(email.trim());
  };
  if (requesting.isSuccess) {
    return (
      <Alert title="Check your email" role="status">
        If a person has the address {requesting.variables}, a link is on its way. It works once, within 15 minutes.
      </Alert>
    );
  }
  return (
    <form onSubmit={submit} className={classes.form}>
      <TextInput
        type="email"
        label="Email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        autoComplete="email"
        autoFocus={!second}
        required
        withAsterisk={false}
        size="md"
      />
      {requesting.error !== null && <Refused error={requesting.error} />}
      <Button
        type="submit"
        size="md"
        fullWidth
        variant={second ? "default" : "filled"}
        loading={requesting.isPending}
        disabled={email.trim() === ""}
      >
        Email me a link
      </Button>
    </form>
  );
}

/** `second`: there is another way above. */
function ByToken({ second }: { readonly second: boolean }) {
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
    <>
      <form onSubmit={submit} className={classes.form}>
        <PasswordInput
          label="Token"
          placeholder="lessor_…"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          autoComplete="current-password"
          spellCheck={false}
          autoFocus={!second}
          required
          withAsterisk={false}
          size="md"
        />
        {entering.error !== null && <Refused error={entering.error} />}
        <Button
          type="submit"
          size="md"
          fullWidth
          variant={second ? "default" : "filled"}
          loading={entering.isPending}
          disabled={token.trim() === ""}
        >
          Sign in
        </Button>
      </form>
      <p className={classes.hint}>
        Your provider gives you the first token. It is exchanged for a session in this browser and not stored. You can
        create more tokens in the console.
      </p>
    </>
  );
}

/** Why a sign-in failed. */
export function Refused({ error }: { readonly error: Error }) {
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
