import { useQuery } from '@apollo/client/react';
import { useCallback, useMemo, useState } from 'react';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { channelVariables, type ChannelFilters } from './channelFilter.js';
import { rowsOfHeads, type ChannelListRow } from './channelRows.js';
import { ChannelHeadsDocument, ChannelsDocument } from './channels.generated.js';
import { useChannelLive } from './useChannelLive.js';

/** The rows of the list: channels, or in tag mode the tags, with the channels of open tags below them. */
export function useChannelList(grid: ServerGrid<ChannelFilters>, tagMode: boolean) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggleOpen = useCallback(
    (tag: string) =>
      setOpen((current) => {
        const next = new Set(current);
        if (!next.delete(tag)) next.add(tag);
        return next;
      }),
    [],
  );
  const variables = channelVariables(grid);
  const plain = useQuery(ChannelsDocument, { variables, skip: tagMode });
  const byTag = useQuery(ChannelHeadsDocument, { variables, skip: !tagMode });

  const page = (plain.data ?? plain.previousData)?.channels;
  const heads = (byTag.data ?? byTag.previousData)?.channelHeads;
  const rows = useMemo<readonly ChannelListRow[] | undefined>(
    () => (tagMode ? heads && rowsOfHeads(heads.items, open) : page?.items),
    [tagMode, heads, open, page],
  );
  const { refetch, loading, error } = tagMode ? byTag : plain;
  const reload = useCallback(() => void refetch(), [refetch]);
  const shown = tagMode ? heads?.items.flatMap(({ channels }) => channels) : page?.items;
  const live = useChannelLive(shown, reload);
  return { live, rows, totalCount: (tagMode ? heads : page)?.totalCount, loading, error, reload, toggleOpen };
}
