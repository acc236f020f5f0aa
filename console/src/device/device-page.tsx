// Confirms the sign-in of a command line: the code that it shows, and the team that its token is for.

import { Alert, Button, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useRead } from "../api/queries.ts";
import { confirmDevice, type PendingDevice } from "../api/session.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Page } from "../shared/page.tsx";
import classes from "../shell/sign-in-page.module.css";

export function DevicePage() {
  const { account } = useSession();
  const teams = useRead(["teams"], (client) => client.GET("/teams"));
  const [code, setCode] = useState("");
  const [team, setTeam] = useState<string>(account.id);
  const asking = useMutation<PendingDevice, Error, undefined>({ mutationFn: () => confirmDevice(account.id, code) });
  const confirming = useMutation<PendingDevice, Error, undefined>({
    mutationFn: () => confirmDevice(account.id, code, team),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (asking.data === undefined) asking.mutate(undefined);
    else confirming.mutate(undefined);
  };
  const error = asking.error ?? confirming.error;
  if (confirming.isSuccess) {
    return (
      <Page title="Sign in a command line">
        <Alert title="Signed in" role="status">
          Go back to the command line. Its token is on the page Tokens of the team, where you can revoke it.
        </Alert>
      </Page>
    );
  }
  if (teams.error !== null) {
    return (
      <Page title="Sign in a command line">
        <ErrorState error={teams.error} again={() => void teams.refetch()} />
      </Page>
    );
  }
  return (
    <Page title="Sign in a command line" description="Enter the code that lessor login shows.">
      <form onSubmit={submit} className={classes.form} style={{ maxWidth: 400 }}>
        <TextInput
          label="Code"
          placeholder="BCDF-GHJK"
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            asking.reset();
          }}
          autoComplete="off"
          spellCheck={false}
          required
          withAsterisk={false}
        />
        {asking.data !== undefined && (
          <>
            <p>
              lessor on <strong>{asking.data.name}</strong>, from the address {asking.data.address}, will act as you.
              Continue only if you just started it.
            </p>
            <Select
              label="Team"
              data={(teams.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              value={team}
              onChange={(chosen) => setTeam(chosen ?? account.id)}
              allowDeselect={false}
            />
          </>
        )}
        {error !== null && (
          <Alert color="red" title="Not signed in" role="alert">
            {error.message}
          </Alert>
        )}
        <Button type="submit" disabled={code.trim() === ""} loading={asking.isPending || confirming.isPending}>
          {asking.data === undefined ? "Continue" : "Sign in"}
        </Button>
      </form>
    </Page>
  );
}
