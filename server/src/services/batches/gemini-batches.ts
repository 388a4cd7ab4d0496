import { nativeGeminiUsage } from '../../dialects/languages/gemini/gemini-native.js';
import { asFields, asFieldsList, asText, without, type Fields } from '../../dialects/neutral/fields.js';
import { text, whole } from '../tasks/field.js';
import type { BatchDialect } from './batch-dialect.js';

/** Maximum bytes that all responses of a batch may have, computed from their output limits. */
export const maxResults = 32 * 1024 * 1024;

const listPath = '/v1beta/batches?pageSize=100';
const content: ReadonlySet<string> = new Set(['response', 'inputConfig', 'output']);
const outcome: ReadonlySet<string> = new Set(['done', 'error', 'response', 'output', 'endTime']);

/** Matches the end of the display name of a batch. It identifies a batch whose creation Google did not confirm. */
const mark = / ?gateway_request=(\S+)$/;

/** Returns the display name with which a batch is created by a request. */
export const markedName = (name: string, requestId: string): string => `${name} gateway_request=${requestId}`.trim();

/**
 * Batches of Gemini (https://ai.google.dev/api/batch-api, November 2026): operations whose `metadata` describes the
 * batch. Results are in the operation itself, or in a file.
 */
export const geminiBatches: BatchDialect = {
  api: 'gemini',
  idOf: (part) => `batches/${part}`,
  pathOf: (id) => `/v1beta/${id.split('/').map(encodeURIComponent).join('/')}`,
  cancelling: ':cancel',
  list: {
    path: listPath,
    isOf: ({ metadata }, requestId) => mark.exec(asText(asFields(metadata)?.['displayName']))?.[1] === requestId,
    // Google does not document an order.
    read: ({ operations, nextPageToken: token }) => ({
      batches: asFieldsList(operations),
      next: asText(token) === '' ? null : `${listPath}&pageToken=${encodeURIComponent(asText(token))}`,
    }),
  },
  report(batch) {
    const { name, done, response } = batch;
    const metadata = asFields(batch['metadata']) ?? {};
    const state = stateOf(metadata);
    const counts = asFields(metadata['batchStats']) ?? {};
    const output = asFields(metadata['output']) ?? asFields(response) ?? {};
    const file = asText(output['responsesFile']);
    return {
      id: asText(name),
      isOver: done === true || over.has(state),
      isCancellable: state === 'pending' || state === 'running',
      done: whole(counts['successfulRequestCount']) + whole(counts['failedRequestCount']),
      total: whole(counts['requestCount']),
      reason: state === 'succeeded' ? '' : [state, text(asFields(batch['error'])?.['message'], 500)].join(': '),
      results: file === '' ? [] : [`/v1beta/${file}:download?alt=media`],
      files: file === '' ? [] : [file],
      lines: asFieldsList(asFields(output['inlinedResponses'])?.['inlinedResponses']),
    };
  },
  shown: (batch) =>
    withMetadata(batch, (metadata) => {
      const name = asText(metadata['displayName']);
      return mark.test(name) ? { ...metadata, displayName: name.replace(mark, '') } : metadata;
    }),
  stored: (shown) =>
    withMetadata(without(shown, content), (metadata) => ({
      ...without(metadata, content),
      ...storedOutput(asFields(metadata['output']) ?? asFields(shown['response'])),
    })),
  isStoredWhole: false,
  // Google repeats the results in two fields.
  maxBytes: 4 * maxResults,
  filePathOf: () => null,
  presented: (batch) => batch,
  page: ({ data, ids, hasMore }) => ({ operations: data, ...(hasMore ? { nextPageToken: ids.at(-1) } : {}) }),
  sizeName: 'pageSize',
  afterName: 'pageToken',
  unfinished: (batch) =>
    withMetadata(without(batch, outcome), (metadata) => ({
      ...without(metadata, outcome),
      state: 'BATCH_STATE_RUNNING',
    })),
  // The SDK sends the key as metadata.
  nameOf: (line) => asText(line['key'] ?? asFields(line['metadata'])?.['key']),
  isAnswered: (line) => asFields(line['response']) !== null,
  usageOf: (line) => nativeGeminiUsage(asFields(line['response']) ?? {}),
};

const over: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'expired']);

/** `BATCH_STATE_SUCCEEDED` → `succeeded` */
const stateOf = ({ state }: Fields): string =>
  asText(state)
    .replace(/^[A-Z]+_STATE_/, '')
    .toLowerCase();

const withMetadata = (batch: Fields, change: (metadata: Fields) => Fields): Fields => {
  const metadata = asFields(batch['metadata']);
  return metadata ? { ...batch, metadata: change(metadata) } : batch;
};

const storedOutput = (output: Fields | null): Fields => {
  const file = output?.['responsesFile'];
  return file === undefined ? {} : { output: { responsesFile: file } };
};
