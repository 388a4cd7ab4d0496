import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';
import type { DrawingRowFragment } from './tasks.generated.js';
import type { Viewed } from './TaskViewer.js';

export interface TaskCellTools {
  readonly t: TFunction;
  readonly isAdmin: boolean;
  readonly view: (viewed: Viewed) => void;
}

/** A column without sorting: the list sorts by time only. */
export const column = <R extends object>(
  field: string,
  headerName: string,
  width: number,
  cell: (row: R) => ReactNode,
  more: Partial<GridColDef<R>> = {},
): GridColDef<R> => ({
  field,
  headerName,
  width,
  sortable: false,
  renderCell: ({ row }: { row: R }) => cell(row),
  ...more,
});

export const channelCell = (channelId: number | null | undefined): ReactNode =>
  channelId ? <ToneChip tone="outline">{`#${String(channelId)}`}</ToneChip> : <Dash />;

export function ViewImage({ row, tools }: { readonly row: DrawingRowFragment; readonly tools: TaskCellTools }) {
  if (row.imageUrl === '') return <Dash />;
  return (
    <Button
      aria-label={tools.t('tasks.viewImageOf', { id: row.mjId })}
      onClick={() => {
        tools.view({ kind: 'image', title: tools.t('tasks.imageOf', { id: row.mjId }), content: row.imageUrl });
      }}
      sx={{ minHeight: 26, padding: '2px 6px', ml: '-6px' }}
    >
      {tools.t('tasks.viewImage')}
    </Button>
  );
}

/** Widths sum to 1182 px with the admin's columns. */
export function drawingColumns(tools: TaskCellTools): GridColDef<DrawingRowFragment>[] {
  const { t, isAdmin, view } = tools;
  const text = (title: string, content: string, failed = false) => (
    <OneLine
      text={content}
      failed={failed}
      onOpen={() => {
        view({ kind: 'text', title, content });
      }}
    />
  );
  const admin = (columns: GridColDef<DrawingRowFragment>[]) => (isAdmin ? columns : []);
  return [
    column('submitTime', t('tasks.submitTime'), 150, (row) => <Num>{dateTime(row.submitTime, 'seconds')}</Num>),
    column('duration', t('tasks.duration'), 68, (row) => (
      <TaskDuration rated from={row.submitTime} to={row.finishTime} />
    )),
    ...admin([column('channelId', t('tasks.channel'), 62, (row) => channelCell(row.channelId))]),
    column('action', t('tasks.type'), 116, (row) => <TaskChip of="action" value={row.action} />),
    column('mjId', t('tasks.id'), 82, (row) => (
      <OneLine
        mono
        text={row.mjId}
        onOpen={() => {
          view({ kind: 'text', title: t('tasks.id'), content: row.mjId });
        }}
      />
    )),
    ...admin([
      column('code', t('tasks.submitResult'), 116, (row) => <TaskChip of="code" value={row.code} />),
      column('status', t('tasks.status'), 134, (row) => <TaskChip dot of="drawing" value={row.status} />),
    ]),
    column('progress', t('tasks.progress'), 156, (row) => (
      <Progress value={row.progress} label={t('tasks.progressOf', { id: row.mjId })} />
    )),
    column('imageUrl', t('tasks.result'), 90, (row) => <ViewImage row={row} tools={tools} />),
    column('prompt', t('tasks.prompt'), 68, (row) => text(t('tasks.prompt'), row.prompt), { flex: 1, minWidth: 68 }),
    column('promptEn', t('tasks.english'), 64, (row) => text(t('tasks.promptEn'), row.promptEn)),
    column('failReason', t('tasks.failure'), 76, (row) => text(t('tasks.failReason'), row.failReason, true)),
  ];
}
