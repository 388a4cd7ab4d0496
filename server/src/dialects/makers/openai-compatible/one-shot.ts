import { AppError } from '../../../shared/errors.js';
import type {
  OneShotAnswer,
  OneShotCapability,
  OneShotRequest,
  UpstreamAnswer,
  UpstreamRequest,
} from '../../contract.js';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage, UsageDetails } from '../../../shared/usage.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, parseFields, someNumber, type Fields } from '../../neutral/fields.js';
import { addOverride, overriddenBody } from '../../overrides/body-override.js';
import { minimalChange } from '../../wire/pass-through/native-body.js';
import { writeForm } from '../../wire/forms/multipart.js';
import { readError } from '../../errors/read-upstream-error.js';
import { isMarkup } from '../../neutral/media.js';
import { bearer, addressOf } from './address.js';
import type { OpenAiVariant, EndpointPath } from './variant.js';
import { toOneShotUsage } from '../../languages/openai/one-shot-usage.js';

/** A provider's differences in one kind of call. */
export interface OneShotRules {
  /** The body to send, from the client's body; missing: the client's own. `model` is already the target's. */
  readonly body?: (body: Readonly<Record<string, unknown>>, target: Target) => Record<string, unknown>;
  /** Converts the response to OpenAI's shape; missing: it has that shape already. */
  readonly answer?: (answer: Fields, request: OneShotRequest, target: Target) => Record<string, unknown>;
  /** Quantities that the provider's response reports beside tokens. */
  readonly details?: (answer: Fields) => UsageDetails | undefined;
  /** Names of client fields that `body` leaves out. */
  readonly dropped?: (body: Readonly<Record<string, unknown>>) => string[];
  readonly next?: OneShotCapability['next'];
  /**
   * The kind of a response that need not be JSON: audio, subtitles, plain transcripts. The transcript of silence is
   * empty.
   */
  readonly plain?: 'audio' | 'text';
  /** The field of the provider's response that contains the result. */
  readonly content?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onlyWhole?: true;
}

/** Lists all other fields of the client as left out, except the model and encodings, which the relay handles. */
export const othersThan =
  (...known: readonly string[]) =>
  (body: Readonly<Record<string, unknown>>): string[] =>
    Object.keys(body).filter(
      (name) =>
        !['model', 'encoding_format', ...known].includes(name) && body[name] !== undefined && body[name] !== null,
    );

/**
 * Leaves out fields that the provider refuses, and lists them, except for the encoding, which the relay handles. Fields
 * that only this provider knows pass.
 */
export const without = (...names: readonly string[]): Required<Pick<OneShotRules, 'body' | 'dropped'>> => ({
  body: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))),
  dropped: (body) =>
    names.filter((name) => name !== 'encoding_format' && body[name] !== undefined && body[name] !== null),
});

/** Sends only fields that the provider knows, and lists the others as left out. */
export const only = (...names: readonly string[]): Required<Pick<OneShotRules, 'body' | 'dropped'>> => ({
  body: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => ['model', ...names].includes(name))),
  dropped: othersThan(...names),
});

/**
 * Images of a provider that makes one per call, from these fields.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for several images
 */
export function oneImage(...names: readonly string[]): Pick<OneShotRules, 'body' | 'dropped'> {
  const { body: known } = only(...names);
  return {
    body(body, target) {
      if ((someNumber(body['n']) ?? 1) > 1) throw unsupported('n', 'it makes one image per call');
      return known(body, target);
    },
    dropped: othersThan('n', ...names),
  };
}

/** @throws AppError UNSUPPORTED_BY_CHANNEL for speech in events, for providers that send audio only */
export function needAudio(body: Readonly<Record<string, unknown>>): void {
  if (body['stream_format'] === 'sse') throw unsupported('stream_format', 'it sends audio without events');
}

/** A call that is forwarded unchanged except for the model name, and whose response goes to the client unchanged. */
export function oneShot(variant: OpenAiVariant, place: EndpointPath, rules: OneShotRules = {}): OneShotCapability {
  return {
    toUpstreamRequest: (request, target) => toUpstreamRequest(variant, place, rules, request, target),
    fromUpstreamResponse: (answer, request, target) => fromAnswer(rules, answer, request, target),
    ...(rules.next ? { next: rules.next } : {}),
    ...(rules.onlyWhole ? { onlyWhole: true } : {}),
    ...(rules.answer || rules.next ? {} : { forwards: true }),
  };
}

