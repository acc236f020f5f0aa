// Accepts an invitation: as a new person, or as the person of a token of another team, or of this browser's session. The secret
// comes in the fragment of the address, which is sent to no server, and is taken out of it; or it is pasted.
// Invariant: secrets and tokens are sent in bodies and headers only, and with the session of this browser only if its person is
// chosen.

import { Alert, Button, PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useLocation } from "wouter";
import { LessorError, type Shape } from "../../../src/client/client.ts";
import { acceptInvitation, signIn, switchSession } from "../api/session.ts";
import { sessionKey, useSessionQuery } from "../api/session-context.tsx";
import { CopyableBlock } from "../shared/copyable.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { submitted, unplacedError } from "../shared/form-dialog.tsx";
import { Icon } from "../shared/icon.tsx";
import { secretIn } from "../team/join-link.ts";
import { DocumentationLinks } from "./documentation-links.tsx";
import classes from "./sign-in-page.module.css";
import { Wordmark } from "./wordmark.tsx";

export function JoinPage() {
  useDocumentTitle("Join a team – Lessor");
  const [joined, setJoined] = useState<Shape<"Joined">>();
  return (
    <main className={classes.ground}>
      <div className={classes.sheet}>
        <Wordmark />
        {joined === undefined ? <Invitation onJoined={setJoined} /> : <Joined joined={joined} />}
        <DocumentationLinks alone />
      </div>
    </main>
  );
}

/** Tells of the secret in the address, also of one that is opened later. Not kept in it: it would stay in the history. */
function useSecretOfAddress(onSecret: (secret: string) => void): void {
  const tell = useEffectEvent(onSecret);
  useEffect(() => {
    const take = () => {
      const secret = secretIn(window.location.hash);
      if (secret === "") return;
      window.history.replaceState(null, "", window.location.pathname);
      tell(secret);
    };
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
}

const persons = [
  { value: "new", label: "I'm new here" },
  { value: "known", label: "I have a token" },
];

/** Who signed in in this browser: the account that the session acts in, and the name of its person. */
interface Present {
  readonly accountId: string;
  readonly personId: string;
  readonly name: string;
}

/** Undefined: no person did. */
function usePresent(): Present | undefined {
  const account = useSessionQuery().data?.account;
  return account?.person
    ? { accountId: account.id, personId: account.person.id, name: account.person.name }
    : undefined;
}

function Invitation({ onJoined }: { readonly onJoined: (joined: Shape<"Joined">) => void }) {
  const present = usePresent();
  /** Until it is chosen: who is signed in. */
  const whoOf = (chosen: string) => chosen || (present === undefined ? "new" : "present");
  const form = useForm({
    initialValues: { secret: "", as: "", name: "", token: "" },
    validate: {
      secret: (given) => (given.trim() === "" ? "Paste the secret of your invitation." : null),
      name: (given, values) => (whoOf(values.as) === "new" && given.trim() === "" ? "Enter your name." : null),
      token: (given, values) =>
        whoOf(values.as) === "known" && given.trim() === "" ? "Enter a token of yours." : null,
    },
  });
  const as = whoOf(form.values.as);
  useSecretOfAddress((secret) => form.setFieldValue("secret", secret));
  const accept = useMutation<Shape<"Joined">, Error, typeof form.values>({
    mutationFn: ({ secret: given, name, token }) =>
      as === "new"
        ? acceptInvitation({ secret: given.trim(), name: name.trim() }, undefined)
        : acceptInvitation({ secret: given.trim() }, as === "present" ? present : { token: token.trim() }),
  });
  return (
    <>
      <h1 className={classes.title}>Join a team</h1>
      <form onSubmit={submitted(form, accept, onJoined)} className={classes.form} noValidate>
        <PasswordInput
          label="Secret of your invitation"
          placeholder="lessor_invite_…"
          {...form.getInputProps("secret")}
          autoComplete="off"
          spellCheck={false}
          size="md"
        />
        <SegmentedControl
          aria-label="Who you are"
          data={present === undefined ? persons : [{ value: "present", label: `I'm ${present.name}` }, ...persons]}
          fullWidth
          {...form.getInputProps("as")}
          value={as}
        />
        {as === "new" && (
          <TextInput
            label="Your name"
            description="The people of the team see it."
            {...form.getInputProps("name")}
            autoComplete="name"
            maxLength={64}
            size="md"
          />
        )}
        {as === "known" && (
          <PasswordInput
            label="Your token of another team"
            description="Create one on the page Tokens. You are the same person in both teams, and neither team sees the other."
            placeholder="lessor_…"
            {...form.getInputProps("token")}
            autoComplete="off"
            spellCheck={false}
            size="md"
          />
        )}
        <ErrorNote error={unplacedError(accept.error, form.values)} />
        <Button type="submit" size="md" fullWidth loading={accept.isPending}>
          Accept invitation
        </Button>
      </form>
      <p className={classes.hint}>
        An invitation can be accepted once. If the response is lost, ask for a new one. On the command line, use{" "}
        <code>lessor invitations accept</code>.
      </p>
    </>
  );
}

function Joined({ joined: { account, member, token } }: { readonly joined: Shape<"Joined"> }) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const present = usePresent();
  const isPresent = present?.personId === member.id;
  const enter = useMutation({
    mutationFn: async () => {
      if (!isPresent) return signIn(token.token);
      return switchSession(present.accountId, account.id).catch((error: unknown) => {
        // A session of a token stays in its team.
        if (error instanceof LessorError && error.status === 409) return signIn(token.token);
        throw error;
      });
    },
    onSuccess: (session) => {
      // The browser may have had a session of another account.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, session);
      navigate("/");
    },
  });
  return (
    <>
      <h1 className={classes.title}>You joined {account.name}</h1>
      <div className={classes.form} role="status">
        <p className={classes.words}>
          Your role is {member.role}. This token is yours, for this team.{" "}
          {isPresent ? "Programs use it; you go on in your session." : "You sign in with it."}
        </p>
        <Alert color="amber" title="This token is shown only now" icon={<Icon name="warning" />}>
          Save it now. You can't view it again.
        </Alert>
        <CopyableBlock value={token.token} label="token" />
        <ErrorNote error={enter.error} />
        <Button size="md" fullWidth loading={enter.isPending} onClick={() => enter.mutate()}>
          I've saved it, open the console
        </Button>
      </div>
    </>
  );
}
