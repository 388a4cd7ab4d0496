import { toClaudeUsage } from '../../dialects/languages/anthropic/usage.js';
import { asFields, asText, type Fields } from '../../dialects/neutral/fields.js';
import { whole } from '../tasks/field.js';
import type { BatchDialect } from './batch-dialect.js';

export const anthropicPath = '/v1/messages/batches';

const pathOf = (id: string): string => `${anthropicPath}/${encodeURIComponent(id)}`;

/** Batches of Anthropic (docs.anthropic.com/en/api/creating-message-batches, November 2026). */
export const anthropicBatches: BatchDialect = {
  api: 'anthropic',
  idOf: (part) => part,
  pathOf,
  cancelling: '/cancel',
  // Nothing in a batch of Anthropic names the request that created it.
  list: null,
  report(batch) {
    const counts = asFields(batch['request_counts']) ?? {};
    const [waiting, succeeded, errored, canceled, expired] = [
      ...['processing', 'succeeded', 'errored', 'canceled', 'expired'].map((name) => whole(counts[name])),
    ] as [number, number, number, number, number];
    const done = succeeded + errored + canceled + expired;
    const id = asText(batch['id']);
    return {
      id,
      isOver: batch['processing_status'] === 'ended',
      isCancellable: batch['processing_status'] === 'in_progress',
      done,
      total: done + waiting,
      reason: canceled > 0 ? 'canceled' : expired > 0 ? 'expired' : '',
      results: [`${pathOf(id)}/results`],
      lines: [],
      files: [],
    };
  },
  shown: (batch) => batch,
  stored: (shown) => shown,
  isStoredWhole: true,
  filePathOf: () => null,
  unfinished: (batch) => ({ ...batch, processing_status: 'in_progress', ended_at: null, results_url: null }),
  presented: (batch, address) =>
    batch['results_url'] ? { ...batch, results_url: `${address}${pathOf(asText(batch['id']))}/results` } : batch,
  page: ({ data, ids, hasMore }) => ({
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: hasMore,
  }),
  sizeName: 'limit',
  afterName: 'after_id',
  nameOf: (line) => asText(line['custom_id']),
  isAnswered: (line) => asFields(line['result'])?.['type'] === 'succeeded',
  usageOf: (line) => toClaudeUsage(messageIn(line)?.['usage']),
};

const messageIn = (line: Fields): Fields | null => asFields(asFields(line['result'])?.['message']) ?? null;
