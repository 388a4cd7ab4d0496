import Button from '@mui/material/Button';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { dateTime, dollars } from '../../lib/format.js';
import type { ChannelRowFragment } from './channels.generated.js';
import type { ChannelActions } from './useChannelActions.js';

/** The balance at the provider; a click fetches it again. */
export function BalanceCell({
  row,
  actions,
}: {
  readonly row: ChannelRowFragment;
  readonly actions: Pick<ChannelActions, 'updating' | 'updateBalance'>;
}) {
  const { t } = useTranslation();
  const known = row.balanceUpdatedTime !== null && row.balanceUpdatedTime !== undefined;
  return (
    <Tooltip
      describeChild
      title={
        known
          ? t('channels.balanceOf', { time: dateTime(row.balanceUpdatedTime ?? null) })
          : t('channels.balanceUnknown')
      }
    >
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
          color: known ? 'text.secondary' : 'text.disabled',
        }}
      >
        {known ? dollars(row.balance, 2) : '–'}
      </Button>
    </Tooltip>
  );
}
