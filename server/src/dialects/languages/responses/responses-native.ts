import { AppError } from '../../../shared/errors.js';
import type { ChatAnswer, StreamTransform, Transcript } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import { asFields, asText, parseFields, someText, type Fields } from '../../neutral/fields.js';
import { NativeStream, type NativeListener } from '../../wire/pass-through/native-stream.js';
import { reportAnswer } from '../../neutral/report.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { idsOfResponse } from '../provider-ids.js';
import { lastProof } from './encrypted-reasoning.js';
import { failureOf, readResponse } from './responses-read.js';
import { ResponsesStreamReader } from './responses-stream-reader.js';
import { toolItem, toResponsesUsage, usageOfItems } from './responses-usage.js';

/**
 * A complete response in the client's own dialect: the bytes stay unchanged. Incomplete and background responses are
 * ordinary responses.
 * @throws UpstreamError when it failed; AppError UPSTREAM_INVALID_RESPONSE
 */
export function nativeResponse(body: Buffer): ChatAnswer {
  const response = parseFields(body.toString('utf8'));
  if (!response) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
  const error = failureOf(response);
  if (error) throw error;
  return {
    body,
    usage: toResponsesUsage(response),
    id: someText(response['id']),
    proof: lastProof(response['output']),
    givenIds: idsOfResponse(response),
    report: (transcript) => {
      if (Array.isArray(response['output'])) reportAnswer(readResponse(response), transcript);
    },
  };
}

/** A Responses stream for a client of the same dialect. */
export const nativeResponseStream = (transcript: Transcript): StreamTransform =>
  new NativeStream(new ResponsesListener(), new ResponsesStreamReader(), transcript);

/**
 * The statuses that failures of the provider itself have in a non-streaming response. All other codes concern the
 * request.
 */
const statusOfCode: Readonly<Record<string, number>> = {
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
};

function failureOfProvider(response: Fields): UpstreamError | undefined {
  const code = asText(asFields(response['error'])?.['code']);
  const status = Object.hasOwn(statusOfCode, code) ? statusOfCode[code] : undefined;
  return status === undefined ? undefined : toUpstreamError(status, JSON.stringify(response));
}

/** The last event repeats the whole response, and is the only one with usage. Tool calls come before it. */
class ResponsesListener implements NativeListener {
  readonly marks =
    /"response\.(?:completed|incomplete|failed)"|"error"\s*[,:]\s*[{"]|"type"\s*:\s*"error"|"(?:web_search|file_search|code_interpreter|shell|image_generation)_call"|"memory_limit"/;
  private reported: Usage | null = null;
  private readonly seen: Fields[] = [];
  private tools: unknown;
  answerId: string | undefined;
  proof: string | undefined;
  givenIds: readonly string[] | undefined;
  complete = false;
  done = false;
  failure: UpstreamError | null = null;
  reportedFailure: UpstreamError | undefined;

  read(event: Fields): boolean {
    const { type } = event;
    if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed') {
      const response = asFields(event['response']) ?? {};
      this.reported = toResponsesUsage(response, true);
      this.answerId = someText(response['id']);
      this.proof = lastProof(response['output']);
      this.givenIds = idsOfResponse(response);
      if (type === 'response.failed') this.reportedFailure = failureOfProvider(response);
      this.complete = true;
      this.done = true;
      return true;
    }
    if (type === 'response.created') this.tools = asFields(event['response'])?.['tools'];
    if (type === 'response.output_item.done') {
      const item = toolItem(asFields(event['item']));
      if (item) this.seen.push(item);
      return false;
    }
    if (type === 'error' || readError(event)) {
      this.failure = toUpstreamError(502, JSON.stringify(asFields(event['error']) ? event : { error: event }));
    }
    return false;
  }

  usage(): Usage | null {
    const isUnreported = this.reported === null && this.seen.length > 0 && this.reportedFailure === undefined;
    return isUnreported ? usageOfItems(this.seen, this.tools) : this.reported;
  }
}
