import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import { column } from '../../components/grid/columns.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { channelCell, type TaskCellTools } from './drawingColumns.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';
import { audioOf } from './taskFilter.js';
import type { CreativeTaskRowFragment } from './tasks.generated.js';

/** The channel is read for admins only. */
export type CreativeTaskRow = CreativeTaskRowFragment & { readonly channelId?: number | null };

/** Returns the record as JSON, with the provider's data and without the link, which works only for the reader. */
export function recordOf({ data, contentUrl: _link, ...row }: CreativeTaskRow): string {
  const { __typename: _, ...fields } = row as CreativeTaskRow & { __typename?: string };
  return JSON.stringify({ ...fields, data: data ?? null }, null, 2);
}

/** Play button of a finished song or video. */
export function PlayResult({ row, tools }: { readonly row: CreativeTaskRow; readonly tools: TaskCellTools }) {
  const { t, view } = tools;
  const song = row.action === 'MUSIC' && row.status === 'SUCCESS' ? audioOf(row.data) : null;
  const address = row.contentUrl ?? song;
  if (!address) return null;
  const kind = row.contentUrl ? 'video' : 'audio';
  const id = { id: row.taskId };
  return (
    <Button
      aria-label={kind === 'video' ? t('tasks.playVideoOf', id) : t('tasks.playOf', id)}
      onClick={() =>
        view({ kind, title: kind === 'video' ? t('tasks.videoOf', id) : t('tasks.songOf', id), content: address })
      }
      sx={{ minWidth: 0, minHeight: 26, padding: '2px 6px' }}
    >
      {t('tasks.play')}
    </Button>
  );
}

export function creativeColumns(tools: TaskCellTools): GridColDef<CreativeTaskRow>[] {
  const { t, isAdmin, view } = tools;
  const time = (value: string | null | undefined) => <Num>{dateTime(value ?? null, 'seconds')}</Num>;
  return [
    column('submittedAt', t('tasks.submitTime'), 150, (row) => time(row.submittedAt)),
    column('finishedAt', t('tasks.finishTime'), 150, (row) => time(row.finishedAt)),
    column('progress', t('tasks.progress'), 164, (row) => (
      <Progress percent={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />
    )),
    column('duration', t('tasks.duration'), 80, (row) => <TaskDuration from={row.submittedAt} to={row.finishedAt} />),
    ...(isAdmin
      ? [column<CreativeTaskRow>('channelId', t('fields.channel'), 70, (row) => channelCell(row.channelId))]
      : []),
    column('platform', t('tasks.platform'), 92, (row) => <ToneChip tone="outline">{row.platform}</ToneChip>),
    column('action', t('fields.type'), 90, (row) => <TaskChip of="action" value={row.action} />),
    column('taskId', t('tasks.id'), { flex: 1, minWidth: 120 }, (row) => (
      <OneLine
        mono
        text={row.taskId}
        onOpen={() => view({ kind: 'text', title: t('tasks.recordOf', { id: row.taskId }), content: recordOf(row) })}
      />
    )),
    ...(isAdmin
      ? [
          column<CreativeTaskRow>('status', t('fields.status'), 112, (row) => (
            <TaskChip dot of="status" value={row.status} />
          )),
        ]
      : []),
    column('failReason', t('tasks.failReason'), 116, (row) => (
      <OneLine
        failed
        text={row.failReason}
        onOpen={(content) => view({ kind: 'text', title: t('tasks.failReason'), content })}
      />
    )),
    column('play', '', 64, (row) => <PlayResult row={row} tools={tools} />),
  ];
}
