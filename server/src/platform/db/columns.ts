import type { ValueTransformer } from 'typeorm';

/** `pg` returns `bigint` columns as text. All values here are safe integers, which the tables check. */
export const bigintColumn: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value)),
  to: (value: number | null | undefined) => value,
};
