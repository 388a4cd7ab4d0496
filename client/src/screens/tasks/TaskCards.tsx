import { RowCard } from '../../components/grid/CardList.js';
import { dateTime } from '../../lib/format.js';
import { PlayResult, recordOf, type CreativeTaskRow } from './creativeColumns.js';
import { ViewImage, type DrawingRow, type TaskCellTools } from './drawingColumns.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';

export function DrawingCard({ row, tools }: { readonly row: DrawingRow; readonly tools: TaskCellTools }) {
  const { t, view } = tools;
  const show = (title: string) => (content: string) => view({ kind: 'text', title, content });
  return (
    <>
      <RowCard
        title={
          row.prompt === null ? (
            <OneLine mono text={row.taskId} onOpen={show(t('tasks.id'))} />
          ) : (
            <OneLine text={row.prompt} onOpen={show(t('tasks.prompt'))} />
          )
        }
        value={<ViewImage row={row} tools={tools} />}
        meta={dateTime(row.submittedAt, 'card')}
        metaEnd={<Progress percent={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />}
        chips={
          <>
            <TaskChip of="action" value={row.action} />
            {tools.isAdmin && (
              <>
                <TaskChip of="submission" value={row.submission} />
                <TaskChip dot of="status" value={row.status} />
              </>
            )}
          </>
        }
        end={<TaskDuration rated from={row.submittedAt} to={row.finishedAt} />}
      />
      {row.failReason !== null && <OneLine failed text={row.failReason} onOpen={show(t('tasks.failReason'))} />}
    </>
  );
}

export function CreativeCard({ row, tools }: { readonly row: CreativeTaskRow; readonly tools: TaskCellTools }) {
  const { t, view } = tools;
  return (
    <>
      <RowCard
        title={
          <OneLine
            mono={row.input === null}
            text={row.input ?? row.taskId}
            onOpen={() =>
              view({ kind: 'text', title: t('tasks.recordOf', { id: row.taskId }), content: recordOf(row) })
            }
          />
        }
        value={<PlayResult row={row} tools={tools} />}
        meta={dateTime(row.submittedAt, 'card')}
        metaEnd={<Progress percent={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />}
        chips={
          <>
            <TaskChip of="action" value={row.action} />
            {tools.isAdmin && <TaskChip dot of="status" value={row.status} />}
          </>
        }
        end={<TaskDuration from={row.submittedAt} to={row.finishedAt} />}
      />
      {row.failReason !== null && (
        <OneLine
          failed
          text={row.failReason}
          onOpen={(content) => view({ kind: 'text', title: t('tasks.failReason'), content })}
        />
      )}
    </>
  );
}
