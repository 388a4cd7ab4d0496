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
import { dateTime, duration, integer } from '../../lib/format.js';
import { session, toSessionUser } from '../../lib/session.js';
import { saveFile } from '../../lib/download.js';
import {
  CancelMoveInDocument,
  DiscardMoveInDocument,
  MoveInDocument,
  StartMoveInDocument,
  type MoveInPartsFragment,
} from './moveIn.generated.js';
import { MoveInReport } from './MoveInReport.js';
import { MoveInSource } from './MoveInSource.js';

const pollMilliseconds = 1000;
type Job = NonNullable<MoveInPartsFragment['job']>;

/** Moving in from another program: source, dry run, move, result. */
export function MoveInPanel() {
  const { t } = useTranslation();
  const client = useApolloClient();
  const { data, error, refetch, startPolling, stopPolling } = useQuery(MoveInDocument, { fetchPolicy: 'network-only' });
  const job = data?.moveIn.job ?? null;
  const works = job?.state === 'CHECKING' || job?.state === 'MOVING';
  useEffect(() => {
    if (!works) return undefined;
    startPolling(pollMilliseconds);
    return stopPolling;
  }, [works, startPolling, stopPolling]);

  // Every list that was loaded before shows the old site.
  const wasMoving = useRef(false);
  const isMoving = job?.state === 'MOVING';
  useEffect(() => {
    if (wasMoving.current && !isMoving) void client.resetStore();
    wasMoving.current = isMoving;
  }, [isMoving, client]);

  if (!data)
    return error ? <LoadFailure title={t('moveIn.loadFailed')} error={error} onRetry={() => void refetch()} /> : null;
  const { refusal, run } = data.moveIn;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, maxWidth: 880 }}>
      <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('moveIn.about')}</Box>
      {refusal !== null && <Notice tone="amber">{t('moveIn.refused')}</Notice>}
      {run && !works && (
        <Notice tone="blue">
          {run.finishedAt
            ? t('moveIn.movedBefore', { name: run.name, time: dateTime(run.finishedAt) })
            : t('moveIn.begunBefore', { name: run.name, time: dateTime(run.startedAt) })}
        </Notice>
      )}
      {refusal === null && !works && <MoveInSource moveIn={data.moveIn} onChange={() => void refetch()} />}
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
  const [start] = useMutation(StartMoveInDocument);
  const [discard, { loading: discarding }] = useMutation(DiscardMoveInDocument);
  const { state, preview, report } = job;
  const works = state === 'CHECKING' || state === 'MOVING';
  const begin = () =>
    act(
      async () => {
        await session.change(async () => {
          const { data } = await start();
          // Root has a new id, which every later request contains.
          return data && toSessionUser(data.startMoveIn.user);
        });
        await onChange();
      },
      { title: t('moveIn.startTitle'), body: t('moveIn.startBody', { name: job.sourceName }), verb: t('moveIn.start') },
    );
  const mayStart = preview !== null && !preview.isBlocked && !refused && !works && state !== 'MOVED';
  return (
    <>
      {works && <Working job={job} onChange={onChange} />}
      {state === 'FAILED' && <Notice tone="red">{job.failureText}</Notice>}
      {state === 'CANCELLED' && <Notice tone="amber">{t('moveIn.cancelled')}</Notice>}
      {report && (
        <Part title={t('moveIn.result')}>
          <MoveInReport report={report} />
        </Part>
      )}
      {preview && !report && state !== 'CHECKING' && (
        <Part title={t('moveIn.dryRun')}>
          <MoveInReport report={preview} />
        </Part>
      )}
      {!works && (
        <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end', flexWrap: 'wrap' }}>
          {(preview ?? report) && (
            <Button variant="text" onClick={() => void act(saveReport)}>
              {t('moveIn.saveReport')}
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
            {t('moveIn.discard')}
          </Button>
          {mayStart && (
            <Button variant="contained" onClick={() => void begin()}>
              {state === 'CHECKED' ? t('moveIn.start') : t('moveIn.resume')}
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
  const [cancel, { loading }] = useMutation(CancelMoveInDocument);
  const { progress, state } = job;
  const share = progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
  const text =
    state === 'CHECKING'
      ? t('moveIn.checking', { name: job.sourceName })
      : progress === null
        ? t('moveIn.beginning', { name: job.sourceName })
        : t('moveIn.moving', { step: progress.step, done: integer(progress.done), total: integer(progress.total) });
  return (
    <Part title={state === 'CHECKING' ? t('moveIn.dryRun') : t('moveIn.move')}>
      <LinearProgress
        aria-label={t('moveIn.move')}
        variant={share === null ? 'indeterminate' : 'determinate'}
        value={(share ?? 0) * 100}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 2, flexWrap: 'wrap', fontSize: 13 }}>
        <Box className="num" role="status" sx={{ flex: 1, minWidth: 200 }}>
          {text}
          {progress?.secondsLeft != null && ` · ${t('moveIn.left', { time: duration(progress.secondsLeft) })}`}
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
                title: t('moveIn.cancelTitle'),
                body: t('moveIn.cancelBody'),
                verb: t('moveIn.cancel'),
                no: t('moveIn.goOn'),
              },
            )
          }
        >
          {t('moveIn.cancel')}
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

/** The whole report: the screen shows the first rows of each finding. */
async function saveReport(): Promise<void> {
  const user = session.get();
  const response = await fetch('/api/move_in/report', {
    credentials: 'same-origin',
    headers: user ? { 'Veloera-User': String(user.id) } : {},
  });
  const { data } = (await response.json()) as { data: unknown };
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'move-in-report.json');
}
