// The form for a webhook, new or changed.

import { Switch, TagsInput, TextInput } from "@mantine/core";
import { matches, useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { eventGlobs } from "../events/event-globs.ts";
import { FormDialog } from "../shared/form-dialog.tsx";

interface WebhookFormProps {
  /** Without it, a new one is created. */
  readonly webhook?: Shape<"Webhook">;
  readonly onClose: () => void;
  readonly onCreated?: (webhook: Shape<"MadeWebhook">) => void;
}

export function WebhookForm({ webhook, onClose, onCreated }: WebhookFormProps) {
  const form = useForm({
    initialValues: {
      url: webhook?.url ?? "https://",
      description: webhook?.description ?? "",
      event_types: webhook?.event_types ?? [],
      active: webhook?.active ?? true,
    },
    validate: { url: matches(/^\s*https?:\/\/./, "Enter an address such as https://example.com/hook.") },
  });
  const save = useChange<typeof form.values, { data: Shape<"Webhook"> | Shape<"MadeWebhook"> }>(
    (client, values) => {
      const body = { ...values, url: values.url.trim(), description: values.description.trim() };
      if (webhook === undefined) return client.POST("/webhooks", { body });
      return client.PATCH("/webhooks/{id}", { params: { path: { id: webhook.id } }, body });
    },
    ["webhooks"],
  );
  return (
    <FormDialog
      title={webhook === undefined ? "New webhook" : "Change webhook"}
      action={webhook === undefined ? "Create webhook" : "Save"}
      form={form}
      change={save}
      onClose={onClose}
      onSaved={({ data }) => {
        if ("secret" in data) onCreated?.(data);
        onClose();
      }}
    >
      <TextInput
        label="URL"
        description="A public HTTPS address"
        {...form.getInputProps("url")}
        type="url"
        data-autofocus
      />
      <TextInput label="Description" {...form.getInputProps("description")} />
      <TagsInput
        label="Events"
        description="Types such as instance.active, or groups such as instance.*. Empty: all"
        data={eventGlobs.map(({ value }) => value)}
        {...form.getInputProps("event_types")}
        clearable
      />
      <Switch
        label="Enabled"
        description="When re-enabled, delivery resumes with the next undelivered event"
        {...form.getInputProps("active", { type: "checkbox" })}
      />
    </FormDialog>
  );
}