function toUpstreamRequest(
  variant: OpenAiVariant,
  place: EndpointPath,
  rules: OneShotRules,
  request: OneShotRequest,
  target: Target,
): UpstreamRequest {
  const { contentType, body } = request.form ? formOf(request, target) : jsonOf(request, target, rules);
  const dropped = rules.dropped?.(request.body) ?? [];
  return {
    method: 'POST',
    url: addressOf(place, request, target),
    headers: {
      'content-type': contentType,
      accept: '*/*',
      ...(variant.credentials ?? bearer)(target),
      ...variant.headers?.(target, { stream: false }),
      ...rules.headers,
    },
    body,
    upstreamModel: target.upstreamModel,
    ...(dropped.length > 0 ? { dropped } : {}),
  };
}

interface Written {
  readonly contentType: string;
  readonly body: Buffer | string;
}

function jsonOf(request: OneShotRequest, target: Target, { body: change }: OneShotRules): Written {
  const contentType = 'application/json';
  const { upstreamModel: model, passThrough } = target;
  if (change) {
    const changed = { ...change({ ...request.body, model }, target) };
    return { contentType, body: JSON.stringify(passThrough ? changed : overriddenBody(changed, target)) };
  }
  const changes: Record<string, unknown> = request.body['model'] === model ? {} : { model };
  if (!passThrough) addOverride(request.body, changes, target);
  return { contentType, body: minimalChange(request, changes) };
}

/** Files stay unchanged; the model name is an ordinary part. */
function formOf(request: OneShotRequest, { upstreamModel }: Target): Written {
  const parts = request.form ?? [];
  const named = parts.map((part) => (part.name === 'model' ? { name: 'model', value: upstreamModel } : part));
  return writeForm(
    parts.some((part) => part.name === 'model') ? named : [{ name: 'model', value: upstreamModel }, ...named],
  );
}

function fromAnswer(
  rules: OneShotRules,
  answer: UpstreamAnswer,
  request: OneShotRequest,
  target: Target,
): OneShotAnswer {
  const { contentType, body } = answer;
  if (rules.plain && !contentType.includes('json')) {
    const isSilence = rules.plain === 'text' && body.length === 0 && contentType.startsWith('text/plain');
    return { contentType, body: isSilence ? body : contentOf(answer), usage: null };
  }
  const fields = answerFields(answer);
  if (rules.content !== undefined) needContent(fields, rules.content);
  const shown = rules.answer?.(fields, request, target);
  const usage = usageOf(shown ?? fields);
  const details = rules.details?.(fields);
  return {
    contentType: 'application/json',
    body: shown ? Buffer.from(JSON.stringify(shown)) : body,
    usage: usage && details ? { ...usage, details: { ...usage.details, ...details } } : usage,
    details,
  };
}

/** @throws AppError UPSTREAM_INVALID_RESPONSE for an empty response, and for a web page */
function contentOf({ contentType, body }: UpstreamAnswer): Buffer {
  if (body.length > 0 && !(contentType.startsWith('text/html') && isMarkup(body))) return body;
  throw withoutContent();
}

const withoutContent = (): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response has no content');

/**
 * Providers report failures with status 200 in forms without `error`, such as `{"code":500,"msg":"…","data":null}`.
 * Fields other than the expected one may have the content, so a response without a message is refused only if its list
 * is empty.
 * @throws UpstreamError with the message of the response; AppError UPSTREAM_INVALID_RESPONSE
 */
function needContent(fields: Fields, name: string): void {
  const content = fields[name];
  const isEmpty = Array.isArray(content) && content.length === 0;
  if (content !== undefined && content !== null && content !== '' && !isEmpty) return;
  const error = readError(fields);
  if (error) throw new UpstreamError(502, error);
  if (isEmpty && name === 'data' && !usageOf(fields)) throw withoutContent();
}

/**
 * @throws UpstreamError when a success reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not an object
 */
export function answerFields({ body }: UpstreamAnswer): Fields {
  const fields = parseFields(body.toString('utf8'));
  if (!fields) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
  }
  const error = fields['error'] ? readError(fields) : null;
  if (error) throw new UpstreamError(502, error);
  return fields;
}

const usageOf = (fields: Fields): Usage | null => {
  const usage = asFields(fields['usage']);
  return usage ? toOneShotUsage(usage) : null;
};
