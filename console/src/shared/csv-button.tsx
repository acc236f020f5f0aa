// Saves a list as CSV, as the service writes it.

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
}

export function CsvButton({ name, ask }: CsvButtonProps) {
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
  return (
    <Button variant="default" leftSection={<Icon name="download" />} loading={busy} onClick={() => void save()}>
      CSV
    </Button>
  );
}
