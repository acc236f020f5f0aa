// The names of instance types and regions: the description, with the name that programs use on hover.

import type { ReactNode } from "react";
import type { Shape } from "../../../src/client/client.ts";
import classes from "./names.module.css";

type Type = Pick<Shape<"InstanceType">, "name" | "description">;
type Region = Pick<Shape<"Region">, "name" | "description">;

/** "8x H100 (80 GB SXM5)"; the type's name where it has no description. */
export const typeTitle = ({ name, description }: Type): string => description || name;

/** "Virginia, USA (us-east-1)"; the name alone where there is no description. */
export const regionTitle = ({ name, description }: Region): string =>
  description === "" ? name : `${description} (${name})`;

/** An instance type in a table. */
export function TypeName({ type }: { readonly type: Type }) {
  return <span title={type.name}>{typeTitle(type)}</span>;
}

interface TypeCellProps {
  readonly type: Type;
  readonly region: Region;
  /** Behind the type. */
  readonly badge?: ReactNode;
}

/** An instance type and its region in a list: the type in one line, or as few as its words need. */
export function TypeCell({ type, region, badge }: TypeCellProps) {
  return (
    <div className={classes.type}>
      <TypeName type={type} />
      <div className="soft">
        <RegionName region={region} /> {badge}
      </div>
    </div>
  );
}

/** A region in a table: its name, which is short, with where it is on hover. */
export function RegionName({ region }: { readonly region: Region }) {
  return <span title={region.description}>{region.name}</span>;
}
