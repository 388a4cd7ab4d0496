import Button from '@mui/material/Button';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import { balanceText } from './channelStatus.js';
import type { ChannelRowFragment } from './channels.generated.js';
import type { ChannelActions } from './useChannelActions.js';

/** The balance at the provider; a click fetches it again. Text alone for users who may not. */
export function BalanceCell({
  row,
  actions,
}: {
  readonly row: ChannelRowFragment;
  readonly actions: Pick<ChannelActions, 'updating' | 'updateBalance'> | null;
}) {
  const { t } = useTranslation();
  const { balance } = row;
  const text = balance ? balanceText(balance) : '–';
  return (
    <Tooltip
      describeChild
      title={balance ? t('channels.balanceOf', { time: dateTime(balance.at) }) : t('channels.balanceUnknown')}
    >
      {actions ? (
        <Button
          className="num"
          aria-label={t('channels.updateBalanceOf', { name: row.name })}
          loading={actions.updating.has(row.id)}
          onClick={() => void actions.updateBalance(row)}
          sx={{
            minHeight: 26,
            minWidth: 0,
            padding: '2px 6px',
            mr: '-6px',
            fontWeight: 400,
            color: balance ? 'text.secondary' : 'text.disabled',
          }}
        >
          {text}
        </Button>
      ) : (
        <span className="num">{text}</span>
      )}
    </Tooltip>
  );
}
