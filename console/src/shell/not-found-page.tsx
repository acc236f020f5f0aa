// What an address shows that no page has.

import { Button } from "@mantine/core";
import { Link } from "wouter";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <EmptyState icon="compass" title="There is nothing at this address">
        It may have been mistyped, or be a page that your token may not see.
        <Button component={Link} href="/" variant="default">
          Go to the start
        </Button>
      </EmptyState>
    </Page>
  );
}
