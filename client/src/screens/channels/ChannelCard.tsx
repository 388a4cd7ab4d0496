import { memo } from 'react';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { RowCard } from '../../components/grid/CardList.js';
import { Num } from '../../components/Text.js';
import type { ChannelCellTools } from './channelCellTools.js';
import { CooldownChip } from './ChannelHealth.js';
import { ChannelLossChip } from './ChannelLossChip.js';
import { ChannelRowActions } from './ChannelRowActions.js';
import { ChannelStatusChip, ResponseChip } from './channelStatus.js';
import type { ChannelRowFragment } from './channels.generated.js';

export const ChannelCard = memo(function ChannelCard({
  row,
  tools,
}: {
  readonly row: ChannelRowFragment;
  readonly tools: ChannelCellTools;
}) {
  return (
    <RowCard
      title={row.name}
      value={<ChannelRowActions row={row} tools={tools} />}
      meta={`#${row.id} · ${tools.typeLabel(row.type)}${row.tag ? ` · ${row.tag}` : ''}`}
      metaEnd={<Num>{tools.format.money(row.usedQuota, 'balance')}</Num>}
      chips={
        <>
          <ChannelStatusChip channel={row} />
          <ChannelLossChip losses={tools.losses.get(row.id)} />
          <CooldownChip channel={row} />
          <ResponseChip channel={row} />
          <GroupChips groups={row.groups} />
        </>
      }
    />
  );
});
