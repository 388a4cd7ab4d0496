import type { ChannelsByTagQuery, ChannelRowFragment } from './channels.generated.js';

/** The head row of a tag, for all channels with that tag. */
export interface TagRow {
  /** `tag:` and the tag: never the id of a channel. */
  readonly id: string;
  readonly tagOf: string;
  readonly open: boolean;
  readonly channels: readonly ChannelRowFragment[];
}

/** A channel; `nested` below the row of its tag. */
export type ChannelItem = ChannelRowFragment & { readonly nested?: boolean };
export type ChannelListRow = ChannelItem | TagRow;

export const isTagRow = (row: ChannelListRow): row is TagRow => 'tagOf' in row;

/** Returns the entries as rows. The row of an open tag is followed by its channels. */
export function rowsByTag(
  entries: Readonly<ChannelsByTagQuery['channelsByTag']['items']>,
  open: ReadonlySet<string>,
): ChannelListRow[] {
  return entries.flatMap<ChannelListRow>(({ tag, channels }) => {
    if (!tag) return channels;
    const row: TagRow = { id: `tag:${tag}`, tagOf: tag, open: open.has(tag), channels };
    return row.open ? [row, ...channels.map((channel) => ({ ...channel, nested: true }))] : [row];
  });
}

export const enabledCount = ({ channels }: TagRow): number =>
  channels.filter(({ status }) => status === 'ENABLED').length;

/** Mean response time of the channels that passed their test in milliseconds; 0 when none passed. */
export function meanResponse({ channels }: TagRow): number {
  const tested = channels.flatMap(({ lastTest }) => (lastTest && !lastTest.error ? lastTest.milliseconds : []));
  return tested.length === 0 ? 0 : tested.reduce((sum, time) => sum + time, 0) / tested.length;
}

export const usedTogether = ({ channels }: TagRow): number =>
  channels.reduce((sum, { usedQuota }) => sum + usedQuota, 0);

/** The value all channels of a tag share; null when they differ. */
export function commonNumber({ channels }: TagRow, field: 'priority' | 'weight'): number | null {
  const [first, ...rest] = channels.map((channel) => channel[field]);
  return first !== undefined && rest.every((value) => value === first) ? first : null;
}
