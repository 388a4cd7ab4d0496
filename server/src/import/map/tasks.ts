import { storableJson, parseJson, asFields } from '../../shared/json.js';
import { maxInt32 } from '../../shared/limits.js';
import type { Fields } from '../source/fields.js';
import type { MapContext, Mapper } from './mapped.js';

const done = '100%';
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
        submit_time: row.whole('submit_time'),
        image_url: row.text('image_url'),
        start_time: row.whole('start_time'),
        finish_time: row.whole('finish_time'),
        buttons: row.text('buttons'),
        status: row.text('status'),
        progress: row.text('progress') || '0%',
        fail_reason: row.text('fail_reason'),
        properties: withCharge(row.text('properties'), charge),
      },
    },
  ];
};

/** Maps music and other tasks. A task stays open only if this product polls its platform. */
export const mapTask: Mapper = (row, context) => {
  const table = 'tasks';
  const { id } = row;
  const platform = row.code('platform') || 'suno';
  const isLost = row.text('progress') !== done && platform !== 'suno';
  if (isLost) context.findings.add('task-open', table, id, `${platform} ${row.code('task_id')}`);
  const charge = chargeOf(row, table, context);
  const upstream = asFields(parseJson(row.text('private_data')))?.['upstream_task_id'];
  return [
    {
      key: String(id),
      values: {
        ...base(row, context, `move:task:${id}`),
        created_at: row.whole('created_at'),
        updated_at: row.whole('updated_at'),
        platform,
        task_id: typeof upstream === 'string' && upstream !== '' ? upstream : row.code('task_id'),
        action: row.text('action'),
        submit_time: row.whole('submit_time'),
        start_time: row.whole('start_time'),
        // The time of the run is not used, so that a second run produces the same row.
        finish_time: isLost ? row.whole('updated_at', row.whole('submit_time')) : row.whole('finish_time'),
        status: isLost ? 'FAILURE' : row.text('status') || 'NOT_START',
        progress: isLost ? done : row.text('progress') || '0%',
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

function storable(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? null : (JSON.parse(storableJson(value)) as unknown);
}
