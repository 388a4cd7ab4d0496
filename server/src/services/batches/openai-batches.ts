import { toOneShotUsage } from '../../dialects/languages/openai/one-shot-usage.js';
import { chatUsage } from '../../dialects/languages/openai/usage.js';
import { toResponsesUsage } from '../../dialects/languages/responses/responses-usage.js';
import { asFields, asFieldsList, asText, type Fields } from '../../dialects/neutral/fields.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { chatEndpoint, responsesEndpoint } from '../chat/chat-endpoints.js';
import { completionsEndpoint } from '../chat/completions-endpoint.js';
import { embeddingsEndpoint } from '../embeddings/embedding-endpoints.js';
import { text, whole } from '../tasks/field.js';
import type { BatchDialect } from './batch-dialect.js';

/** Endpoints of which OpenAI runs batches and that are charged by tokens. */
export const batchEndpoints: ReadonlyMap<unknown, Endpoint> = new Map([
  ['/v1/chat/completions', chatEndpoint],
  ['/v1/responses', responsesEndpoint],
  ['/v1/embeddings', embeddingsEndpoint],
  ['/v1/completions', completionsEndpoint],
]);

/** The entry of `metadata` by which a batch is recognized whose creation was not confirmed. */
export const markName = 'gateway_request';

const listPath = '/v1/batches?limit=100';
const over: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled']);

const withoutMark = (metadata: unknown): Fields | null => {
  const { [markName]: _mark, ...rest } = asFields(metadata) ?? {};
  return Object.keys(rest).length === 0 ? null : rest;
};

/** Batches of OpenAI (platform.openai.com/docs/api-reference/batch, November 2026). */
export const openAIBatches: BatchDialect = {
  api: 'openai',
  idOf: (part) => part,
  pathOf: (id) => `/v1/batches/${encodeURIComponent(id)}`,
  cancelling: '/cancel',
  list: {
    path: listPath,
    isOf: ({ metadata }, requestId) => asFields(metadata)?.[markName] === requestId,
    // The newest batch is the first.
    read({ data, has_more: hasMore }, since) {
      const batches = asFieldsList(data);
      const last = batches.at(-1);
      const goesOn = last && hasMore === true && whole(last['created_at']) >= since;
      return { batches, next: goesOn ? `${listPath}&after=${encodeURIComponent(asText(last['id']))}` : null };
    },
  },
  report(batch) {
    const { status } = batch;
    const counts = asFields(batch['request_counts']) ?? {};
    const files = [batch['output_file_id'], batch['error_file_id']].map(asText).filter((id) => id !== '');
    return {
      id: asText(batch['id']),
      isOver: over.has(status),
      isCancellable: status === 'validating' || status === 'in_progress',
      done: whole(counts['completed']) + whole(counts['failed']),
      total: whole(counts['total']),
      reason: status === 'completed' ? '' : reasonOf(batch),
      results: files.map((id) => `/v1/files/${encodeURIComponent(id)}/content`),
      lines: [],
      files,
    };
  },
  shown: (batch) => ({ ...batch, metadata: withoutMark(batch['metadata']) }),
  stored: (shown) => shown,
  isStoredWhole: true,
  filePathOf: (id) => `/v1/files/${encodeURIComponent(id)}`,
  presented: (batch) => batch,
  page: ({ data, ids, hasMore }) => ({
    object: 'list',
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: hasMore,
  }),
  sizeName: 'limit',
  afterName: 'after',
  unfinished: (batch) => ({ ...batch, status: 'finalizing', output_file_id: null, error_file_id: null }),
  nameOf: (line) => asText(line['custom_id']),
  isAnswered: (line) => asFields(line['response'])?.['status_code'] === 200,
  usageOf(line, endpoint) {
    const body = asFields(asFields(line['response'])?.['body']);
    if (!body) return null;
    if (endpoint === '/v1/responses') return toResponsesUsage(body);
    if (endpoint === '/v1/embeddings') return toOneShotUsage(asFields(body['usage']) ?? {});
    return chatUsage(body);
  },
};

function reasonOf({ status, errors }: Fields): string {
  const messages = asFieldsList(asFields(errors)?.['data']).map((error) => text(error['message'], 500));
  return [asText(status), ...messages.slice(0, 5)].join(': ');
}
