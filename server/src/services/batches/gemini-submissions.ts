import { malformed } from '../../dialects/errors/relay-error.js';
import { asFields, asText, either, type Fields } from '../../dialects/neutral/fields.js';
import { writeJson } from '../../shared/exact-json.js';
import { generateEndpoint } from '../chat/chat-endpoints.js';
import { geminiCallOf } from '../chat/gemini-path.js';
import type { ObjectAccounts } from '../objects/object-accounts.js';
import type { ObjectCall } from '../objects/object-calls.js';
import { batchRefused, withLineNumber } from './batch-errors.js';
import type { BatchEstimate, BatchLine, BatchLines } from './batch-lines.js';
import type { BatchSubmissions, BatchSubmission } from './batches.js';
import { geminiBatches, markedName, maxResults } from './gemini-batches.js';

interface GeminiSubmissionsDeps {
  readonly accounts: ObjectAccounts;
  readonly lines: BatchLines;
}

/** Limits of Google for requests in the body (https://ai.google.dev/gemini-api/docs/batch-api, November 2026). */
const maxBytes = 20 * 1024 * 1024;
const maxLines = 100_000;
const known: ReadonlySet<string> = new Set([
  ...['displayName', 'display_name', 'inputConfig', 'input_config', 'priority'],
  // They repeat the path, or are set by Google.
  ...['model', 'name', 'state'],
]);

/**
 * Creates batches of Gemini. Their lines are in the request: Google returns generated files only (`File.downloadUri` of
 * https://ai.google.dev/api/files, November 2026), so the lines of an uploaded one cannot be checked.
 */
export class GeminiSubmissions implements BatchSubmissions {
  constructor(private readonly deps: GeminiSubmissionsDeps) {}

  async read(call: ObjectCall, body: Fields): Promise<BatchSubmission> {
    const { model } = geminiCallOf(call.incoming);
    const batch = asFields(body['batch']) ?? {};
    const unknown = Object.keys(batch).find((name) => !known.has(name));
    if (unknown !== undefined) throw malformed(`batch.${unknown} is not served`);
    const requests = requestsOf(asFields(either(batch, 'inputConfig', 'input_config')) ?? {}).map((request, index) =>
      requestOf(request, model, index + 1),
    );
    const { accounts, lines } = this.deps;
    const account = await accounts.ofNewObject(call.caller, call.groups, 'gemini', model);
    const modelPath = `/v1beta/models/${encodeURIComponent(model)}`;
    const endpoint = `${modelPath}:generateContent`;
    const named = { field: 'the path', id: model };
    const place = { call, account, endpoint: generateEndpoint, path: endpoint, maxLines, named };
    const estimate = await lines.estimate(place, requests.map(lineOf));
    checkResults(estimate);
    const displayName = markedName(asText(either(batch, 'displayName', 'display_name')), call.incoming.requestId);
    const { priority } = batch;
    // Only what was checked is sent. A field in both of Google's spellings would be read twice.
    const sent = { batch: { displayName, priority, inputConfig: { requests: { requests } } } };
    const bytes = Buffer.from(writeJson(sent));
    if (bytes.length > maxBytes) throw batchRefused('batch_too_large', 'Requests in the body may have 20 MB');
    return {
      dialect: geminiBatches,
      account,
      estimate,
      endpoint,
      path: `${modelPath}:batchGenerateContent`,
      body: bytes,
    };
  }
}

const bytesOfToken = 8;
const bytesOfResponse = 4096;

/**
 * Refuses a batch whose results, which are in one response, may be too large to be read: they could not be charged.
 * @throws RelayError batch_too_large
 */
function checkResults({ lines, outputTokens }: BatchEstimate): void {
  if (outputTokens * bytesOfToken + lines * bytesOfResponse <= maxResults) return;
  throw batchRefused('batch_too_large', 'The responses may have 32 MB: send fewer lines, or limit their output');
}

/** A request of a batch and what its client says about it. */
interface GeminiRequest {
  readonly request: Fields;
  readonly metadata?: unknown;
}

/** @throws RelayError batch_file_unreadable, invalid_request */
function requestsOf(input: Fields): readonly unknown[] {
  if (either(input, 'fileName', 'file_name') !== undefined) {
    throw batchRefused(
      'batch_file_unreadable',
      'Google does not return uploaded files, so the lines of one cannot be checked: send them in the request (inputConfig.requests)',
    );
  }
  const list = asFields(input['requests'])?.['requests'];
  if (!Array.isArray(list)) throw malformed('batch.inputConfig.requests.requests is missing');
  return list;
}

function requestOf(given: unknown, model: string, line: number): GeminiRequest {
  const { request: asked, metadata } = asFields(given) ?? {};
  const { model: named, ...request } = asFields(asked) ?? {};
  if (!asFields(asked))
    throw withLineNumber(batchRefused('batch_line_invalid', 'it must be an object with request'), line);
  if (named !== undefined && named !== model && named !== `models/${model}`) {
    const message = `Model ${asText(named)} is not that of the path, ${model}`;
    throw withLineNumber(batchRefused('batch_model_mismatch', message), line);
  }
  return metadata === undefined ? { request } : { request, metadata };
}

/** Google asks for no ids, so the lines are counted. */
const lineOf = ({ request }: GeminiRequest, index: number): BatchLine => ({
  id: String(index + 1),
  body: Buffer.from(writeJson(request)),
});
