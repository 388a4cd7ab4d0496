import { useCallback, useMemo, useState } from 'react';
import { useListPage } from '../../components/grid/useListPage.js';
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
  const plain = useListPage(grid, ChannelsDocument, variables, ({ channels }) => channels, { isSkipped: tagMode });
  const byTag = useListPage(grid, ChannelHeadsDocument, variables, ({ channelHeads }) => channelHeads, {
    isSkipped: !tagMode,
  });

  const channels = plain.rows;
  const heads = byTag.rows;
  const rows = useMemo<readonly ChannelListRow[] | undefined>(
    () => (tagMode ? heads && rowsOfHeads(heads, open) : channels),
    [tagMode, heads, open, channels],
  );
  const { reload, isEmpty, listProps } = tagMode ? byTag : plain;
  const live = useChannelLive(tagMode ? heads?.flatMap((head) => head.channels) : channels, reload);
  return { live, rows, isEmpty, listProps: { ...listProps, rows }, reload, toggleOpen };
}
