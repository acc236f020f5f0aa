// Keeps a page that breaks from taking the console with it: a defect, or code that could not be loaded.

import { Component, type ReactNode } from "react";
import { ErrorState } from "../shared/error-state.tsx";

interface Props {
  readonly children: ReactNode;
}

export class PageBoundary extends Component<Props, { readonly error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    // Code that is gone was replaced by a newer console: loading the page anew finds it.
    return error === null ? this.props.children : <ErrorState error={error} again={() => window.location.reload()} />;
  }
}
