import {
  type Price,
  type LoggedCall,
  type OtherPrices,
  rechargeOf,
  PriceBook,
  type PriceSettings,
} from '../billing/prices/index.js';
import { LogType } from '../shared/log-type.js';
import { asList, parseFields, someNumber, type Fields as Json } from '../shared/json.js';
import type { Family } from './family.js';
import type { Accepting } from './findings.js';
import { logColumns, mapLog, type MovedLog } from './map/logs.js';
import type { Aliases } from './prices/served-calls.js';
import { possibleCalls } from './possible-calls.js';
import { rowsOf } from './source-rows.js';
import { BadRecord, Fields } from './source/fields.js';
import type { SourceDatabase } from './source/source.js';

/** Charges of one model and group that would differ on this site. */
export interface ChargeDifference {
  readonly model: string;
  readonly group: string;
  readonly calls: number;
  /** Quota that the source charged. */
  readonly there: number;
  /** Quota that this site charges; null if it refuses the calls. */
  readonly here: number | null;
  /** Additional USD that users pay in 30 days; negative if they pay less. */
  readonly perMonth: number;
  readonly isAccepted: boolean;
}

/** Log rows of the source, charged again with the prices of this site. */
export interface Replay {
  readonly rows: number;
  /** Rows whose charge is the same, within one unit. */
  readonly equal: number;
  /** Rows of models that no channel serves, or that lack a quantity that the price counts. */
  readonly unknown: number;
  /** Rows before the last change of their price. */
  readonly older: number;
  readonly different: readonly ChargeDifference[];
}

export interface ReplayInput {
  readonly family: Family;
  readonly settings: PriceSettings['values'];
  readonly served: ReadonlySet<string>;
  readonly aliases: Aliases;
  readonly decisions: Accepting;
}

const maxRows = 10_000;
/** Number of ids to read, because rows of other types are stored between those of calls. */
const readIds = 2 * maxRows;
const monthSeconds = 30 * 86_400;
const daySeconds = 86_400;

/** In the source programs, a call never uses a second model. */
const alone: OtherPrices = {
  ofDrawing: () => null,
  ofAdvice: () => null,
  ofTranscripts: () => null,
  withToolsOf: (price) => price,
};

/**
 * Charges the newest calls of the source again, with the groups that their users have in the source. A row that can be of
 * several calls, such as one under an alias, is equal if each of them costs what the source charged. Changes nothing.
 */
export async function replayCharges(
  source: SourceDatabase,
  logSource: SourceDatabase,
  { family, settings, served, aliases, decisions }: ReplayInput,
): Promise<Replay> {
  const calls = await newestCalls(logSource, family);
  const groups = await groupsOf(source);
  const book = new PriceBook({ values: settings });
  const terms = new Map<string, Json>();
  const counts = { equal: 0, unknown: 0, older: 0 };
  const different = new Map<
    string,
    { model: string; group: string; calls: number; there: number; here: number | null }
  >();
  for (const row of calls) {
    const group = row.group || groups.get(row.userId) || 'default';
    const other = parseFields(row.other) ?? {};
    const key = `${row.modelName}\n${group}`;
    const [stated, newest] = [termsOf(row, other), terms.get(key) ?? {}];
    if (Object.entries(stated).some(([name, value]) => (newest[name] ?? value) !== value)) {
      counts.older++;
      continue;
    }
    terms.set(key, { ...stated, ...newest });
    const tolerance = toleranceOf(family, other);
    const results = possibleCalls(row, other, family, aliases).map(({ model, details }) => {
      const price = book.find(model, group);
      const here = price && chargeHere({ ...row, modelName: model }, details, price, settings.QuotaPerUnit);
      if (price ? here === null : !served.has(model)) return 'unknown';
      return here !== null && Math.abs(here - row.quota) <= tolerance ? 'equal' : { model, here };
    });
    // A model has the result of its first call.
    const wrong = new Map(
      results.toReversed().flatMap((one) => (typeof one === 'string' ? [] : [[one.model, one.here] as const])),
    );
    if (wrong.size === 0) counts[results.includes('equal') ? 'equal' : 'unknown']++;
    for (const [model, here] of wrong) {
      const place = `${model}\n${group}`;
      const sum = different.get(place) ?? { model, group, calls: 0, there: 0, here: here === null ? null : 0 };
      sum.calls++;
      sum.there += row.quota;
      if (sum.here !== null) sum.here += here ?? 0;
      different.set(place, sum);
    }
  }
  const span = Math.max(daySeconds, (calls[0]?.createdAt ?? 0) - (calls.at(-1)?.createdAt ?? 0));
  const perMonth = ({ there, here }: { there: number; here: number | null }): number =>
    Math.round((((here ?? 0) - there) / settings.QuotaPerUnit) * (monthSeconds / span) * 100) / 100;
  const { accepted = [], acceptPriceDifferences } = decisions;
  return {
    rows: calls.length,
    ...counts,
    different: [...different.values()]
      .map((sum) => ({
        ...sum,
        perMonth: perMonth(sum),
        isAccepted: acceptPriceDifferences || accepted.includes(sum.model),
      }))
      .sort((left, right) => Math.abs(right.perMonth) - Math.abs(left.perMonth)),
  };
}

