// The console of a session: the event stream, the frame, notifications, and the pages.

import { Button } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { type ComponentType, type LazyExoticComponent, Suspense } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { EventStream } from "./api/event-stream.tsx";
import type { Session } from "./api/session.ts";
import { SessionProvider, useSession } from "./api/session-context.tsx";
import { tellOfCapacity } from "./launch/capacity-toast.tsx";
import { homeOf, pages } from "./pages.ts";
import { EmptyState } from "./shared/empty-state.tsx";
import { lazyPart } from "./shared/lazy-part.ts";
import { Page, PageSkeleton } from "./shared/page.tsx";
import { Layout } from "./shell/layout.tsx";
import { OfflinePage } from "./shell/offline-page.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";

export function SignedInConsole({ session }: { readonly session: Session }) {
  return (
    <SessionProvider session={session} key={session.account.token.id}>
      <Notifications position="bottom-right" />
      <EventStream onOwnEvent={tellOfCapacity}>
        <Layout>
          <Pages />
        </Layout>
      </EventStream>
    </SessionProvider>
  );
}

const loaded = new Map<string, LazyExoticComponent<ComponentType>>(
  pages.map(({ path, load }) => [path, lazyPart(load)]),
);

/** Former paths of pages, which bookmarks still have. */
const renamed = {
  "/machines": "/instances",
  "/rent": "/launch",
  "/operator/machines": "/operator/instances",
  "/operator/trouble": "/operator/needs-attention",
  "/operator/catalogue": "/operator/catalog",
  "/operator/servers": "/operator/replicas",
};

function Pages() {
  const { scopes, isOperator } = useSession();
  const allowed = pages.filter(({ scope }) => scope === undefined || scopes.includes(scope));
  return (
    <Switch>
      {["/", "/sign-in"].map((path) => (
        <Route path={path} key={path}>
          <Redirect to={homeOf(isOperator)} replace />
        </Route>
      ))}
      {allowed.map(({ path, title }) => {
        const Page = loaded.get(path);
        if (Page === undefined) throw new Error(`BUG: no page at ${path}.`);
        return (
          <Route path={path} key={path}>
            <PageBoundary key={path}>
              <Suspense fallback={<PageSkeleton title={title} />}>
                <Page />
              </Suspense>
            </PageBoundary>
          </Route>
        );
      })}
      {Object.entries(renamed).map(([former, path]) => (
        <Route path={`${former}/*?`} key={former}>
          {({ "*": rest }) => (
            <Redirect to={`${path}${rest === undefined ? "" : `/${rest}`}${window.location.search}`} replace />
          )}
        </Route>
      ))}
      <Route path="/docs/*?">
        <OfflinePage />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

function NotFoundPage() {
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
