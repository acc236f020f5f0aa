// The frame of every page: title, description, actions and content.

import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Icon } from "./icon.tsx";
import classes from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** Beside the title: a state, a name. */
  readonly beside?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The page this one belongs to. */
  readonly back?: { readonly href: string; readonly title: string };
  readonly children: ReactNode;
}

export function Page({ title, beside, description, actions, back, children }: PageProps) {
  useDocumentTitle(`${title} – Lessor`);
  return (
    <>
      {back !== undefined && (
        <Link href={back.href} className={classes.back ?? ""}>
          <Icon name="left" size={14} />
          {back.title}
        </Link>
      )}
      <header className={classes.head}>
        <div className={classes.titles}>
          <div className={classes.titleLine}>
            <h1 className={classes.title}>{title}</h1>
            {beside}
          </div>
          {description !== undefined && <p className={classes.description}>{description}</p>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A part of a page with a heading of its own. */
export function Section(props: { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={props.title}>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>{props.title}</h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

/** A page while its code loads, of its later size. */
export function PageSkeleton({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <div aria-busy="true" className={classes.waiting}>
        <Skeleton height={36} width={260} />
        <Skeleton height={280} />
      </div>
    </Page>
  );
}
