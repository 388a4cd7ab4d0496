import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import MuiLink from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { SelectionBar } from '../../components/grid/SelectionBar.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { Num } from '../../components/Text.js';
import { tokenAddress } from '../../nouns/objects/addresses.js';
import { TokenBulkActions } from '../../nouns/tokens/TokenBulkActions.js';
import { TokenStatusChip } from '../../nouns/tokens/TokenStatusChip.js';
import { dateTime, integer } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { UserTokensDocument } from './users.generated.js';

const pageSize = 20;
const daySeconds = 86_400;

/**
 * The API keys of a user, with what they have left and when they were used last. For admins: the keys stay masked.
 * Those who may change users select keys and change them together.
 */
export function UserTokens({
  id,
  groups,
  canChange,
  onClosed,
}: {
  readonly id: number;
  readonly groups: readonly string[];
  readonly canChange: boolean;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const readsLogs = useMay('LOGS_READ');
  const [page, setPage] = useState(0);
  const { data, previousData, error, refetch } = useQuery(UserTokensDocument, { variables: { id, page, pageSize } });
  const [isRunning, setRunning] = useState(false);
  const [selected, setSelected] = useState<readonly number[]>([]);
  const shown = data ?? previousData;
  const total = shown?.tokens?.totalCount ?? 0;
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1);
  // The tokens of the last page were deleted.
  if (data && page > lastPage) setPage(lastPage);
  const name = shown?.user?.username ?? `#${id}`;
  const isBanned = shown?.user?.status === 'BANNED';
  const lastMonth = String(Math.floor(Date.now() / 1000) - 30 * daySeconds);
  return (
    <SideDrawer
      open
      width={520}
      title={t('users.tokensOf', { name })}
      meta={shown && t('users.tokenCount', { count: total, shown: integer(total) })}
      onClose={onClosed}
      footer={
        total > pageSize && (
          <Box sx={{ ml: 'auto', display: 'flex', gap: 1 }}>
            <Button variant="outlined" disabled={page === 0} onClick={() => setPage(page - 1)}>
              {t('grid.previousPage')}
            </Button>
            <Button variant="outlined" disabled={(page + 1) * pageSize >= total} onClick={() => setPage(page + 1)}>
              {t('grid.nextPage')}
            </Button>
          </Box>
        )
      }
    >
      {error && !shown && <LoadFailure title={t('users.tokensFailed')} error={error} onRetry={() => void refetch()} />}
      {!error && !shown && <Skeleton variant="rectangular" height={160} />}
      {shown && total === 0 && <Box sx={{ color: 'text.secondary' }}>{t('users.noTokens')}</Box>}
      {isBanned && total > 0 && <Notice tone="red">{t('users.tokensOfBanned')}</Notice>}
      {selected.length > 0 && (
        <Box sx={{ pb: 1 }}>
          <SelectionBar count={selected.length} isRunning={isRunning} onClear={() => setSelected([])}>
            <TokenBulkActions
              ids={selected}
              groups={groups}
              ownGroup={t('users.tokensOwnGroup')}
              onDone={(refused) => {
                setSelected(refused);
                void refetch();
              }}
              onRunning={setRunning}
            />
          </SelectionBar>
        </Box>
      )}
      {shown?.tokens?.items.map((token) => (
        <Box
          key={token.id}
          sx={{ py: 1.25, borderTop: '1px solid', borderColor: 'divider', '&:first-of-type': { borderTop: 0 } }}
        >
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
            {canChange && (
              <Checkbox
                size="small"
                sx={{ p: 0.25, ml: -0.5 }}
                checked={selected.includes(token.id)}
                onChange={(_, checked) =>
                  setSelected(checked ? [...selected, token.id] : selected.filter((one) => one !== token.id))
                }
                slotProps={{ input: { 'aria-label': t('users.selectToken', { name: token.name }) } }}
              />
            )}
            <Box sx={{ flex: 1, minWidth: 0, fontWeight: 500 }}>
              <MuiLink
                component={Link}
                to={tokenAddress(token.id)}
                color="inherit"
                underline="hover"
                className="ellipsis"
              >
                {token.name}
              </MuiLink>
            </Box>
            <TokenStatusChip token={token} isOwnerBanned={isBanned} />
          </Box>
          <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1, fontSize: 12, color: 'text.secondary' }}>
            <span className="mono">{token.maskedKey}</span>
            <Num>
              {token.quota.remaining === null || token.quota.remaining === undefined
                ? t('users.unlimitedUsed', { used: money(token.quota.used, 'balance') })
                : t('users.leftUsed', {
                    left: money(token.quota.remaining, 'balance'),
                    used: money(token.quota.used, 'balance'),
                  })}
            </Num>
          </Box>
          <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1, fontSize: 12, color: 'text.secondary' }}>
            <Num>
              {token.lastUsedAt ? t('users.usedAt', { time: dateTime(token.lastUsedAt) }) : t('users.neverUsed')}
            </Num>
            {readsLogs && (
              <MuiLink
                component={Link}
                to={`/log?username=${encodeURIComponent(name)}&tokenName=${encodeURIComponent(token.name)}&from=${lastMonth}`}
              >
                {t('users.showUsage')}
              </MuiLink>
            )}
          </Box>
        </Box>
      ))}
    </SideDrawer>
  );
}
