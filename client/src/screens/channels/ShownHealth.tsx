import { skipToken, useQuery } from '@apollo/client/react';
import { createContext, useContext, useMemo, type FunctionComponent, type ReactNode } from 'react';
import { ChannelHealthDocument, type ChannelHealthRowFragment } from '../../nouns/health/channelHealth.generated.js';
import type { ChannelListRow } from './channelRows.js';

/** Columns that show the health of channels in the last hour. */
export const healthFields = ['failureRate', 'served', 'rescued', 'lastError'] as const;

/** In a context, so that new figures draw these cells and not the whole list again. */
const Healths = createContext<ReadonlyMap<number, ChannelHealthRowFragment>>(new Map());

/** Milliseconds. */
const refreshEvery = 60_000;

/** Loads the health of the shown channels, in one query for the page, while a column shows it. */
export function ShownHealth({
  rows,
  shown,
  children,
}: {
  readonly rows: readonly ChannelListRow[] | undefined;
  /** The fields of shown columns. */
  readonly shown: ReadonlySet<string>;
  readonly children: ReactNode;
}) {
  const ids = rows?.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])).sort((one, other) => one - other) ?? [];
  const isAsked = ids.length > 0 && healthFields.some((field) => shown.has(field));
  const { data, previousData } = useQuery(
    ChannelHealthDocument,
    isAsked ? { variables: { window: 'HOUR', channelIds: ids }, pollInterval: refreshEvery } : skipToken,
  );
  const list = (data ?? previousData)?.channelHealth.rows;
  const healths = useMemo(() => new Map(list?.map((row) => [row.channelId, row])), [list]);
  return <Healths value={healths}>{children}</Healths>;
}

/** A cell with the health of a channel. */
export function HealthOf({
  id,
  Cell,
}: {
  readonly id: number;
  readonly Cell: FunctionComponent<{ health: ChannelHealthRowFragment | undefined }>;
}) {
  return <Cell health={useContext(Healths).get(id)} />;
}
