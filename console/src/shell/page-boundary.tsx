// Keeps a page that fails, through a defect or missing code, from taking the console with it.

import { Component, type ReactNode } from "react";
import { ErrorState } from "../shared/error-state.tsx";
import { CodeNotLoaded } from "../shared/lazy-part.ts";
import { OfflinePage } from "./offline-page.tsx";

interface Props {
  readonly children: ReactNode;
}

export class PageBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (error instanceof CodeNotLoaded) return <OfflinePage error={error} />;
    return <ErrorState error={error} again={() => window.location.reload()} />;
  }
}
