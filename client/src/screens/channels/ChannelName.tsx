import { Link } from 'react-router-dom';
import { channelAddress } from '../../nouns/objects/addresses.js';
import type { ChannelItem } from './channelRows.js';

/** The name of a channel, with a link to its page. */
export function ChannelName({ row }: { readonly row: ChannelItem }) {
  return (
    <Link to={channelAddress(row.id)} className={`cell-link two-line-text strong${row.nested ? ' nested' : ''}`}>
      {row.name}
    </Link>
  );
}
