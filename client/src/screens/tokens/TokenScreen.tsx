import { skipToken, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { ObjectMissing, ObjectPage, type ObjectTab } from '../../components/ObjectPage.js';
import { InPage } from '../../components/SideDrawer.js';
import { dateTime } from '../../lib/format.js';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { tokenAddress, userAddress } from '../../nouns/objects/addresses.js';
import { BudgetsTab, CallsTab, ChangesTab, ProfitTab, UsageSummary } from '../../nouns/objects/tabs.js';
import { TokenStatusChip } from '../../nouns/tokens/TokenStatusChip.js';
import { TokenPageDocument, type TokenRowFragment } from './tokens.generated.js';
import type { UsedToken } from './TokenUsageDialog.js';
import { useTokenActions } from './useTokenActions.js';
import { useUserTokenActions } from './useUserTokenActions.js';

const TokenEditor = lazyPart(async () => (await import('./TokenEditor.js')).TokenEditor);
const TokenUsageDialog = lazyPart(async () => (await import('./TokenUsageDialog.js')).TokenUsageDialog);
const RotateTokenDialog = lazyPart(async () => (await import('./RotateTokenDialog.js')).RotateTokenDialog);

/** The page of an API key: of the caller, or of any user for admins. */
export function TokenScreen() {
  const { t } = useTranslation();
  const id = Number(useParams().id);
  const isId = idPattern.test(String(id));
  const readsUsers = useMay('USERS_READ');
  const own = useQuery(
    TokenPageDocument,
    isId ? { variables: { id, own: true }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  const mine = own.data?.myTokens?.items[0];
  const isOther = isId && readsUsers && own.data !== undefined && !mine;
  const all = useQuery(TokenPageDocument, isOther ? { variables: { id, own: false } } : skipToken);
  const { data, error, loading, refetch } = isOther ? all : own;
  const other = data?.tokens?.items[0];
  const token = mine ?? other;
  if (token) {
    return (
      <TokenOf
        key={id}
        token={token}
        owner={mine ? null : (other?.user ?? null)}
        isOwn={mine !== undefined}
        reload={() => void refetch()}
      />
    );
  }
  return (
    <ObjectMissing
      list={{ label: t('shell.tokens'), to: '/token' }}
      title={`${t('logs.token')} ${isId ? id : ''}`}
      error={error}
      isLoading={loading}
      onRetry={() => void refetch()}
      gone={t('objects.gone')}
    />
  );
}

function TokenOf({
  token,
  owner,
  isOwn,
  reload,
}: {
  readonly token: TokenRowFragment;
  readonly owner: { readonly id: number; readonly username: string } | null;
  readonly isOwn: boolean;
  readonly reload: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { money } = useFormat();
  const [used, setUsed] = useState<UsedToken | null>(null);
  const [rotates, setRotates] = useState(false);
  const readsLogs = useMay('LOGS_READ');
  const readsUsage = useMay('USAGE_READ');
  const readsAudit = useMay('AUDIT');
  const setsBudgets = useMay('BUDGETS') || isOwn;
  const { id, name } = token;
  const showUse = () => setUsed({ id, name, key: null, models: token.modelLimits ?? [] });
  const actions = useTokenActions({
    refetch: reload,
    onRemoved: () => void navigate('/token'),
    edit: () => void navigate(`${tokenAddress(id)}/settings`),
    showUsage: showUse,
    rotate: () => setRotates(true),
  });
  const canSwitch = token.status === 'ENABLED' || token.status === 'DISABLED';
  const ofUser = useUserTokenActions(token, reload, () => void navigate(owner ? userAddress(owner.id) : '/token'));
  const changesUsers = useMay('USERS_WRITE');
  const filter = { tokenIds: [id] };
  const tabs: ObjectTab[] = [
    ...(isOwn || readsLogs
      ? [
          {
            id: 'calls',
            label: t('dashboard.calls'),
            content: <CallsTab key="calls" filter={filter} own={!readsLogs} without="tokenName" />,
          },
          {
            id: 'errors',
            label: t('objects.errors'),
            content: (
              <CallsTab key="errors" filter={{ ...filter, types: ['ERROR'] }} own={!readsLogs} without="tokenName" />
            ),
          },
        ]
      : []),
    ...(readsUsage
      ? [{ id: 'cost', label: t('objects.cost'), content: <ProfitTab filter={filter} by="MODEL" /> }]
      : []),
    ...(setsBudgets
      ? [
          {
            id: 'limits',
            label: t('objects.limits'),
            content: <BudgetsTab subject={{ level: 'TOKEN', subjectId: id }} onChanged={reload} />,
          },
        ]
      : []),
    ...(readsAudit
      ? [
          {
            id: 'changes',
            label: t('objects.changes'),
            content: <ChangesTab subject="TOKEN" id={id} onRestored={reload} />,
          },
        ]
      : []),
    ...(isOwn
      ? [
          {
            id: 'settings',
            label: t('objects.settings'),
            hidesSummary: true as const,
            content: (
              <InPage value>
                <TokenEditor token={token} onSaved={reload} onCreated={() => undefined} onClosed={reload} />
              </InPage>
            ),
          },
        ]
      : []),
  ];
  const switchText = token.status === 'ENABLED' ? t('objects.disable') : t('objects.enable');
  const choose = (label: string, onSelect: () => unknown) => ({ label, onSelect: () => void onSelect() });
  return (
    <>
      <ObjectPage
        list={owner ? { label: owner.username, to: userAddress(owner.id) } : { label: t('shell.tokens'), to: '/token' }}
        title={name}
        chips={<TokenStatusChip token={token} />}
        meta={[
          `#${id}`,
          token.maskedKey,
          t('fields.amountUsed', { amount: money(token.quota.used, 'balance') }),
          token.lastUse ? `${dateTime(token.lastUse.at)} (${token.lastUse.address})` : '',
        ]
          .filter(Boolean)
          .join(' · ')}
        primary={
          isOwn ? (
            <Button variant="contained" onClick={showUse}>
              {t('tokens.usage')}
            </Button>
          ) : (
            changesUsers &&
            canSwitch && (
              <Button variant="outlined" onClick={() => void ofUser.toggle()}>
                {switchText}
              </Button>
            )
          )
        }
        menu={
          isOwn
            ? [
                choose(switchText, () => actions.toggle(token)),
                choose(t('tokenKeys.rotate'), () => setRotates(true)),
                { ...choose(t('actions.delete'), () => actions.remove(token)), destructive: true },
              ]
            : [
                ...(owner && readsLogs
                  ? [
                      choose(t('users.showUsage'), () =>
                        navigate(
                          `/log?username=${encodeURIComponent(owner.username)}&tokenName=${encodeURIComponent(name)}`,
                        ),
                      ),
                    ]
                  : []),
                ...(changesUsers ? [{ ...choose(t('actions.delete'), ofUser.remove), destructive: true }] : []),
              ]
        }
        summary={(isOwn || readsUsage) && <UsageSummary filter={filter} own={!readsUsage} />}
        address={tokenAddress(id)}
        tabs={tabs}
      />
      {rotates && <RotateTokenDialog token={token} onRotated={setUsed} onClose={() => setRotates(false)} />}
      {used && <TokenUsageDialog token={used} onClose={() => setUsed(null)} />}
    </>
  );
}
