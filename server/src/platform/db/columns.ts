import type { ValueTransformer } from 'typeorm';

/** `bigint` columns travel as text through `pg`; ours all fit a safe integer (the tables check it). */
export const bigintColumn: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value)),
  to: (value: number | null | undefined) => value,
};
