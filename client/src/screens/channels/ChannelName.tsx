import { Link, useLocation } from 'react-router-dom';
import type { ChannelItem } from './channelRows.js';

/**
 * The name of a channel, with a link to its drawer that keeps the filters of the list. It reads the address itself: new
 * columns for each address would make the grid draw all rows again.
 */
export function ChannelName({ row }: { readonly row: ChannelItem }) {
  const { search } = useLocation();
  return (
    <Link
      to={`/channel/edit/${row.id}${search}`}
      className={`cell-link two-line-text strong${row.nested ? ' nested' : ''}`}
    >
      {row.name}
    </Link>
  );
}
