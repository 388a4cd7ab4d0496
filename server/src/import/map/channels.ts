import { channelStatuses, jsonFields, readJson, statusCodeOf } from '../../console/channels/index.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { dateOrNull } from '../../shared/clock.js';
import { splitList } from '../../shared/comma-list.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, parseFields, parseJson, type Fields as Json } from '../../shared/json.js';
import { lastSecond, maxInt32 } from '../../shared/limits.js';
import type { Family } from '../family.js';
import type { Fields } from '../source/fields.js';
import { mapType } from './channel-types.js';
import { amountOf, type MapContext, type Mapped, type Mapper, type Values } from './mapped.js';

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
  const groups = splitList(row.text('group'));
  const given = row.whole('type', 1);
  const mapping = mapType(family, given, models, row.text('plugin'));
  if (!mapping) findings.add('channel-type', table, id, `type ${given}, ${row.text('name')}: ${models.join(',')}`);
  const type = mapping?.type ?? given;
  const config = parseFields(row.text('config')) ?? {};
  // new-api has called Ollama's own API since 2026.
  const isOwnOllama = given === 4 && context.prices?.generation === 'new-api 2026';
  const settings = new ChannelSettings(row, context);
  const baseUrl = row.text('base_url').trim().replace(/\/+$/, '') || (mapping?.baseUrl ?? '');
  const shared = {
    type,
    name: row.text('name').trim() || `channel ${id}`,
    openai_organization: row.text('openai_organization').trim(),
    test_model: row.text('test_model').trim(),
    weight: row.clamped('weight', 0, maxInt32),
    priority: row.clamped('priority', -maxInt32, maxInt32),
    created_at: row.moment('created_time'),
    tested_at: row.moment('test_time'),
    response_time: row.clamped('response_time', 0, maxInt32),
    base_url: baseUrl && baseUrl + (mapping?.path ?? ''),
    other: mapping?.other ?? (type === 24 ? geminiVersions(row, config, family) : otherOf(type, row, config)),
    balance: row.decimal('balance'),
    balance_at: row.moment('balance_updated_time'),
    models,
    groups: groups.length > 0 ? groups : ['default'],
    model_mapping: settings.read('model_mapping', 'modelMapping'),
    status_code_mapping: settings.statusCodes(),
    // NULL means off in the source programs.
    auto_disable: row.whole('auto_ban') === 1,
    ...statusChangeOf(row),
    tag: row.text('tag').trim(),
    setting: settings.setting(mapping?.isAlternative ?? isOwnOllama),
    parameters: settings.read('param_override', 'parameters'),
    headers: settings.read('header_override', 'headers'),
    model_prefix: row.text('model_prefix').trim(),
  };
  settings.others(config);
  const needsBaseUrl = mapping?.needsBaseUrl ?? providerOf(type).needsBaseUrl;
  if (needsBaseUrl && shared.base_url === '') settings.break('the base URL is missing');
  const isUsable = mapping !== null && !settings.isBroken;
  const status = channelStatuses[row.whole('status', 1) - 1] ?? 'disabled';
  const keys = keysOf(type, row, config, context);
  const alive = [...keys.keys()].filter((index) => keys[index] !== null);
  const [base = 0, ...rest] = alive;
  const one = (index: number, text: string, used: number): Mapped => {
    const key = index === 0 ? String(id) : `${id}/${index}`;
    return {
      key,
      values: { ...shared, ...channelOf(key), status: isUsable && text !== '' ? status : 'disabled' },
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

/** Reads why and when the source program changed the status last. */
function statusChangeOf(row: Fields): Values {
  const { status_reason: reason, status_time: time } = parseFields(row.text('other_info')) ?? {};
  const at = typeof time === 'number' ? dateOrNull(Math.min(time, lastSecond)) : null;
  return { status_reason: at && typeof reason === 'string' ? reason : '', status_changed_at: at };
}

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

/** Returns the versions of Gemini's API that the source program calls; empty for the site's setting. */
function geminiVersions(row: Fields, config: Json, family: Family): string {
  if (family === 'one-hub') return row.text('other').trim();
  if (family !== 'one-api') return '';
  const given = config['api_version'];
  return typeof given === 'string' && given !== ''
    ? given
    : JSON.stringify({ default: 'v1', 'gemini-2.0-flash-exp': 'v1beta' });
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
    const given = vertexKeys(key);
    if (given === null) return [text('vertex_ai_adc') || key];
    const alive = given.map((one, index) => (dead.has(index) ? null : one));
    const lost = alive.filter((one) => one === null).length;
    if (lost > 0) findings.add('channel-keys', table, row.id, `${lost} of ${given.length}`);
    return alive;
  }
  const isDocument = providerOf(type).keyForm === 'document' || asFields(parseJson(key)) !== null;
  if (isDocument) return [key];
  const given =
    family === 'new-api' || family === 'one-hub' ? key.split(/\r?\n/).map((one) => one.trim()) : splitKeys(key, 'list');
  const alive = given.filter((one, index) => one !== '' && !dead.has(index));
  if (dead.size > 0) findings.add('channel-keys', table, row.id, `${given.length - alive.length} of ${given.length}`);
  return [[...new Set(alive)].join(',')];
}

/** Returns the keys of a Vertex channel that has several: a list of documents, or API keys, one a line. Null for one key. */
function vertexKeys(key: string): string[] | null {
  const documents = parseJson(key);
  if (Array.isArray(documents)) return documents.map((document) => JSON.stringify(document));
  const lines = key.split(/\r?\n/).map((line) => line.trim());
  return lines.length > 1 && !key.startsWith('{') ? lines : null;
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

  /** @param clean leaves out parts that have no counterpart */
  read(column: string, field: keyof typeof jsonFields, clean = (given: unknown) => given): unknown {
    try {
      return jsonFields[field](clean(readJson(this.row.text(column), field)));
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.break(`${column}: ${error.message}`);
      return jsonFields[field](null);
    }
  }

  /** Returns the mapping of status codes, without entries that match no response. */
  statusCodes(): unknown {
    return this.read('status_code_mapping', 'statusCodeMapping', (given) => {
      const entries = Object.entries(asFields(given) ?? {}).filter(([from, to]) => {
        const isEntry = statusCodeOf(from) !== null && statusCodeOf(to) !== null;
        if (!isEntry) this.drop(`status_code_mapping ${from}`);
        return isEntry;
      });
      return asFields(given) ? Object.fromEntries(entries) : given;
    });
  }

  /** Returns the column `setting`, without fields that have no counterpart. */
  setting(isAlternative: boolean): unknown {
    const given = parseFields(this.row.text('setting')) ?? {};
    const kept: Record<string, unknown> = isAlternative ? { chat_upstream: 'alternative' } : {};
    for (const [key, value] of Object.entries(given)) {
      if (known.has(key)) kept[key] = value;
      else if (value !== false && value !== '' && value !== null) {
        this.drop(`setting ${key}`);
      }
    }
    try {
      return jsonFields.setting(kept);
    } catch {
      this.break('setting is not valid');
      return {};
    }
  }

  /** Reports columns and keys that no other method reads. */
  others(config: Json): void {
    if (this.row.text('system_prompt').trim() !== '') this.drop('system_prompt, which changes responses');
    for (const [key, value] of Object.entries(parseFields(this.row.text('settings')) ?? {})) {
      if (!readElsewhere.has(key) && value !== false && value !== '' && value !== null) {
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

/** Keys of the column `settings` that other functions read, and those that name a form of keys, which the keys show. */
const readElsewhere = new Set(['azure_responses_version', 'vertex_key_type', 'aws_key_type']);
const known = new Set(['proxy', 'force_format', 'thinking_to_content', 'stream_support']);
