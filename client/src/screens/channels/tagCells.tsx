import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import ChevronRightOutlinedIcon from '@mui/icons-material/ChevronRightOutlined';
import { useTranslation } from 'react-i18next';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { InlineNumber } from '../../components/grid/InlineNumber.js';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import { ToneChip } from '../../components/Tone.js';
import { responseTime } from '../../lib/format.js';
import { TestButton } from './ChannelRowActions.js';
import { commonNumber, enabledCount, meanResponse, type TagRow } from './channelRows.js';
import { responseTone } from './channelStatus.js';
import type { TagActions } from './useTagActions.js';

interface TagCell {
  readonly row: TagRow;
}
interface TagControl extends TagCell {
  readonly tags: TagActions;
}

export function TagChevron({ row, tags }: TagControl) {
  const { t } = useTranslation();
  return (
    <IconButton
      aria-label={t('channels.showTag', { tag: row.tagOf })}
      aria-expanded={row.open}
      onClick={() => tags.toggleOpen(row.tagOf)}
      sx={{
        width: 28,
        height: 28,
        '& svg': { transition: 'transform 120ms', transform: row.open ? 'rotate(90deg)' : 'none' },
      }}
    >
      <ChevronRightOutlinedIcon />
    </IconButton>
  );
}

export function TagName({ row }: TagCell) {
  const { t } = useTranslation();
  return (
    <Box sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
      <Box component="span" sx={{ fontWeight: 600, mr: 1 }}>
        {row.tagOf}
      </Box>
      <Box component="span" className="num" sx={{ color: 'text.secondary' }}>
        {t('channels.inTag', { count: row.channels.length })}
      </Box>
    </Box>
  );
}

export function TagGroups({ row }: TagCell) {
  const groups = new Set(row.channels.flatMap(({ groups: own }) => own));
  return <GroupChips groups={[...groups]} />;
}

/** Green when all channels are enabled, amber when some are. */
export function TagStatusChip({ row }: TagCell) {
  const { t } = useTranslation();
  const on = enabledCount(row);
  const tone = on === row.channels.length ? 'green' : on > 0 ? 'amber' : 'grey';
  return (
    <ToneChip tone={tone} dot>
      {t('channels.tagOn', { on, count: row.channels.length })}
    </ToneChip>
  );
}

/** Mean response time of the tested channels. */
export function TagResponse({ row }: TagCell) {
  const { t } = useTranslation();
  const mean = meanResponse(row);
  return <ToneChip tone={responseTone(mean)}>{mean > 0 ? responseTime(mean) : t('channels.notTested')}</ToneChip>;
}

/** Priority or weight of all channels of the tag; a dash when they differ. An edit sets all of them. */
export function TagNumber({
  row,
  field,
  name,
  minimum,
  tags,
}: TagControl & { readonly field: 'priority' | 'weight'; readonly name: string; readonly minimum: number }) {
  const { t } = useTranslation();
  return (
    <InlineNumber
      value={commonNumber(row, field)}
      minimum={minimum}
      label={t('channels.numberOf', { field: name, name: row.tagOf })}
      onSave={(value) => tags.patch(row, { [field]: value })}
    />
  );
}

/** Actions on the whole tag, laid out as in a channel's row. */
export function TagRowActions({ row, tags }: TagControl) {
  const { t } = useTranslation();
  const on = enabledCount(row);
  return (
    <div className="row-actions">
      <TestButton
        label={t('channels.testTag', { tag: row.tagOf })}
        testing={tags.testing.has(row.tagOf)}
        onTest={() => void tags.test(row)}
      />
      <RowMenu
        label={t('channels.moreOfTag', { tag: row.tagOf })}
        actions={[
          {
            label: t('channels.editTag'),
            onSelect: () => tags.edit(row.tagOf),
          },
          {
            label: t('channels.enableAll'),
            disabled: on === row.channels.length,
            onSelect: () => void tags.setEnabled(row, true),
          },
          { label: t('channels.disableAll'), disabled: on === 0, onSelect: () => void tags.setEnabled(row, false) },
        ]}
      />
      <RowSwitch
        label={t('channels.enableTag', { tag: row.tagOf })}
        checked={on > 0}
        onChange={(checked) => void tags.setEnabled(row, checked)}
      />
    </div>
  );
}
