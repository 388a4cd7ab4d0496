import { memo } from 'react';
import { RowCard } from '../../components/grid/CardList.js';
import { Num } from '../../components/Text.js';
import type { ChannelCellTools } from './channelCellTools.js';
import { usedTogether, type TagRow } from './channelRows.js';
import { TagChevron, TagGroups, TagName, TagResponse, TagRowActions, TagStatusChip } from './tagCells.js';

/** Card of a tag, for narrow screens. */
export const TagCard = memo(function TagCard({
  row,
  tools,
}: {
  readonly row: TagRow;
  readonly tools: ChannelCellTools;
}) {
  return (
    <RowCard
      title={<TagName row={row} />}
      value={tools.writes && <TagRowActions row={row} tags={tools.tags} />}
      chips={
        <>
          <TagStatusChip row={row} />
          <TagResponse row={row} />
          <TagGroups row={row} />
        </>
      }
      end={
        <>
          <Num>{tools.format.money(usedTogether(row), 'balance')}</Num>
          <TagChevron row={row} tags={tools.tags} />
        </>
      }
    />
  );
});
