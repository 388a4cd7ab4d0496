import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { formatJson } from '../../lib/jsonText.js';
import { channelCell, column, type TaskCellTools } from './drawingColumns.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';
import { audioOf } from './taskFilter.js';
import type { CreativeTaskRowFragment } from './tasks.generated.js';

/** The record as JSON, with the provider's data parsed. */
export function recordOf({ data, ...row }: CreativeTaskRowFragment): string {
  const { __typename: _, ...fields } = row as CreativeTaskRowFragment & { __typename?: string };
  const told = data === '' ? 'null' : data;
  return formatJson(`${JSON.stringify(fields).slice(0, -1)},"data":${told}}`);
}

/** Play button of a finished song. */
export function PlaySong({ row, tools }: { readonly row: CreativeTaskRowFragment; readonly tools: TaskCellTools }) {
  const address = row.action === 'MUSIC' && row.status === 'SUCCESS' ? audioOf(row.data) : null;
  if (address === null) return null;
  return (
    <Button
      aria-label={tools.t('tasks.playOf', { id: row.taskId })}
      onClick={() => {
        tools.view({ kind: 'audio', title: tools.t('tasks.songOf', { id: row.taskId }), content: address });
      }}
      sx={{ minHeight: 26, padding: '2px 6px' }}
    >
      {tools.t('tasks.play')}
    </Button>
  );
}

export function creativeColumns(tools: TaskCellTools): GridColDef<CreativeTaskRowFragment>[] {
  const { t, isAdmin, view } = tools;
  const time = (value: string | null | undefined) => <Num>{dateTime(value ?? null, 'seconds')}</Num>;
  return [
    column('submitTime', t('tasks.submitTime'), 150, (row) => time(row.submitTime)),
    column('finishTime', t('tasks.finishTime'), 150, (row) => time(row.finishTime)),
    column('progress', t('tasks.progress'), 164, (row) => (
      <Progress value={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />
    )),
    column('duration', t('tasks.duration'), 78, (row) => <TaskDuration from={row.submitTime} to={row.finishTime} />),
    ...(isAdmin
      ? [column<CreativeTaskRowFragment>('channelId', t('tasks.channel'), 70, (row) => channelCell(row.channelId))]
      : []),
    column('platform', t('tasks.platform'), 84, (row) => <ToneChip tone="outline">{row.platform}</ToneChip>),
    column('action', t('tasks.type'), 90, (row) => <TaskChip of="action" value={row.action} />),
    column(
      'taskId',
      t('tasks.id'),
      120,
      (row) => (
        <OneLine
          mono
          text={row.taskId}
          onOpen={() => {
            view({ kind: 'text', title: t('tasks.recordOf', { id: row.taskId }), content: recordOf(row) });
          }}
        />
      ),
      { flex: 1, minWidth: 120 },
    ),
    ...(isAdmin
      ? [
          column<CreativeTaskRowFragment>('status', t('tasks.status'), 112, (row) => (
            <TaskChip dot of="creative" value={row.status} />
          )),
        ]
      : []),
    column('failReason', t('tasks.failReason'), 100, (row) => (
      <OneLine
        failed
        text={row.failReason}
        onOpen={() => {
          view({ kind: 'text', title: t('tasks.failReason'), content: row.failReason });
        }}
      />
    )),
    column('play', '', 64, (row) => <PlaySong row={row} tools={tools} />),
  ];
}
