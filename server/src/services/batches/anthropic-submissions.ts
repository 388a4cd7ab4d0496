import { malformed } from '../../dialects/errors/relay-error.js';
import { asFields, asText, type Fields } from '../../dialects/neutral/fields.js';
import { writeJson } from '../../shared/exact-json.js';
import { messagesEndpoint } from '../chat/chat-endpoints.js';
import type { ObjectAccounts } from '../objects/object-accounts.js';
import type { ObjectCall } from '../objects/object-calls.js';
import { featureHeaders } from '../objects/object-exchange.js';
import { anthropicBatches, anthropicPath } from './anthropic-batches.js';
import { batchRefused, withLineNumber } from './batch-errors.js';
import type { BatchLine, BatchLines } from './batch-lines.js';
import type { BatchSubmissions, BatchSubmission } from './batches.js';

interface AnthropicSubmissionsDeps {
  readonly accounts: ObjectAccounts;
  readonly lines: BatchLines;
}

const endpointPath = '/v1/messages';
/** The limit of Anthropic. */
const maxLines = 100_000;

/** Creates batches of Anthropic. Their lines are in the request, which is passed on unchanged. */
export class AnthropicSubmissions implements BatchSubmissions {
  constructor(private readonly deps: AnthropicSubmissionsDeps) {}

  async read(call: ObjectCall, body: Fields): Promise<BatchSubmission> {
    const { requests } = body;
    if (!Array.isArray(requests)) throw malformed('requests is missing');
    const { accounts, lines } = this.deps;
    const model = asText(asFields(asFields(requests[0])?.['params'])?.['model']);
    const account = await accounts.ofNewObject(call.caller, call.groups, 'anthropic', model);
    const named = { field: 'requests', id: model };
    const place = { call, account, endpoint: messagesEndpoint, path: endpointPath, maxLines, named };
    const estimate = await lines.estimate(place, linesOf(requests));
    const headers = featureHeaders(account, call.incoming);
    const sent = { endpoint: endpointPath, path: anthropicPath, headers, body: Buffer.from(writeJson(body)) };
    return { dialect: anthropicBatches, account, estimate, ...sent };
  }
}

/** Reads the lines of a request: `{"custom_id", "params"}`. */
function* linesOf(requests: readonly unknown[]): Generator<BatchLine> {
  let count = 0;
  for (const request of requests) {
    count++;
    const line = asFields(request);
    const params = asFields(line?.['params']);
    if (!line || !params) {
      throw withLineNumber(batchRefused('batch_line_invalid', 'it must be an object with custom_id and params'), count);
    }
    yield { id: asText(line['custom_id']), body: Buffer.from(writeJson(params)) };
  }
}
