import { dateOf } from '../../shared/clock.js';
import { storableJson, parseJson, asFields } from '../../shared/json.js';
import { lastSecond, maxInt32 } from '../../shared/limits.js';
import type { Fields } from '../source/fields.js';
import type { MapContext, Mapper } from './mapped.js';

const done = 100;
const movedNote = 'The task was open when the site moved';

/** Maps a drawing. The ledger of the source keeps its charge, so a later failure refunds nothing here. */
export const mapDrawing: Mapper = (row, context) => {
  const table = 'midjourneys';
  const { id } = row;
  const charge = chargeOf(row, table, context);
  return [
    {
      key: String(id),
      values: {
        ...base(row, context, `move:mj:${id}`),
        code: row.clamped('code', -maxInt32, maxInt32),
        action: row.text('action') || 'IMAGINE',
        mj_id: row.code('mj_id'),
        prompt: row.text('prompt'),
        prompt_en: row.text('prompt_en'),
        description: row.text('description'),
        state: row.text('state'),
        submit_time: momentOf(row.whole('submit_time')) ?? unknownMoment,
        image_url: row.text('image_url'),
        start_time: momentOf(row.whole('start_time')),
        finish_time: momentOf(row.whole('finish_time')),
        buttons: storable(row.text('buttons')),
        status: row.text('status'),
        progress: progressOf(row),
        fail_reason: row.text('fail_reason'),
        properties: storable(withCharge(row.text('properties'), charge)),
      },
    },
  ];
};

/** Maps music and other tasks. A task stays open only if this product polls its platform. */
export const mapTask: Mapper = (row, context) => {
  const table = 'tasks';
  const { id } = row;
  const platform = row.code('platform') || 'suno';
  const isLost = progressOf(row) !== done && platform !== 'suno';
  if (isLost) context.findings.add('task-open', table, id, `${platform} ${row.code('task_id')}`);
  const charge = chargeOf(row, table, context);
  const upstream = asFields(parseJson(row.text('private_data')))?.['upstream_task_id'];
  return [
    {
      key: String(id),
      values: {
        ...base(row, context, `move:task:${id}`),
        created_at: row.moment('created_at') ?? unknownMoment,
        updated_at: row.moment('updated_at') ?? unknownMoment,
        platform,
        task_id: typeof upstream === 'string' && upstream !== '' ? upstream : row.code('task_id'),
        action: row.text('action'),
        submit_time: row.moment('submit_time') ?? unknownMoment,
        start_time: row.moment('start_time'),
        // The time of the run is not used, so that a second run produces the same row.
        finish_time: row.moment(isLost ? (row.has('updated_at') ? 'updated_at' : 'submit_time') : 'finish_time'),
        status: isLost ? 'FAILURE' : row.text('status') || 'NOT_START',
        progress: isLost ? done : progressOf(row),
        fail_reason: isLost ? movedNote : row.text('fail_reason'),
        properties: asFields(parseJson(withCharge(row.text('properties'), charge))) ?? {},
        data: storable(row.text('data')),
      },
    },
  ];
};

const base = (row: Fields, { users }: MapContext, requestId: string): Record<string, unknown> => ({
  id: row.id,
  user_id: row.clamped('user_id', 0, maxInt32),
  username: users.names.get(row.whole('user_id')) ?? '',
  channel_id: row.clamped('channel_id', 0, maxInt32),
  request_id: requestId,
});

function chargeOf(row: Fields, table: string, { findings }: MapContext): number {
  const quota = row.whole('quota');
  if (quota > 0) findings.add('task-moved', table, row.id, String(quota));
  return quota;
}

const withCharge = (text: string, charge: number): string =>
  charge > 0 ? JSON.stringify({ ...asFields(parseJson(text)), moved_quota: charge }) : text;

const unknownMoment = new Date(0).toISOString();

/** @param milliseconds since 1970; 0 stands for none */
const momentOf = (milliseconds: number): string | null =>
  milliseconds > 0 ? new Date(Math.min(milliseconds, dateOf(lastSecond).getTime())).toISOString() : null;

/** Returns the percentage of a progress such as `37%`. */
const progressOf = (row: Fields): number => Math.min(100, Math.max(0, Number.parseInt(row.text('progress'), 10) || 0));

function storable(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? null : (JSON.parse(storableJson(value)) as unknown);
}
