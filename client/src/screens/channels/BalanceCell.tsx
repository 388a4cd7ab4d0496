import CircularProgress from '@mui/material/CircularProgress';
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
  const updating = actions?.updating.has(row.id) ?? false;
  return (
    <Tooltip
      describeChild
      title={balance ? t('channels.balanceOf', { time: dateTime(balance.at) }) : t('channels.balanceUnknown')}
    >
      {actions ? (
        <button
          type="button"
          className={`num row-button row-value${balance ? '' : ' unknown'}`}
          aria-label={t('channels.updateBalanceOf', { name: row.name })}
          aria-busy={updating}
          disabled={updating}
          onClick={() => void actions.updateBalance(row)}
        >
          {updating ? (
            <CircularProgress size={14} aria-label={t('channels.updateBalanceOf', { name: row.name })} />
          ) : (
            text
          )}
        </button>
      ) : (
        <span className="num">{text}</span>
      )}
    </Tooltip>
  );
}
