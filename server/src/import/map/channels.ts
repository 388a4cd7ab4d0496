import { checkMapping, checkObject, checkOverride, checkSetting } from '../../console/channels/index.js';
import { providerOf } from '../../dialects/providers/providers.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { splitList } from '../../shared/comma-list.js';
import { parseBodyOverride, parseHeaderOverride } from '../../shared/channel-override.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, parseFields, parseJson, type Fields as Json } from '../../shared/json.js';
import { maxInt32 } from '../../shared/limits.js';
import type { Fields } from '../source/fields.js';
import { mapType } from './channel-types.js';
import { amountOf, type MapContext, type Mapped, type Mapper } from './mapped.js';

const table = 'channels';
/**
 * The step between the ids of the channels into which one source channel is split. They are far above the ids of the
 * source.
 */
const splitStep = 100_000_000;
/** The number of steps that fits into the id column. Further documents get ids between the steps. */
const splitSteps = 22;
const betweenSteps = 1_000_000;

/** Returns the id of the channel for the key of a source row, which is the id and the position of a key document. */
export function channelOf(key: string): { id: number } {
  const [id, index = 0] = key.split('/').map(Number);
  return { id: (id ?? 0) + (index % splitSteps) * splitStep + Math.floor(index / splitSteps) * betweenSteps };
}

/** Maps a channel. Channels keep their ids, because log rows and clients that pin a channel name them. */
export const mapChannel: Mapper = (row, context) => {
  const { findings, family } = context;
  const { id } = row;
  const models = splitList(row.text('models'));
  const given = row.whole('type', 1);
  const mapping = mapType(family, given, models, row.text('plugin'));
  if (!mapping) findings.add('channel-type', table, id, `type ${given}, ${row.text('name')}: ${models.join(',')}`);
  const type = mapping?.type ?? given;
  const config = parseFields(row.text('config')) ?? {};
  const settings = new ChannelSettings(row, context);
  const shared = {
    type,
    name: row.text('name').trim() || `channel ${id}`,
    openai_organization: row.text('openai_organization').trim(),
    test_model: row.text('test_model').trim(),
    weight: row.clamped('weight', 0, maxInt32),
    priority: row.clamped('priority', -maxInt32, maxInt32),
    created_time: row.seconds('created_time'),
    test_time: row.seconds('test_time'),
    response_time: row.clamped('response_time', 0, maxInt32),
    base_url: (row.text('base_url').trim().replace(/\/+$/, '') || (mapping?.baseUrl ?? '')) + (mapping?.path ?? ''),
    other: mapping?.other ?? otherOf(type, row, config),
    balance: row.decimal('balance'),
    balance_updated_time: row.seconds('balance_updated_time'),
    models: models.join(','),
    group: splitList(row.text('group')).join(',') || 'default',
    model_mapping: settings.read('model_mapping', (text) => checkMapping(text, 'modelMapping')),
    status_code_mapping: settings.read('status_code_mapping', (text) => checkObject(text, 'statusCodeMapping')),
    // NULL means off in the source programs.
    auto_ban: row.whole('auto_ban') === 1 ? 1 : 0,
    other_info: row.text('other_info'),
    tag: row.text('tag').trim(),
    setting: settings.setting(),
    param_override: settings.read('param_override', (text) => checkOverride(text, 'paramOverride', parseBodyOverride)),
    header_override: settings.read('header_override', (text) =>
      checkOverride(text, 'headerOverride', parseHeaderOverride),
    ),
    model_prefix: row.text('model_prefix').trim(),
  };
  settings.others(config);
  const needsBaseUrl = mapping?.needsBaseUrl ?? providerOf(type).needsBaseUrl;
  if (needsBaseUrl && shared.base_url === '') settings.break('the base URL is missing');
  const isUsable = mapping !== null && !settings.isBroken;
  const status = [1, 2, 3].includes(row.whole('status', 1)) ? row.whole('status', 1) : 2;
  const keys = keysOf(type, row, config, context);
  const alive = [...keys.keys()].filter((index) => keys[index] !== null);
  const [base = 0, ...rest] = alive;
  const one = (index: number, text: string, used: number): Mapped => {
    const key = index === 0 ? String(id) : `${id}/${index}`;
    return {
      key,
      values: { ...shared, ...channelOf(key), status: isUsable && text !== '' ? status : 2 },
      sealed: { key_sealed: text },
      amounts: { used_quota: used },
    };
  };
  const used = amountOf(row, 'used_quota', table, context);
  if (used < 0) findings.add('counter-negative', table, id, String(used));
  if (rest.length > 0) findings.add('channel-key-split', table, id, `${alive.length} documents`);
  const tag = shared.tag || (keys.length > 1 ? `channel-${id}` : '');
  const moved = [one(0, keys[base] ?? '', Math.max(0, used)), ...rest.map((index) => one(index, keys[index] ?? '', 0))];
  return [
    ...moved.map((mapped) => ({ ...mapped, values: { ...mapped.values, tag } })),
    // Documents keep their positions, so that a later run finds those that were disabled since the first run.
    ...[...keys.keys()]
      .filter((index) => index > 0 && !rest.includes(index))
      .map((index): Mapped => ({ key: `${id}/${index}`, values: channelOf(`${id}/${index}`), isGone: true })),
  ];
};

