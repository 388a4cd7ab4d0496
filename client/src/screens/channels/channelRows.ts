import type { ChannelHeadsQuery, ChannelRowFragment } from './channels.generated.js';

/** The head row of a tag, for all channels with that tag. */
export interface TagRow {
  /** `tag:` and the tag: never the id of a channel. */
  readonly id: string;
  readonly headOf: string;
  readonly open: boolean;
  readonly channels: readonly ChannelRowFragment[];
}

/** A channel; `nested` below the head of its tag. */
export type ChannelItem = ChannelRowFragment & { readonly nested?: boolean };
export type ChannelListRow = ChannelItem | TagRow;

export const isTagRow = (row: ChannelListRow): row is TagRow => 'headOf' in row;

/** Heads as rows, those of open tags followed by their channels. */
export function rowsOfHeads(
  heads: Readonly<ChannelHeadsQuery['channelHeads']['items']>,
  open: ReadonlySet<string>,
): ChannelListRow[] {
  return heads.flatMap<ChannelListRow>(({ tag, channels }) => {
    if (!tag) return channels;
    const head: TagRow = { id: `tag:${tag}`, headOf: tag, open: open.has(tag), channels };
    return head.open ? [head, ...channels.map((channel) => ({ ...channel, nested: true }))] : [head];
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
