// The console as a whole: theme, what was read, the session, the event stream, and the page of the address.

import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, type LazyExoticComponent, Suspense, useState } from "react";
import { Redirect, Route, Switch } from "wouter";
import { EventStream } from "./api/event-stream.tsx";
import { makeQueryClient } from "./api/queries.ts";
import { SessionProvider, useSession, useSessionQuery } from "./api/session-context.tsx";
import { homeOf, pages } from "./pages.ts";
import { ErrorState } from "./shared/error-state.tsx";
import { lazyPart } from "./shared/lazy-part.ts";
import { PageSkeleton } from "./shared/page.tsx";
import { Layout } from "./shell/layout.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { SignInPage } from "./shell/sign-in-page.tsx";
import { theme } from "./theme.ts";

export function App() {
  const [queries] = useState(makeQueryClient);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      // As files instead (theme-css.ts): the Content-Security-Policy refuses what is written while the page runs.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" />
        <Entrance />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The page that was asked for, or the sign-in in its place: the address stays, so signing in leads to it. */
function Entrance() {
  const { data: session, error, refetch } = useSessionQuery();
  if (session === undefined && error !== null) return <ErrorState error={error} again={() => void refetch()} alone />;
  // A tenth of a second: an indicator would only flash.
  if (session === undefined) return null;
  if (session === null) return <SignInPage />;
  return (
    <SessionProvider session={session} key={session.account.token.id}>
      <EventStream>
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

function Pages() {
  const { scopes, isOperator } = useSession();
  const allowed = pages.filter(({ scope }) => scope === undefined || scopes.includes(scope));
  return (
    <Switch>
      <Route path="/">
        <Redirect to={homeOf(isOperator)} replace />
      </Route>
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
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
