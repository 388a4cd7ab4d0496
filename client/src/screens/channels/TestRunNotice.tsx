import { useQuery } from '@apollo/client/react';
import IconButton from '@mui/material/IconButton';
import MuiLink from '@mui/material/Link';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Notice } from '../../components/Notice.js';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import { dateTime } from '../../lib/format.js';
import { readText, writeText } from '../../lib/storage.js';
import { ChannelTestRunDocument } from './channels.generated.js';

/** Storage key of the start of the run that was dismissed last. */
const storageKey = 'channel-test-run';
/** Milliseconds between reads of a run's progress. */
const pollInterval = 2000;

/**
 * Progress and result of the last test of all channels, with a link to those that failed. It stays until it is
 * dismissed.
 */
export function TestRunNotice() {
  const { t } = useTranslation();
  const [dismissed, setDismissed] = useState(() => readText(storageKey));
  const { data, startPolling, stopPolling } = useQuery(ChannelTestRunDocument);
  const run = data?.channelTestRun;
  const isRunning = run?.endedAt === null;
  useEffect(() => {
    if (!isRunning) return undefined;
    startPolling(pollInterval);
    return stopPolling;
  }, [isRunning, startPolling, stopPolling]);

  if (!run || run.startedAt === dismissed) return null;
  const { startedAt, endedAt, total, passed, failed, skipped } = run;
  if (endedAt === null) {
    return <Notice tone="blue">{t('channels.testRunning', { done: passed + failed + skipped, total })}</Notice>;
  }
  const dismiss = () => {
    writeText(storageKey, startedAt);
    setDismissed(startedAt);
  };
  return (
    <Notice
      tone={failed > 0 ? 'amber' : 'blue'}
      action={
        <IconButton aria-label={t('channels.dismissTestRun')} onClick={dismiss}>
          <CloseOutlinedIcon />
        </IconButton>
      }
    >
      {t('channels.testRun', { time: dateTime(endedAt, 'minutes'), passed, failed, skipped })}{' '}
      {skipped > 0 && `${t('channels.testSkipped')} `}
      {failed > 0 && (
        <MuiLink component={Link} to="/channel?test=FAILED">
          {t('channels.showFailed')}
        </MuiLink>
      )}
    </Notice>
  );
}
