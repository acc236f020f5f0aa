// The console before sign-in: theme, cached reads, the session and the sign-in page. The rest (signed-in.tsx) is loaded
// when there is a session, so the sign-in page is usable early.

import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { makeQueryClient } from "./api/queries.ts";
import { useSessionQuery } from "./api/session-context.tsx";
import classes from "./app.module.css";
import { ErrorState } from "./shared/error-state.tsx";
import { lazyPart } from "./shared/lazy-part.ts";
import { DocumentationLinks, isDocumentation } from "./shell/documentation-links.tsx";
import { OfflinePage } from "./shell/offline-page.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { SignInLinkPage, useLinkSecret } from "./shell/sign-in-link-page.tsx";
import { SignInPage } from "./shell/sign-in-page.tsx";
import { joinPath } from "./team/join-link.ts";
import { theme } from "./theme.ts";

export function App() {
  const [queries] = useState(makeQueryClient);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      // As files instead (theme-css.ts): the Content-Security-Policy blocks styles written at run time.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <Entrance />
      </QueryClientProvider>
    </MantineProvider>
  );
}

const loadSignedIn = async () => (await import("./signed-in.tsx")).SignedInConsole;
const SignedInConsole = lazyPart(loadSignedIn);
const JoinPage = lazyPart(async () => (await import("./shell/join-page.tsx")).JoinPage);

/** The requested page, or the sign-in page at its address. */
function Entrance() {
  const { data: session, error, refetch } = useSessionQuery();
  const [location] = useLocation();
  const [secret, forgetSecret] = useLinkSecret();
  if (secret !== undefined) return <SignInLinkPage key={secret} secret={secret} onDone={forgetSecret} />;
  if (location === joinPath)
    return (
      <PageBoundary>
        <Suspense fallback={null}>
          <JoinPage />
        </Suspense>
      </PageBoundary>
    );
  if ((session === undefined ? error !== null : session === null) && isDocumentation(location))
    return (
      <main className={classes.alone}>
        <OfflinePage />
        <DocumentationLinks alone />
      </main>
    );
  if (session === undefined && error !== null)
    return (
      <>
        <ErrorState error={error} again={() => void refetch()} alone />
        <DocumentationLinks alone />
      </>
    );
  // Takes a tenth of a second: an indicator would only flash.
  if (session === undefined) return null;
  if (session === null) return <SignIn />;
  return (
    <PageBoundary key={session.account.token.id}>
      <Suspense fallback={null}>
        <SignedInConsole session={session} />
      </Suspense>
    </PageBoundary>
  );
}

/** While a token is typed, and not before, the rest of the console is loaded. */
function SignIn() {
  useEffect(() => {
    // If it cannot be loaded now, it is retried when it is needed.
    const prepare = () => void loadSignedIn().catch(() => {});
    document.addEventListener("input", prepare, { once: true });
    return () => document.removeEventListener("input", prepare);
  }, []);
  return <SignInPage />;
}
