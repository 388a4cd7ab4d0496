import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { MayLink } from '../../components/MayLink.js';
import { CopyButton } from '../../components/CopyButton.js';
import { lazyPart } from '../../components/lazyPart.js';
import { Notice } from '../../components/Notice.js';
import { ObjectMissing, ObjectPage } from '../../components/ObjectPage.js';
import { StatBadges } from '../../components/StatBadges.js';
import { ToneChip } from '../../components/Tone.js';
import { count, dateTime, dollars, duration } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { amountOf } from '../../nouns/logs/logAmount.js';
import type { LogRow } from '../../nouns/logs/logRow.js';
import { LogsDocument, MyLogsDocument } from '../../nouns/logs/logs.generated.js';
import {
  channelAddress,
  modelAddress,
  requestAddress,
  tokenAddress,
  userAddress,
} from '../../nouns/objects/addresses.js';
import { FailedAttemptsDocument, type FailedAttemptLineFragment } from '../../nouns/objects/objects.generated.js';

const LogDetailBody = lazyPart(async () => (await import('../../nouns/logs/LogDetail.js')).LogDetailBody);

/** The page of a call: every attempt with its channel and reason, and the details of its log row. */
export function RequestScreen() {
  const { t } = useTranslation();
  const id = useParams().id ?? '';
  const isAdmin = useMay('LOGS_READ');
  const readsChannels = useMay('CHANNELS_READ');
  const variables = { page: 0, pageSize: 10, filter: { requestId: id } };
  const options = { variables, fetchPolicy: 'no-cache' } as const;
  const all = useQuery(LogsDocument, isAdmin ? options : skipToken);
  const own = useQuery(MyLogsDocument, isAdmin ? skipToken : options);
  const failed = useQuery(
    FailedAttemptsDocument,
    readsChannels ? { variables: { filter: { requestId: id } }, fetchPolicy: 'no-cache' } : skipToken,
  );
  const { error, loading, refetch } = isAdmin ? all : own;
  const rows: readonly LogRow[] | undefined = isAdmin ? all.data?.logs.items : own.data?.myLogs.items;
  const row = rows?.find(({ type }) => type === 'CONSUME' || type === 'ERROR') ?? rows?.[0];
  const attempts = [...(failed.data?.failedAttempts ?? [])].reverse();
  const list = { label: isAdmin ? t('shell.logs') : t('logs.ownTitle'), to: '/log' };
  const isLoading = loading || (readsChannels && failed.loading);
  if (rows && !isLoading && (row || attempts.length > 0)) {
    return <RequestOf key={id} id={id} row={row} attempts={attempts} isAdmin={isAdmin} list={list} />;
  }
  return (
    <ObjectMissing
      list={list}
      title={t('objects.request', { id })}
      error={error}
      isLoading={isLoading}
      onRetry={() => void refetch()}
      gone={t('objects.requestGone')}
    />
  );
}