/** Returns the field `other`, whose meaning depends on the provider. one-api keeps it in `config`. */
function otherOf(type: number, row: Fields, config: Json): string {
  const text = (key: string): string => (typeof config[key] === 'string' ? config[key] : '');
  const azure = parseFields(row.text('settings'))?.['azure_responses_version'];
  const fromConfig: Partial<Record<number, string>> = {
    3: text('api_version') || (typeof azure === 'string' ? azure : ''),
    17: text('plugin'),
    21: text('library_id'),
    39: text('user_id'),
    41: text('region'),
  };
  return row.text('other').trim() || (fromConfig[type] ?? '') || (type === 41 ? 'us-central1' : '');
}

/**
 * Returns the keys as this product stores them: joined by commas, or one document per channel.
 * @returns null for a document that is disabled in the source program
 */
function keysOf(type: number, row: Fields, config: Json, { findings, family }: MapContext): Array<string | null> {
  const text = (name: string): string => (typeof config[name] === 'string' ? config[name] : '');
  const key = row.text('key').trim();
  const dead = deadKeys(row);
  if (type === 33 && text('ak') !== '') return [`${text('ak')}|${text('sk')}|${text('region')}`];
  if (type === 41) {
    const documents = parseJson(key);
    if (Array.isArray(documents)) {
      const alive = documents.map((document, index) => (dead.has(index) ? null : JSON.stringify(document)));
      const lost = alive.filter((one) => one === null).length;
      if (lost > 0) findings.add('channel-keys', table, row.id, `${lost} of ${documents.length}`);
      return alive;
    }
    return [text('vertex_ai_adc') || key];
  }
  const isDocument = providerOf(type).keyForm === 'document' || asFields(parseJson(key)) !== null;
  if (isDocument) return [key];
  const given =
    family === 'new-api' || family === 'one-hub' ? key.split(/\r?\n/).map((one) => one.trim()) : splitKeys(key, 'list');
  const alive = given.filter((one, index) => one !== '' && !dead.has(index));
  if (dead.size > 0) findings.add('channel-keys', table, row.id, `${given.length - alive.length} of ${given.length}`);
  return [[...new Set(alive)].join(',')];
}

/** Returns the positions of the keys that new-api has disabled. */
function deadKeys(row: Fields): Set<number> {
  const info = parseFields(row.text('channel_info'));
  const list = asFields(info?.['multi_key_status_list']) ?? {};
  const dead = Object.entries(list).filter(([, status]) => status === 2 || status === 3);
  return new Set(dead.map(([index]) => Number(index)));
}

/** Reads the JSON texts of a channel. If one cannot be stored, responses would change, so the channel is disabled. */
class ChannelSettings {
  isBroken = false;

  constructor(
    private readonly row: Fields,
    private readonly context: MapContext,
  ) {}

  read(column: string, check: (text: string) => string): string {
    const text = this.row.text(column);
    try {
      return check(text);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.break(`${column}: ${error.message}`);
      return '';
    }
  }

  /** Returns the column `setting`, without fields that have no counterpart. */
  setting(): string {
    const given = parseFields(this.row.text('setting')) ?? {};
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(given)) {
      if (known.has(key)) kept[key] = value;
      else if (value !== false && value !== '' && value !== null) {
        this.drop(`setting ${key}`);
      }
    }
    if (Object.keys(kept).length === 0) return '';
    const text = JSON.stringify(kept);
    try {
      return checkSetting(text);
    } catch {
      this.break('setting is not valid');
      return '';
    }
  }

  /** Reports columns and keys that no other method reads. */
  others(config: Json): void {
    if (this.row.text('system_prompt').trim() !== '') this.drop('system_prompt, which changes responses');
    for (const [key, value] of Object.entries(parseFields(this.row.text('settings')) ?? {})) {
      if (key !== 'azure_responses_version' && value !== false && value !== '' && value !== null) {
        this.drop(`settings ${key}`);
      }
    }
    const info = parseFields(this.row.text('channel_info'));
    const mode = info?.['multi_key_mode'];
    if (info?.['is_multi_key'] === true && typeof mode === 'string' && mode !== '') this.drop(`multi-key mode ${mode}`);
    if (typeof config['vertex_ai_project_id'] === 'string' && config['vertex_ai_project_id'] !== '') {
      this.drop('config vertex_ai_project_id: the project of the key applies');
    }
  }

  break(detail: string): void {
    this.isBroken = true;
    this.context.findings.add('channel-settings', table, this.row.id, detail);
  }

  private drop(detail: string): void {
    this.context.findings.add('channel-setting-dropped', table, this.row.id, detail);
  }
}

const known = new Set(['proxy', 'force_format', 'thinking_to_content', 'stream_support']);
