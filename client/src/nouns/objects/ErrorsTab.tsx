import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { count, dateTime } from '../../lib/format.js';
import { channelAddress, requestAddress } from './addresses.js';
import {
  FailedAttemptsDocument,
  type FailedAttemptFilter,
  type FailedAttemptLineFragment,
  type FailedAttemptsQuery,
} from './objects.generated.js';

type KeyFailure = FailedAttemptsQuery['keyFailures'][number];

/** The failed attempts of an object: by key in the last 24 hours, then the last single ones. */
export function ErrorsTab({
  filter,
  keyAddressOf,
}: {
  readonly filter: FailedAttemptFilter;
  /** The address of a key's page; null for a key that was removed. Absent where keys have no pages here. */
  readonly keyAddressOf?: (attempt: FailedAttemptLineFragment) => string | null;
}) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(FailedAttemptsDocument, {
    variables: { filter },
    fetchPolicy: 'cache-and-network',
  });
  if (!data) {
    return error ? (
      <LoadFailure title={t('objects.errorsFailed')} error={error} onRetry={() => void refetch()} />
    ) : (
      <Box aria-busy sx={{ minHeight: 240 }} />
    );
  }
  const { keyFailures: keys, failedAttempts: attempts } = data;
  if (attempts.length === 0) {
    return (
      <Card>
        <EmptyState icon={<CheckCircleOutlinedIcon />} title={t('objects.noErrors')} text={t('objects.noErrorsText')} />
      </Card>
    );
  }
  const keyOf = (attempt: FailedAttemptLineFragment) => (
    <KeyName attempt={attempt} to={keyAddressOf?.(attempt) ?? null} isOneChannel={filter.channelIds?.length === 1} />
  );
  return (
    <>
      {keys.length > 0 && !filter.keyEndings && (
        <Part title={t('objects.byKey')} note={t('objects.byKeyText')}>
          {keys.map((one) => (
            <KeyLine key={one.last.id} failed={one} name={keyOf(one.last)} />
          ))}
        </Part>
      )}
      <Part title={t('objects.byAttempt')} note={t('objects.byAttemptText')}>
        {attempts.map((attempt) => (
          // The page of one key need not name it in each line.
          <AttemptLine key={attempt.id} attempt={attempt} name={filter.keyEndings ? null : keyOf(attempt)} />
        ))}
      </Part>
    </>
  );
}

function Part({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note: string;
  readonly children: ReactNode;
}) {
  return (
    <Card component="section" aria-label={title} sx={{ padding: '12px 16px 8px', minWidth: 0 }}>
      <Typography variant="h2" sx={{ fontSize: 14 }}>
        {title}
      </Typography>
      <Typography variant="caption" component="p" color="textSecondary">
        {note}
      </Typography>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {children}
      </Box>
    </Card>
  );
}

const line = {
  display: 'grid',
  alignItems: 'baseline',
  gap: '2px 12px',
  py: 1,
  borderTop: '1px solid',
  borderColor: 'divider',
  '&:first-of-type': { border: 0 },
} as const;

function KeyName({
  attempt,
  to,
  isOneChannel,
}: {
  readonly attempt: FailedAttemptLineFragment;
  readonly to: string | null;
  readonly isOneChannel: boolean;
}) {
  const { t } = useTranslation();
  const key = attempt.keyEnding === '' ? t('objects.oneKey') : `…${attempt.keyEnding}`;
  return (
    <span className="anywhere">
      {!isOneChannel && (
        <>
          <MuiLink component={Link} to={channelAddress(attempt.channelId)} color="inherit">
            {attempt.channelName ?? `#${attempt.channelId}`}
          </MuiLink>
          {' · '}
        </>
      )}
      <span className="mono">
        {to === null ? (
          key
        ) : (
          <MuiLink component={Link} to={to} color="inherit">
            {key}
          </MuiLink>
        )}
      </span>
    </span>
  );
}

function Kind({ attempt: { kind, status } }: { readonly attempt: FailedAttemptLineFragment }) {
  const { t } = useTranslation();
  return (
    <ToneChip tone={kind === 'REQUEST' ? 'outline' : kind === 'RATE_LIMITED' ? 'amber' : 'red'}>
      {t(`modelHealth.kinds.${kind}`)}
      {status == null ? '' : ` ${status}`}
    </ToneChip>
  );
}

function KeyLine({ failed: { attempts, last }, name }: { readonly failed: KeyFailure; readonly name: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Box
      component="li"
      sx={{
        ...line,
        gridTemplateColumns: { xs: '1fr auto', md: 'minmax(120px, 1fr) 170px 110px 150px minmax(0, 2fr)' },
      }}
    >
      {name}
      <span>
        <Kind attempt={last} />
      </span>
      <Num strong>{t('objects.times', { count: attempts, times: count(attempts) })}</Num>
      <Num>{dateTime(last.at, 'seconds')}</Num>
      <Box sx={{ minWidth: 0, gridColumn: { xs: '1 / -1', md: 'auto' }, overflowWrap: 'anywhere' }}>{last.error}</Box>
    </Box>
  );
}

function AttemptLine({ attempt, name }: { readonly attempt: FailedAttemptLineFragment; readonly name: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Box
      component="li"
      sx={{
        ...line,
        gridTemplateColumns: {
          xs: '1fr auto',
          md: `150px ${name === null ? '' : 'minmax(100px, 1fr) '}minmax(100px, 1fr) 170px 120px`,
        },
      }}
    >
      <Num>{dateTime(attempt.at, 'seconds')}</Num>
      {name}
      <span className="anywhere">{attempt.model}</span>
      <span>
        <Kind attempt={attempt} />
        {attempt.attempts > 1 && (
          <Num> {t('objects.times', { count: attempt.attempts, times: count(attempt.attempts) })}</Num>
        )}
      </span>
      <MuiLink component={Link} to={requestAddress(attempt.requestId)} sx={{ justifySelf: { md: 'end' } }}>
        {t('objects.openRequest')}
      </MuiLink>
      <Box sx={{ gridColumn: '1 / -1', color: 'text.secondary', overflowWrap: 'anywhere' }}>{attempt.error}</Box>
    </Box>
  );
}
