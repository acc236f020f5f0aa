// Every page of the console by its path, for the router and the navigation. A page's code is loaded when it is first
// opened.

import type { ComponentType } from "react";
import { operatorHome, operatorPages } from "./operator/pages.ts";
import { renterHome, renterPages } from "./renter-pages.ts";
import type { IconName } from "./shared/icon.tsx";

export interface ConsolePage {
  /** As wouter takes it: "/instances/:id". */
  readonly path: string;
  /** In the navigation and the window's title. */
  readonly title: string;
  /** Its place in the navigation; none: it is reached from another page. */
  readonly navigation?: { readonly section: string; readonly icon: IconName };
  /** Only shown to sessions whose token has this scope. */
  readonly scope?: "operator";
  readonly load: () => Promise<ComponentType>;
}

export const pages: readonly ConsolePage[] = [...renterPages, ...operatorPages];

/** Where the console opens: customers at their instances, operators at the fleet. */
export const homeOf = (isOperator: boolean): string => (isOperator ? operatorHome : renterHome);
