// The form for a webhook, new or changed: where to, which events, and whether it is on.

import { Switch, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { useChange } from "../api/queries.ts";
import { eventGlobs } from "../events/event-globs.ts";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";

interface WebhookFormProps {
  /** Changed; without it, a new one is made. */
  readonly webhook?: Shape<"Webhook">;
  readonly onClose: () => void;
  readonly onMade?: (webhook: Shape<"MadeWebhook">) => void;
}

interface Body {
  url: string;
  description: string;
  event_types: string[];
  active: boolean;
}

export function WebhookForm({ webhook, onClose, onMade }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? "https://");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [types, setTypes] = useState<string[]>(webhook?.event_types ?? []);
  const [active, setActive] = useState(webhook?.active ?? true);
  const make = useChange((client, body: Body) => client.POST("/webhooks", { body }), ["webhooks"]);
  const change = useChange(
    (client, body: Body) => client.PATCH("/webhooks/{id}", { params: { path: { id: webhook?.id ?? "" } }, body }),
    ["webhooks"],
  );
  const saving = webhook === undefined ? make : change;
  const submit = () => {
    const body = { url: url.trim(), description: description.trim(), event_types: types, active };
    if (webhook !== undefined) change.mutate(body, { onSuccess: onClose });
    else {
      make.mutate(body, {
        onSuccess: ({ data }) => {
          onMade?.(data);
          onClose();
        },
      });
    }
  };
  return (
    <FormDialog
      title={webhook === undefined ? "New webhook" : "Change webhook"}
      action={webhook === undefined ? "Create webhook" : "Save"}
      onClose={onClose}
      onSubmit={submit}
      disabled={!/^https?:\/\/./.test(url.trim())}
      pending={saving.isPending}
      error={saving.error}
    >
      <TextInput
        label="URL"
        description="A public HTTPS address"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={fieldError(saving.error, "url")}
        type="url"
        data-autofocus
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={fieldError(saving.error, "description")}
      />
      <TagsInput
        label="Events"
        description="Types such as instance.active, or groups such as instance.*. Empty: all"
        data={eventGlobs.map(({ value }) => value)}
        value={types}
        onChange={setTypes}
        error={fieldError(saving.error, "event_types")}
        clearable
      />
      <Switch
        label="Enabled"
        description="When re-enabled, delivery resumes with the next undelivered event"
        checked={active}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