function RequestOf({
  id,
  row,
  attempts,
  isAdmin,
  list,
}: {
  readonly id: string;
  /** Absent for a failed call while failed calls are not logged. */
  readonly row: LogRow | undefined;
  /** The first one first. */
  readonly attempts: readonly FailedAttemptLineFragment[];
  readonly isAdmin: boolean;
  readonly list: { readonly label: string; readonly to: string };
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const isServed = row?.type === 'CONSUME';
  const at = row?.at ?? attempts[0]?.at;
  const model = row?.modelName ?? attempts[0]?.model ?? '';
  const amount = row ? amountOf(row, format) : null;
  const isCall = row !== undefined;
  const reason = row?.error ?? attempts.at(-1);
  return (
    <ObjectPage
      list={list}
      title={model === '' ? t('objects.request', { id }) : model}
      chips={
        isServed ? (
          <ToneChip tone="green" dot>
            {t('objects.answered')}
          </ToneChip>
        ) : row === undefined || row.type === 'ERROR' ? (
          <ToneChip tone="red" dot>
            {[t('objects.failed'), reason?.status].filter(Boolean).join(' ')}
          </ToneChip>
        ) : undefined
      }
      meta={
        <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', flexWrap: 'wrap', gap: '0 6px' }}>
          <span className="mono anywhere">{id}</span>
          <CopyButton value={id} label={t('logs.copyRequestId')} size={26} />
          {at && <span>{dateTime(at, 'seconds')}</span>}
          {row && <Parties row={row} isAdmin={isAdmin} />}
        </Box>
      }
      summary={
        isCall && (
          <StatBadges
            label={t('objects.figures')}
            stats={[
              { label: t('objects.charged'), value: amount ?? '–' },
              { label: t('objects.duration'), value: duration(row.durationMs / 1000) },
              { label: t('dashboard.tokens'), value: `${count(row.promptTokens)} → ${count(row.completionTokens)}` },
              isAdmin
                ? {
                    label: t('dashboard.marginTitle'),
                    value: row.cost ? dollars(row.cost.marginUsd, 6) : '–',
                    isLoss: (row.cost?.marginUsd ?? 0) < 0,
                  }
                : {
                    label: t('logs.firstToken'),
                    value: row.timeToFirstTokenMs == null ? '–' : duration(row.timeToFirstTokenMs / 1000),
                  },
            ]}
          />
        )
      }
      address={requestAddress(id)}
      tabs={[
        ...(isAdmin && (attempts.length > 0 || isServed)
          ? [
              {
                id: 'attempts',
                label: t('objects.steps'),
                content: (
                  <>
                    {!row && <Notice tone="amber">{t('objects.noLogRow')}</Notice>}
                    <Steps attempts={attempts} row={isServed ? row : undefined} />
                  </>
                ),
              },
            ]
          : []),
        ...(row
          ? [
              {
                id: 'details',
                label: t('objects.details'),
                content: (
                  <Card sx={{ padding: '16px 20px', maxWidth: 760 }}>
                    <LogDetailBody row={row} isAdmin={isAdmin} />
                  </Card>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

/** The user, key, channel and model of a call, each with a link to its page. */
function Parties({ row, isAdmin }: { readonly row: LogRow; readonly isAdmin: boolean }) {
  const readsUsers = useMay('USERS_READ');
  const links = [
    ...(isAdmin && row.username
      ? [{ name: row.username, to: readsUsers && row.userId ? userAddress(row.userId) : null }]
      : []),
    ...(row.tokenName ? [{ name: row.tokenName, to: row.tokenId ? tokenAddress(row.tokenId) : null }] : []),
    ...(isAdmin && row.modelName ? [{ name: row.modelName, to: modelAddress(row.modelName) }] : []),
  ];
  return (
    <>
      {links.map(({ name, to }, index) => (
        <span key={index}>
          {'· '}
          {to === null ? (
            name
          ) : (
            <MuiLink component={Link} to={to} color="inherit">
              {name}
            </MuiLink>
          )}
        </span>
      ))}
    </>
  );
}

/** Every attempt in order: those that failed with their reason, and the one that served the call. */
function Steps({
  attempts,
  row,
}: {
  readonly attempts: readonly FailedAttemptLineFragment[];
  readonly row: LogRow | undefined;
}) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-label={t('objects.steps')}>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {attempts.map((attempt, index) => (
          <Step
            key={attempt.id}
            number={index + 1}
            channel={attempt.channelName ?? `#${attempt.channelId}`}
            channelId={attempt.channelId}
            keyEnding={attempt.keyEnding}
            chip={
              <ToneChip tone={attempt.kind === 'REQUEST' ? 'outline' : 'red'}>
                {[t(`modelHealth.kinds.${attempt.kind}`), attempt.status].filter(Boolean).join(' ')}
              </ToneChip>
            }
            text={attempt.error}
          />
        ))}
        {row && (
          <Step
            number={attempts.length + 1}
            channel={row.channelName ?? (row.channelId ? `#${row.channelId}` : '–')}
            channelId={row.channelId ?? 0}
            keyEnding=""
            chip={<ToneChip tone="green">{t('objects.served')}</ToneChip>}
            text={row.upstreamModel ?? ''}
          />
        )}
      </Box>
    </Card>
  );
}

function Step({
  number,
  channel,
  channelId,
  keyEnding,
  chip,
  text,
}: {
  readonly number: number;
  readonly channel: string;
  readonly channelId: number;
  readonly keyEnding: string;
  readonly chip: ReactNode;
  readonly text: string;
}) {
  const { t } = useTranslation();
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: '1fr auto', md: '110px minmax(160px, 1fr) 170px minmax(0, 2fr)' },
        gap: '4px 12px',
        padding: '10px 16px',
        alignItems: 'baseline',
        borderTop: '1px solid',
        borderColor: 'divider',
        '&:first-of-type': { border: 0 },
      }}
    >
      <Box sx={{ color: 'text.secondary', gridColumn: { xs: '1 / -1', md: 'auto' } }}>
        {t('objects.step', { number })}
      </Box>
      <span className="anywhere">
        {channelId === 0 ? (
          channel
        ) : (
          <MayLink permission="CHANNELS_READ" to={channelAddress(channelId)}>
            {channel}
          </MayLink>
        )}
        {keyEnding !== '' && <span className="mono secondary"> …{keyEnding}</span>}
      </span>
      <span>{chip}</span>
      <Box sx={{ gridColumn: { xs: '1 / -1', md: 'auto' }, overflowWrap: 'anywhere', color: 'text.secondary' }}>
        {text}
      </Box>
    </Box>
  );
}
