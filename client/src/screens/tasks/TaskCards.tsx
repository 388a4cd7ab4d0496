import { RowCard } from '../../components/grid/CardList.js';
import { dateTime } from '../../lib/format.js';
import { PlaySong, recordOf } from './creativeColumns.js';
import { ViewImage, type TaskCellTools } from './drawingColumns.js';
import { OneLine, Progress, TaskDuration } from './taskCells.js';
import { TaskChip } from './taskChips.js';
import type { CreativeTaskRowFragment, DrawingRowFragment } from './tasks.generated.js';

export function DrawingCard({ row, tools }: { readonly row: DrawingRowFragment; readonly tools: TaskCellTools }) {
  const { t, view } = tools;
  const show = (title: string, content: string) => () => {
    view({ kind: 'text', title, content });
  };
  return (
    <>
      <RowCard
        title={
          row.prompt === '' ? (
            <OneLine mono text={row.mjId} onOpen={show(t('tasks.id'), row.mjId)} />
          ) : (
            <OneLine text={row.prompt} onOpen={show(t('tasks.prompt'), row.prompt)} />
          )
        }
        value={<ViewImage row={row} tools={tools} />}
        meta={dateTime(row.submitTime, 'card')}
        metaEnd={<Progress value={row.progress} label={t('tasks.progressOf', { id: row.mjId })} />}
        chips={
          <>
            <TaskChip of="action" value={row.action} />
            {tools.isAdmin && (
              <>
                <TaskChip of="code" value={row.code} />
                <TaskChip dot of="drawing" value={row.status} />
              </>
            )}
          </>
        }
        end={<TaskDuration rated from={row.submitTime} to={row.finishTime} />}
      />
      {row.failReason !== '' && (
        <OneLine failed text={row.failReason} onOpen={show(t('tasks.failReason'), row.failReason)} />
      )}
    </>
  );
}

export function CreativeCard({ row, tools }: { readonly row: CreativeTaskRowFragment; readonly tools: TaskCellTools }) {
  const { t, view } = tools;
  return (
    <>
      <RowCard
        title={
          <OneLine
            mono
            text={row.taskId}
            onOpen={() => {
              view({ kind: 'text', title: t('tasks.recordOf', { id: row.taskId }), content: recordOf(row) });
            }}
          />
        }
        value={<PlaySong row={row} tools={tools} />}
        meta={dateTime(row.submitTime, 'card')}
        metaEnd={<Progress value={row.progress} label={t('tasks.progressOf', { id: row.taskId })} />}
        chips={
          <>
            <TaskChip of="action" value={row.action} />
            {tools.isAdmin && <TaskChip dot of="creative" value={row.status} />}
          </>
        }
        end={<TaskDuration from={row.submitTime} to={row.finishTime} />}
      />
      {row.failReason !== '' && (
        <OneLine
          failed
          text={row.failReason}
          onOpen={() => {
            view({ kind: 'text', title: t('tasks.failReason'), content: row.failReason });
          }}
        />
      )}
    </>
  );
}
