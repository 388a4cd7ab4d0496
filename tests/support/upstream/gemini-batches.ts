import { BatchRefusal } from './batches.js';

/*
 * Batches of Gemini, as https://ai.google.dev/api/batch-api and https://ai.google.dev/gemini-api/docs/batch-api describe
 * them in November 2026: operations, whose metadata has the state and, at the end, the output. 64-bit numbers are texts.
 */

type Json = Record<string, unknown>;

/** A request of a batch. */
export interface AskedContent {
  readonly request: Json;
  readonly metadata?: Json;
}

export type ContentResult = { readonly response: Json } | { readonly error: Json };

/** Answers with 1,000 tokens of prompt and 200 of output. */
export const usualContent = (): ContentResult => ({
  response: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 200, totalTokenCount: 1200 },
  },
});

interface MadeBatch {
  readonly key: string;
  shown: Json;
  readonly requests: readonly AskedContent[];
}

const typeOf = (name: string): string => `type.googleapis.com/google.ai.generativelanguage.v1main.${name}`;
const now = (): string => new Date().toISOString();
const fields = new Set(['displayName', 'inputConfig', 'priority']);
const maxBytes = 20 * 1024 * 1024;

/** The batches of one scripted provider, for all of its accounts. */
export class GeminiBatches {
  readonly made = new Map<string, MadeBatch>();
  private count = 0;

  /** @param addFile stores a file of results */
  constructor(private readonly addFile: (key: string, name: string, content: Buffer) => void) {}

  /** Answers `POST /v1beta/models/{model}:batchGenerateContent`. */
  create(model: string, key: string, body: Json): Json {
    const batch = (body['batch'] ?? {}) as Json;
    const unknown = Object.keys(batch).find((name) => !fields.has(name));
    if (unknown !== undefined) throw new BatchRefusal(400, `Unknown name "${unknown}" at 'batch': Cannot find field.`);
    const input = (batch['inputConfig'] ?? {}) as { requests?: { requests?: AskedContent[] } };
    const requests = input.requests?.requests ?? [];
    if (requests.length === 0) throw new BatchRefusal(400, 'batch.input_config: at least one request is needed');
    if (JSON.stringify(body).length > maxBytes) throw new BatchRefusal(400, 'Request payload size exceeds the limit');
    if (requests.some(({ request }) => !Array.isArray(request['contents']))) {
      throw new BatchRefusal(400, 'GenerateContentRequest.contents: contents is not specified');
    }
    const name = `batches/b${++this.count}`;
    const requestCount = String(requests.length);
    const metadata = {
      '@type': typeOf('GenerateContentBatch'),
      model: `models/${model}`,
      displayName: batch['displayName'],
      createTime: now(),
      updateTime: now(),
      batchStats: { requestCount, pendingRequestCount: requestCount },
      state: 'BATCH_STATE_PENDING',
      name,
    };
    const shown = { name, metadata };
    this.made.set(name, { key, shown, requests });
    return shown;
  }

  /** Answers a request below `/v1beta/batches`. */
  serve(method: string, id: string, verb: string, key: string, query: URLSearchParams): Json {
    if (id === '') return this.list(key, query);
    const name = `batches/${id}`;
    const batch = this.made.get(name);
    if (!batch || batch.key !== key) throw new BatchRefusal(404, 'Requested entity was not found.');
    if (method === 'DELETE') {
      this.made.delete(name);
      return {};
    }
    if (method === 'GET' && verb === '') return batch.shown;
    if (method !== 'POST' || verb !== 'cancel') throw new BatchRefusal(404, 'Not found');
    if (batch.shown['done']) throw new BatchRefusal(400, 'The batch has ended');
    return {};
  }

  /** Pages are in the order of creation, oldest first. */
  private list(key: string, query: URLSearchParams): Json {
    const own = [...this.made.values()].filter((batch) => batch.key === key).map(({ shown }) => shown);
    const from = Number(query.get('pageToken') ?? 0);
    const to = from + Math.min(100, Number(query.get('pageSize') ?? 50));
    return { operations: own.slice(from, to), ...(own.length > to ? { nextPageToken: String(to) } : {}) };
  }

  /** Ends a batch, with the results in it, or in a file. */
  end(
    name: string,
    answer: (asked: AskedContent) => ContentResult = usualContent,
    { state = 'SUCCEEDED', inFile = false }: { state?: 'SUCCEEDED' | 'CANCELLED' | 'EXPIRED'; inFile?: boolean } = {},
  ): void {
    const batch = this.find(name);
    const results = batch.requests.map((asked) => ({
      ...answer(asked),
      ...(asked.metadata ? { metadata: asked.metadata } : {}),
    }));
    const failed = results.filter((result) => 'error' in result).length;
    const responsesFile = `files/batch-${name.slice('batches/'.length)}`;
    if (inFile) {
      const lines = results.map(
        ({ metadata, ...result }) => `${JSON.stringify({ key: metadata?.['key'], ...result })}\n`,
      );
      this.addFile(batch.key, responsesFile, Buffer.from(lines.join('')));
    }
    const output = inFile ? { responsesFile } : { inlinedResponses: { inlinedResponses: results } };
    const batchStats = {
      requestCount: String(results.length),
      ...(failed < results.length ? { successfulRequestCount: String(results.length - failed) } : {}),
      ...(failed > 0 ? { failedRequestCount: String(failed) } : {}),
    };
    const metadata = {
      ...(batch.shown['metadata'] as Json),
      endTime: now(),
      output,
      batchStats,
      state: `BATCH_STATE_${state}`,
    };
    const response = { '@type': typeOf('GenerateContentBatch'), ...output };
    batch.shown = { name, metadata, done: true, response };
  }

  /** Fails a batch as a whole. */
  fail(name: string, message: string): void {
    const batch = this.find(name);
    const metadata = { ...(batch.shown['metadata'] as Json), endTime: now(), state: 'BATCH_STATE_FAILED' };
    batch.shown = { name, metadata, done: true, error: { code: 13, message } };
  }

  private find(name: string): MadeBatch {
    const batch = this.made.get(name);
    if (!batch) throw new Error(`no batch ${name}`);
    return batch;
  }
}
