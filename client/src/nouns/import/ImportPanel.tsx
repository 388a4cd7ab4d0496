import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { useAction } from '../../components/useAction.js';
import { sitePath } from '../../lib/basePath.js';
import { dateTime, duration, integer } from '../../lib/format.js';
import { session, toSessionUser } from '../../lib/session.js';
import { saveFile } from '../../lib/download.js';
import {
  CancelImportDocument,
  DiscardImportDocument,
  SiteImportDocument,
  StartImportDocument,
  type ImportPartsFragment,
} from './import.generated.js';
import { ImportReport } from './ImportReport.js';
import { ImportSource } from './ImportSource.js';

const pollMilliseconds = 1000;
type Job = NonNullable<ImportPartsFragment['job']>;

/** Import from another program: source, dry run, import, result. */
export function ImportPanel() {
  const { t } = useTranslation();
  const client = useApolloClient();
  const { data, error, refetch, startPolling, stopPolling } = useQuery(SiteImportDocument, {
    fetchPolicy: 'network-only',
  });
  const job = data?.siteImport.job ?? null;
  const works = job?.state === 'CHECKING' || job?.state === 'MOVING';
  useEffect(() => {
    if (!works) return undefined;
    startPolling(pollMilliseconds);
    return stopPolling;
  }, [works, startPolling, stopPolling]);

  // Every list that was loaded before shows the data before the import.
  const wasMoving = useRef(false);
  const isMoving = job?.state === 'MOVING';
  useEffect(() => {
    if (wasMoving.current && !isMoving) void client.resetStore();
    wasMoving.current = isMoving;
  }, [isMoving, client]);

  if (!data)
    return error ? (
      <LoadFailure title={t('siteImport.loadFailed')} error={error} onRetry={() => void refetch()} />
    ) : null;
  const { refusal, run } = data.siteImport;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, maxWidth: 880 }}>
      <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('siteImport.about')}</Box>
      {refusal !== null && <Notice tone="amber">{t('siteImport.refused')}</Notice>}
      {run && !works && (
        <Notice tone="blue">
          {run.finishedAt
            ? t('siteImport.movedBefore', { name: run.name, time: dateTime(run.finishedAt) })
            : t('siteImport.begunBefore', { name: run.name, time: dateTime(run.startedAt) })}
        </Notice>
      )}
      {refusal === null && !works && <ImportSource siteImport={data.siteImport} onChange={() => void refetch()} />}
      {job && <JobParts job={job} refused={refusal !== null} onChange={() => refetch()} />}
    </Box>
  );
}

interface JobProps {
  readonly job: Job;
  readonly onChange: () => Promise<unknown>;
}

function JobParts({ job, refused, onChange }: JobProps & { readonly refused: boolean }) {
  const { t } = useTranslation();
  const act = useAction();
  const [start] = useMutation(StartImportDocument);
  const [discard, { loading: discarding }] = useMutation(DiscardImportDocument);
  const { state, preview, report } = job;
  const works = state === 'CHECKING' || state === 'MOVING';
  const begin = () =>
    act(
      async () => {
        await session.change(async () => {
          const { data } = await start();
          // Root has a new id, which every later request names.
          return data && toSessionUser(data.startImport.user);
        });
        await onChange();
      },
      {
        title: t('siteImport.startTitle'),
        body: t('siteImport.startBody', { name: job.sourceName }),
        verb: t('siteImport.start'),
      },
    );
  const mayStart = preview !== null && !preview.isBlocked && !refused && !works && state !== 'MOVED';
  return (
    <>
      {works && <Working job={job} onChange={onChange} />}
      {state === 'FAILED' && <Notice tone="red">{job.failureText}</Notice>}
      {state === 'CANCELLED' && <Notice tone="amber">{t('siteImport.cancelled')}</Notice>}
      {report && (
        <Part title={t('siteImport.result')}>
          <ImportReport report={report} />
        </Part>
      )}
      {preview && !report && state !== 'CHECKING' && (
        <Part title={t('siteImport.dryRun')}>
          <ImportReport report={preview} />
        </Part>
      )}
      {!works && (
        <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end', flexWrap: 'wrap' }}>
          {(preview ?? report) && (
            <Button variant="text" onClick={() => void act(saveReport)}>
              {t('siteImport.saveReport')}
            </Button>
          )}
          <Button
            variant="outlined"
            loading={discarding}
            onClick={() =>
              void act(() =>
                discard()
                  .then(onChange)
                  .then(() => undefined),
              )
            }
          >
            {t('siteImport.discard')}
          </Button>
          {mayStart && (
            <Button variant="contained" onClick={() => void begin()}>
              {state === 'CHECKED' ? t('siteImport.start') : t('siteImport.resume')}
            </Button>
          )}
        </Box>
      )}
    </>
  );
}

function Working({ job, onChange }: JobProps) {
  const { t } = useTranslation();
  const act = useAction();
  const [cancel, { loading }] = useMutation(CancelImportDocument);
  const { progress, state } = job;
  const share = progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
  const text =
    state === 'CHECKING'
      ? t('siteImport.checking', { name: job.sourceName })
      : progress === null
        ? t('siteImport.beginning', { name: job.sourceName })
        : t('siteImport.moving', { step: progress.step, done: integer(progress.done), total: integer(progress.total) });
  return (
    <Part title={state === 'CHECKING' ? t('siteImport.dryRun') : t('siteImport.move')}>
      <LinearProgress
        aria-label={t('siteImport.move')}
        variant={share === null ? 'indeterminate' : 'determinate'}
        value={(share ?? 0) * 100}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 2, flexWrap: 'wrap', fontSize: 13 }}>
        <Box className="num" role="status" sx={{ flex: 1, minWidth: 200 }}>
          {text}
          {progress?.secondsLeft != null && ` · ${t('siteImport.left', { time: duration(progress.secondsLeft) })}`}
        </Box>
        <Button
          variant="outlined"
          loading={loading}
          onClick={() =>
            void act(
              () =>
                cancel()
                  .then(onChange)
                  .then(() => undefined),
              {
                title: t('siteImport.cancelTitle'),
                body: t('siteImport.cancelBody'),
                verb: t('siteImport.cancel'),
                no: t('siteImport.goOn'),
              },
            )
          }
        >
          {t('siteImport.cancel')}
        </Button>
      </Box>
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ padding: 2, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}
    >
      <Typography variant="h2" sx={{ fontSize: 14 }}>
        {title}
      </Typography>
      {children}
    </Card>
  );
}

/** Saves the whole report, because the screen shows only the first rows of each finding. */
async function saveReport(): Promise<void> {
  const user = session.get();
  const response = await fetch(sitePath('/api/import/report'), {
    credentials: 'same-origin',
    headers: user ? { 'Veloera-User': String(user.id) } : {},
  });
  const { data } = (await response.json()) as { data: unknown };
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'import-report.json');
}
