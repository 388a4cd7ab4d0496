import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { Dash, Mono, Num } from '../../components/Text.js';
import { dateTime, listText } from '../../lib/format.js';
import { HealthSection, CooldownChip } from './ChannelHealth.js';
import { KeysSection } from './ChannelKeys.js';
import { ChannelStatusChip, ResponseChip } from './channelStatus.js';
import type { ChannelDetailFragment } from './channels.generated.js';
import { useChannelTypes } from './useChannelTypes.js';

/** A channel and its health, for users who may not change channels. */
export function ChannelView({
  channel,
  onClosed,
}: {
  readonly channel: ChannelDetailFragment;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const types = useChannelTypes();
  const [open, setOpen] = useState(true);
  const close = () => {
    setOpen(false);
    // Wait for the closing animation.
    setTimeout(onClosed, 160);
  };
  return (
    <SideDrawer
      open={open}
      width={640}
      title={t('channels.view')}
      meta={t('fields.createdMeta', { id: channel.id, time: dateTime(channel.createdAt ?? null) })}
      onClose={close}
    >
      <HealthSection channel={channel} />
      <DrawerSection title={t('channels.connection')}>
        <NameValues
          rows={[
            [t('fields.name'), channel.name],
            [t('fields.type'), types.label(channel.type)],
            [
              t('fields.status'),
              <CooldownChip channel={channel} otherwise={<ChannelStatusChip channel={channel} />} />,
            ],
            [t('channels.response'), <ResponseChip channel={channel} />],
            [t('fields.baseUrl'), channel.baseUrl ? <Mono>{channel.baseUrl}</Mono> : <Dash />],
          ]}
        />
      </DrawerSection>
      <KeysSection channel={channel} />
      <DrawerSection title={t('channels.modelsAndGroups')}>
        <NameValues
          rows={[
            [t('fields.models'), listText(channel.models)],
            [t('channels.groups'), <GroupChips groups={channel.groups} />],
            [t('channels.testModel'), channel.testModel ?? t('channels.firstModel')],
          ]}
        />
      </DrawerSection>
      <DrawerSection title={t('channels.routing')}>
        <NameValues
          rows={[
            [t('channels.priority'), <Num>{channel.priority}</Num>],
            [t('channels.weight'), <Num>{channel.weight}</Num>],
            [t('channels.tag'), channel.tag ?? <Dash />],
          ]}
        />
      </DrawerSection>
    </SideDrawer>
  );
}
