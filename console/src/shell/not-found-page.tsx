// What an address shows that no page has.

import { Button } from "@mantine/core";
import { Link } from "wouter";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState icon="compass" title="No page at this address">
        The address might be mistyped, or your token might not have the scope for this page.
        <Button component={Link} href="/" variant="default">
          Go to home page
        </Button>
      </EmptyState>
    </Page>
  );
}
