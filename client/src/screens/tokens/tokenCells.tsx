import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import LinearProgress from '@mui/material/LinearProgress';
import VisibilityOffOutlinedIcon from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlinedIcon from '@mui/icons-material/VisibilityOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { CopyButton } from '../../components/CopyButton.js';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { TokenKeyDocument, type TokenRowFragment } from './tokens.generated.js';
import type { TokenActions } from './useTokenActions.js';
import { listText } from '../../lib/format.js';

interface KeyCellProps {
  readonly token: Pick<TokenRowFragment, 'id' | 'name' | 'maskedKey'>;
}

/** The masked key, with buttons to show and to copy it. The key is fetched on click, and hidden again when it was rotated. */
export const KeyCell = ({ token }: KeyCellProps) => <ShownKey key={token.maskedKey} token={token} />;

function ShownKey({ token }: KeyCellProps) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const act = useAction();
  const [key, setKey] = useState<string | null>(null);

  const load = async () => {
    const { data } = await client.query({
      query: TokenKeyDocument,
      variables: { id: token.id },
      fetchPolicy: 'no-cache',
    });
    if (!data) throw new Error('no key');
    return withPrefix(data.tokenKey);
  };
  const show = () => act(async () => setKey(key === null ? await load() : null));

  return (
    <Box sx={{ display: 'flex', alignItems: 'center', minWidth: 0, maxWidth: '100%' }}>
      <Box
        className="mono"
        title={key ?? undefined}
        sx={{ minWidth: 0, flex: 1, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', mr: 0.5 }}
      >
        {key ?? shortMask(token.maskedKey)}
      </Box>
      <IconButton
        aria-label={
          key === null ? t('tokens.showKeyOf', { name: token.name }) : t('tokens.hideKeyOf', { name: token.name })
        }
        aria-pressed={key !== null}
        onClick={() => void show()}
        sx={{ width: 26, height: 26, '& svg': { fontSize: 15 } }}
      >
        {key === null ? <VisibilityOutlinedIcon /> : <VisibilityOffOutlinedIcon />}
      </IconButton>
      <CopyButton
        value={load}
        label={t('tokens.copyKeyOf', { name: token.name })}
        shown={shortMask(token.maskedKey)}
        size={26}
      />
    </Box>
  );
}

/** Adds `sk-`, which the API leaves out of keys and clients need. */
export const withPrefix = (key: string): string => (key.startsWith('sk-') ? key : `sk-${key}`);

/** `sk-Jx4T…`: a masked key with its stars as one ellipsis. */
const shortMask = (masked: string): string => withPrefix(masked).replace(/[*•]+/, '…');

/** "$67.60 left of $250.00" above a bar; for unlimited tokens the used amount. */
export function QuotaCell({ token: { quota } }: { readonly token: Pick<TokenRowFragment, 'quota'> }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const line = {
    display: 'flex',
    justifyContent: 'space-between',
    gap: 1,
    lineHeight: '18px',
    whiteSpace: 'nowrap',
  } as const;
  if (quota.remaining === null || quota.remaining === undefined) {
    return (
      <Box className="num" sx={{ ...line, width: '100%' }}>
        <span>{t('tokens.unlimited')}</span>
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {t('fields.amountUsed', { amount: money(quota.used, 'balance') })}
        </Box>
      </Box>
    );
  }
  const total = quota.remaining + quota.used;
  const share = total > 0 ? Math.max(0, Math.min(1, quota.remaining / total)) : 0;
  const color = share < 0.05 ? 'error' : share < 0.2 ? 'warning' : 'primary';
  return (
    <Box className="num" sx={{ width: '100%' }}>
      <Box sx={line}>
        <span>{t('tokens.left', { amount: money(quota.remaining, 'balance') })}</span>
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {t('tokens.of', { amount: money(total, 'balance') })}
        </Box>
      </Box>
      <LinearProgress
        variant="determinate"
        value={share * 100}
        color={color}
        aria-label={t('fields.quotaLeft')}
        sx={{ mt: '2px' }}
      />
    </Box>
  );
}

export function ModelLimits({
  token: { modelLimits: models },
}: {
  readonly token: Pick<TokenRowFragment, 'modelLimits'>;
}) {
  const { t } = useTranslation();
  if (!models) return <Ellipsis>{t('tokens.allModels')}</Ellipsis>;
  return (
    <ToneChip tone="blue" hint={listText(models)}>
      {t('tokens.modelCount', { count: models.length })}
    </ToneChip>
  );
}

export function TokenRowActions({ row, actions }: { readonly row: TokenRowFragment; readonly actions: TokenActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const chats = useStatus().chatLinks ?? [];
  const ended = row.status === 'EXPIRED' || row.status === 'EXHAUSTED';
  return (
    <div className="row-actions">
      <RowMenu
        label={t('tokens.moreOf', { name: row.name })}
        actions={[
          {
            label: t('tokens.usage'),
            onSelect: () => actions.showUsage(row),
          },
          {
            label: t('actions.edit'),
            onSelect: () => actions.edit(row),
          },
          ...(row.status === 'ENABLED'
            ? chats.map(({ name }, index) => ({
                label: t('tokens.openChat', { name }),
                onSelect: () => void navigate(`/chat/${String(index)}?token=${String(row.id)}`),
              }))
            : []),
          { label: t('tokenKeys.rotate'), onSelect: () => actions.rotate(row) },
          ...(row.previousKeyUntil
            ? [{ label: t('tokenKeys.endOverlap'), destructive: true, onSelect: () => void actions.endOverlap(row) }]
            : []),
          { label: t('actions.delete'), destructive: true, onSelect: () => void actions.remove(row) },
        ]}
      />
      <RowSwitch
        label={t('tokens.enableOf', { name: row.name })}
        checked={row.status === 'ENABLED'}
        disabled={ended}
        onChange={() => void actions.toggle(row)}
      />
    </div>
  );
}
