// What replaces a page that cannot be loaded while the connection is down. When it is back the console is reloaded at the
// same address, because browsers remember that code could not be loaded.

import { Button } from "@mantine/core";
import { useCallback, useEffect, useState } from "react";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Page } from "../shared/page.tsx";

const againMilliseconds = 3_000;

/** `error`: why the code of a page of the console could not be loaded. */
export function OfflinePage({ error }: { readonly error?: Error }) {
  const [state, setState] = useState<"looking" | "offline" | "defect">("looking");
  const look = useCallback(async () => {
    const reached = await isReached();
    // Reached immediately: the code itself is gone. Reloading by itself could go on for ever. Documentation has
    // no code here.
    if (reached && error === undefined) window.location.reload();
    setState((former) => (reached ? (former === "offline" ? "offline" : "defect") : "offline"));
    return reached;
  }, [error]);
  const reload = useCallback(async () => {
    if (await look()) window.location.reload();
  }, [look]);
  useEffect(() => {
    if (state === "looking") void look();
    if (state !== "offline") return;
    const timer = window.setInterval(() => void reload(), againMilliseconds);
    const online = () => void reload();
    window.addEventListener("online", online);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("online", online);
    };
  }, [state, look, reload]);

  if (state === "looking") return null;
  if (state === "defect")
    return error === undefined ? null : <ErrorState error={error} again={() => window.location.reload()} />;
  return (
    <Page title="You're offline">
      <EmptyState icon="offline" title="This page can't be loaded">
        It opens when the connection is back.
        <Button variant="default" onClick={() => void reload()}>
          Try again
        </Button>
      </EmptyState>
    </Page>
  );
}

/** Whether the service responds. */
async function isReached(): Promise<boolean> {
  return fetch("/", { method: "HEAD", cache: "no-store" }).then(
    () => true,
    () => false,
  );
}
