import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { column } from '../../components/grid/columns.js';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';
import type { DrawingRowFragment } from './tasks.generated.js';
import type { Viewed } from './TaskViewer.js';

/** The channel is read for admins only. */
export type DrawingRow = DrawingRowFragment & { readonly channelId?: number | null };

export interface TaskCellTools {
  readonly t: TFunction;
  readonly isAdmin: boolean;
  readonly view: (viewed: Viewed) => void;
}

export const channelCell = (channelId: number | null | undefined): ReactNode =>
  channelId ? <ToneChip tone="outline">{`#${channelId}`}</ToneChip> : <Dash />;

export function ViewImage({ row, tools }: { readonly row: DrawingRow; readonly tools: TaskCellTools }) {
  const { imageUrl } = row;
  if (imageUrl === null) return <Dash />;
  return (
    <Button
      aria-label={tools.t('tasks.viewImageOf', { id: row.taskId })}
      onClick={() =>
        tools.view({ kind: 'image', title: tools.t('tasks.imageOf', { id: row.taskId }), content: imageUrl })
      }
      sx={{ minHeight: 26, padding: '2px 6px', ml: '-6px' }}
    >
      {tools.t('tasks.viewImage')}
    </Button>
  );
}

/** Widths sum to 1182 px with the admin's columns. */
export function drawingColumns(tools: TaskCellTools): GridColDef<DrawingRow>[] {
  const { t, isAdmin, view } = tools;
  const text = (title: string, content: string | null, look: { failed?: boolean; mono?: boolean } = {}) => (
    <OneLine {...look} text={content} onOpen={(shown) => view({ kind: 'text', title, content: shown })} />
  );
  const admin = (columns: GridColDef<DrawingRow>[]) => (isAdmin ? columns : []);
  return [
    column('submittedAt', t('tasks.submitTime'), 150, (row) => <Num>{dateTime(row.submittedAt, 'seconds')}</Num>),
    column('duration', t('tasks.duration'), 80, (row) => (
      <TaskDuration rated from={row.submittedAt} to={row.finishedAt} />
    )),
    ...admin([column('channelId', t('fields.channel'), 70, (row) => channelCell(row.channelId))]),
    column('action', t('fields.type'), 116, (row) => <TaskChip of="action" value={row.action} />),
    column('taskId', t('tasks.id'), 82, (row) => text(t('tasks.id'), row.taskId, { mono: true })),
    ...admin([
      column('submission', t('tasks.submitResult'), 116, (row) => <TaskChip of="submission" value={row.submission} />),
      column('status', t('fields.status'), 134, (row) => <TaskChip dot of="status" value={row.status} />),
    ]),
    column('progress', t('tasks.progress'), 134, (row) => (
      <Progress percent={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />
    )),
    column('imageUrl', t('tasks.result'), 90, (row) => <ViewImage row={row} tools={tools} />),
    column('prompt', t('tasks.prompt'), { flex: 1, minWidth: 68 }, (row) => text(t('tasks.prompt'), row.prompt)),
    column('promptEn', t('tasks.english'), 66, (row) => text(t('tasks.promptEn'), row.promptEn)),
    column('failReason', t('tasks.failure'), 76, (row) =>
      text(t('tasks.failReason'), row.failReason, { failed: true }),
    ),
  ];
}
