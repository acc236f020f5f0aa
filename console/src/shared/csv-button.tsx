// Saves what the service writes as a file: a list as CSV, or one thing in another format.

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { type Answered, given, type LessorClient } from "../../../src/client/client.ts";
import { useSession } from "../api/session-context.tsx";
import { download } from "./download.ts";
import { Icon } from "./icon.tsx";

interface CsvButtonProps {
  /** Of the file. */
  readonly name: string;
  readonly ask: (client: LessorClient) => Promise<Answered<Blob>>;
  /** On the button; default: CSV. */
  readonly label?: string;
}

export function CsvButton({ name, ask, label = "CSV" }: CsvButtonProps) {
  const { busy, save } = useSaving(name, ask);
  return (
    <Button variant="default" leftSection={<Icon name="download" />} loading={busy} onClick={save}>
      {label}
    </Button>
  );
}

interface SaveButtonProps extends CsvButtonProps {
  readonly label: string;
  /** What it saves, for those who do not see its row. */
  readonly about: string;
}

/** In a row of a table. */
export function SaveButton({ label, about, name, ask }: SaveButtonProps) {
  const { busy, save } = useSaving(name, ask);
  return (
    <Button variant="subtle" size="xs" aria-label={`${label} of ${about}`} loading={busy} onClick={save}>
      {label}
    </Button>
  );
}

function useSaving(name: string, ask: CsvButtonProps["ask"]) {
  const { client } = useSession();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      download(await given(ask(client)), name);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      notifications.show({ color: "red", title: "Not saved", message });
    } finally {
      setBusy(false);
    }
  };
  return { busy, save: () => void save() };
}
