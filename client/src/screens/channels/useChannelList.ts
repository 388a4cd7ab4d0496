import { useCallback, useMemo, useState } from 'react';
import { useListPage } from '../../components/grid/useListPage.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { channelVariables, type ChannelFilters } from './channelFilter.js';
import { rowsByTag, type ChannelListRow } from './channelRows.js';
import { ChannelsByTagDocument, ChannelsDocument } from './channels.generated.js';
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
  const byTag = useListPage(grid, ChannelsByTagDocument, variables, ({ channelsByTag }) => channelsByTag, {
    isSkipped: !tagMode,
  });

  const channels = plain.rows;
  const entries = byTag.rows;
  const rows = useMemo<readonly ChannelListRow[] | undefined>(
    () => (tagMode ? entries && rowsByTag(entries, open) : channels),
    [tagMode, entries, open, channels],
  );
  const { reload, isEmpty, listProps } = tagMode ? byTag : plain;
  const live = useChannelLive(tagMode ? entries?.flatMap((entry) => entry.channels) : channels, reload);
  return { live, rows, isEmpty, listProps: { ...listProps, rows }, reload, toggleOpen };
}
