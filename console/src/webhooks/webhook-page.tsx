// One webhook: its state, its secret, a test, and its deliveries.

import { Alert, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { LessorError, type Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Facts } from "../shared/facts.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page, PageSkeleton, Section } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";
import { WebhookState } from "./webhooks-page.tsx";

type Webhook = Shape<"Webhook">;

const back = { href: "/webhooks", title: "Webhooks" };

export function WebhookPage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(["webhooks", id], (client) => client.GET("/webhooks/{id}", { params: { path: { id } } }));
  if (read.data === undefined) {
    if (read.error === null) return <PageSkeleton title="Webhook" />;
    const gone = read.error instanceof LessorError && read.error.status < 500;
    return (
      <Page title={gone ? "Webhook not found" : "Webhook"} back={back}>
        <ErrorState error={read.error} {...(gone ? {} : { again: () => void read.refetch() })} />
      </Page>
    );
  }
  return <OneWebhook webhook={read.data.data} />;
}

type Asking = "change" | "rotate" | "delete";

function OneWebhook({ webhook }: { readonly webhook: Webhook }) {
  const { may } = useSession();
  const [asking, setAsking] = useState<Asking | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const close = () => setAsking(undefined);
  const params = { path: { id: webhook.id } };
  const test = useChange((client, _input: undefined) => client.POST("/webhooks/{id}/test", { params }), ["webhooks"]);
  const sendTest = () =>
    test.mutate(undefined, {
      onSuccess: () => notifications.show({ message: "Test sent. It is the first delivery below." }),
      onError: (error) => notifications.show({ color: "red", title: "Test not sent", message: error.message }),
    });
  return (
    <Page
      title={webhook.description || "Webhook"}
      back={back}
      beside={<WebhookState webhook={webhook} />}
      actions={
        may("tokens") && (
          <>
            <Button variant="default" onClick={sendTest} loading={test.isPending} leftSection={<Icon name="send" />}>
              Send test
            </Button>
            <Button variant="default" onClick={() => setAsking("change")} leftSection={<Icon name="edit" />}>
              Change
            </Button>
            <Button variant="default" onClick={() => setAsking("rotate")} leftSection={<Icon name="key" />}>
              Rotate secret
            </Button>
            <Button variant="light" color="red" onClick={() => setAsking("delete")} leftSection={<Icon name="trash" />}>
              Delete
            </Button>
          </>
        )
      }
    >
      {webhook.disabled_reason !== null && (
        <Alert color="red" title="Webhook disabled" mb="lg">
          {webhook.disabled_reason === "gone" ? "Its target returned 410 Gone." : "No delivery succeeded for a day."}{" "}
          When re-enabled, delivery resumes with the next undelivered event.
        </Alert>
      )}
      <Facts
        facts={[
          { name: "URL", value: <Copyable value={webhook.url} label="URL" /> },
          { name: "Events", value: webhook.event_types.length === 0 ? "all" : webhook.event_types.join(", ") },
          { name: "Pending", value: formatNumber(webhook.pending_deliveries) },
          { name: "Failing since", value: <Time at={webhook.failing_since} never="not" /> },
          { name: "Last failure", value: failureText(webhook) },
          { name: "Paused until", value: <Time at={webhook.paused_until} never="not" /> },
          { name: "Previous secret valid until", value: <Time at={webhook.previous_secret_until} never="none" /> },
          { name: "Created", value: <Time at={webhook.created_at} /> },
          { name: "Id", value: <Copyable value={webhook.id} label="id" /> },
        ]}
      />
      <Section title="Deliveries">
        <Deliveries webhookId={webhook.id} />
      </Section>
      {asking === "change" && <WebhookForm webhook={webhook} onClose={close} />}
      {asking === "rotate" && <Rotate webhook={webhook} onClose={close} onRotated={setSecret} />}
      {asking === "delete" && <Delete webhook={webhook} onClose={close} />}
      {secret !== undefined && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}

/** Labels as in the delivery log. */
function failureText({ last_failure: failure }: Webhook): string {
  if (failure === null) return "none";
  return failure.status_code === null ? failure.error.replaceAll("_", " ") : `HTTP ${failure.status_code}`;
}

interface RotateProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onRotated: (secret: string) => void;
}

function Rotate({ webhook, onClose, onRotated }: RotateProps) {
  const rotate = useChange(
    (client, _input: undefined) =>
      client.POST("/webhooks/{id}/rotate-secret", { params: { path: { id: webhook.id } }, body: {} }),
    ["webhooks"],
  );
  const confirm = () =>
    rotate.mutate(undefined, {
      onSuccess: ({ data }) => {
        onRotated(data.secret);
        onClose();
      },
    });
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title="Rotate the secret?"
      action="Rotate secret"
      onConfirm={confirm}
      pending={rotate.isPending}
      error={rotate.error}
    >
      <p>
        For a day, deliveries are signed with both the new and the current secret. Then the current secret stops
        working.
      </p>
    </ConfirmTyped>
  );
}

function Delete({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/webhooks/{id}", { params: { path: { id: webhook.id } } }),
    ["webhooks"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title="Delete this webhook?"
      word="delete"
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate("/webhooks") })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>
        <code>{webhook.url}</code> gets no more events. Its secret, its delivery log and{" "}
        {formatNumber(webhook.pending_deliveries)} pending deliveries are deleted.
      </p>
    </ConfirmTyped>
  );
}