/**
 * Returns the quota by which a charge may differ because of rounding. one-hub rounds the tokens of each kind that a factor
 * prices to whole ones.
 */
function toleranceOf(family: Family, other: Json): number {
  if (family !== 'one-hub') return 1;
  const number = (key: string): number => someNumber(other[key]) ?? 0;
  const kinds = Math.max(0, asList(other['components']).length - 2);
  return 1 + kinds * number('model_ratio') * Math.max(1, number('completion_ratio')) * number('group_ratio');
}

/** Reads the newest calls, newest first. */
async function newestCalls(logSource: SourceDatabase, family: Family): Promise<MovedLog[]> {
  const options = { family, withContent: false, onChange: () => undefined };
  if (family === 'litellm') {
    const rows = await logSource.newest('logs', { by: 'created_at', limit: maxRows, columns: logColumns });
    return rows.flatMap((row) => readCall(new Fields(row), options) ?? []);
  }
  if (!logSource.columns.has('logs')) return [];
  const { last } = await logSource.one('logs', 'MAX(id) AS last', `type = ${LogType.consume}`);
  const calls: MovedLog[] = [];
  for await (const page of rowsOf(logSource, 'logs', logColumns, Math.max(0, Number(last ?? 0) - readIds))) {
    for (const row of page) {
      const call = readCall(row, options);
      if (call) calls.push(call);
    }
  }
  return calls.reverse().slice(0, maxRows);
}

function readCall(row: Fields, options: Parameters<typeof mapLog>[1]): MovedLog | null {
  try {
    const log = mapLog(row, options);
    return log.type === LogType.consume ? log : null;
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    return null;
  }
}

/** Returns the groups of users, because rows of one-api have no group. */
async function groupsOf(source: SourceDatabase): Promise<Map<number, string>> {
  const groups = new Map<number, string>();
  for await (const page of rowsOf(source, 'users', ['id', 'group'])) {
    for (const row of page) groups.set(Number(row.text('id')), row.text('group'));
  }
  return groups;
}

/** Returns the factors of a row's charge that it states: in its details, or in one-api's text. */
function termsOf({ content }: MovedLog, other: Json): Json {
  const names = ['model_ratio', 'completion_ratio', 'cache_ratio', 'model_price', 'group_ratio'];
  const noted = names.map((name) => [name, other[name]] as const);
  const text = /[\d.]+ × [\d.]+ × [\d.]+/.exec(content)?.[0];
  return Object.fromEntries(
    [...noted, ['text', text] as const].filter(([, value]) => value !== undefined && value !== null),
  );
}

function chargeHere(row: MovedLog, other: Json, price: Price, quotaPerUnit: number): number | null {
  if (other['uncounted'] === true) return null;
  const count = (key: string): number => someNumber(other[key]) ?? 0;
  // Rows of Messages calls count the prompt without cached tokens.
  const beside = other['claude'] === true ? count('cache_tokens') + count('cache_creation_tokens') : 0;
  const call: LoggedCall = {
    model: row.modelName,
    promptTokens: row.promptTokens + beside,
    completionTokens: row.completionTokens,
    other: { ...ofSpeech(other), ...other, cache_creation_1h_tokens: count('cache_creation_tokens_1h') },
  };
  return rechargeOf(call, price, quotaPerUnit, () => null, alone)?.quota ?? null;
}

/** Returns the lines of a row of new-api and Veloera that counts audio apart. */
function ofSpeech(other: Json): Json {
  const columns = {
    input: 'text_input',
    audioInput: 'audio_input',
    output: 'text_output',
    audioOutput: 'audio_output',
  };
  const lines = Object.entries(columns).map(
    ([quantity, column]) => [quantity, someNumber(other[column]) ?? 0, 0] as const,
  );
  return typeof other['text_input'] === 'number' ? { components: lines.filter(([, count]) => count > 0) } : {};
}
