import type { MaybeActor } from '../../shared/actor.js';
import { sliceOfList, type ListQuery, type Slice } from '../../shared/page.js';
import type { Channel } from './channel.entity.js';
import type { ChannelFilter, ChannelSortField } from './channel-query.js';
import type { ChannelService } from './channel.service.js';

/** One entry of the list in tag mode: a tag with its channels, or one channel without a tag. */
export interface ChannelHead {
  /** The tag; empty for one channel without a tag. */
  readonly tag: string;
  /** All channels of the tag, including those the filter did not match. */
  readonly channels: readonly Channel[];
}

/** Channels by tag: pages and totals count tags and untagged channels. For admins. */
export class ChannelHeads {
  constructor(private readonly channels: Pick<ChannelService, 'search' | 'searchTagged'>) {}

  /**
   * Returns tags in the order of their first channel, then the channels without one.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for a cursor whose entry no longer
   * exists
   */
  async list(
    actor: MaybeActor,
    filter: ChannelFilter,
    query: ListQuery<ChannelSortField>,
  ): Promise<Slice<ChannelHead>> {
    const { sort } = query;
    const found = await this.channels.search(actor, filter, sort);
    const tags = [...new Set(found.map(({ tag }) => tag).filter(Boolean))];
    const whole = Object.keys(filter).length > 0 ? await this.channels.searchTagged(actor, filter, sort) : found;
    const byTag = new Map<string, Channel[]>(tags.map((tag) => [tag, []]));
    for (const channel of whole) byTag.get(channel.tag)?.push(channel);
    const heads: ChannelHead[] = [
      ...[...byTag].map(([tag, channels]) => ({ tag, channels })),
      ...found.filter(({ tag }) => tag === '').map((channel) => ({ tag: '', channels: [channel] })),
    ];
    return sliceOfList(heads, query, cursorOf);
  }
}

/** Returns the cursor of an entry: a tag, or the id of a channel without one. */
const cursorOf = ({ tag, channels }: ChannelHead): string =>
  Buffer.from(JSON.stringify(tag === '' ? channels[0]?.id : tag)).toString('base64url');
