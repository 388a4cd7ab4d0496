import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, ConversationCapability, CredentialExchange } from '../../contract.js';
import type { Target } from '../../target.js';
import { alternating, droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, type Fields, type Json, parseFields, someNumber, someText } from '../../neutral/fields.js';
import { type FinishReason, toFinishReason } from '../../neutral/finish-reason.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { toUsage } from '../../languages/openai/usage.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { embeddingTexts } from '../openai-compatible/embedding-texts.js';
import { plainJsonFrames } from '../openai-compatible/block-frames.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { baseOf, jsonHeaders, oneAnswer, providerError, textPart } from '../openai-compatible/own-dialect.js';

/**
 * Last path segment by model (docs/reference/providers/own-protocols.md#baidu-ernie); for other models it is the name
 * in lower case.
 */
const places: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Speed': 'ernie_speed',
  'ERNIE-Speed-8K': 'ernie_speed',
  'ERNIE-Speed-128K': 'ernie-speed-128k',
  'ERNIE-3.5-8K-0205': 'ernie-3.5-8k-0205',
  'ERNIE-3.5-8K-1222': 'ernie-3.5-8k-1222',
  'ERNIE-Bot-8K': 'ernie_bot_8k',
  'ERNIE-3.5-4K-0205': 'ernie-3.5-4k-0205',
  'ERNIE-Lite-8K-0308': 'ernie-lite-8k',
  'ERNIE-Tiny-8K': 'ernie-tiny-8k',
  'BLOOMZ-7B': 'bloomz_7b1',
  'Embedding-V1': 'embedding-v1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
};

const placeOf = (model: string): string => encodeURIComponent(places[model] ?? model.toLowerCase());

const statuses: Readonly<Record<number, number>> = {
  4: 429,
  6: 403,
  13: 401,
  14: 401,
  15: 401,
  17: 429,
  18: 429,
  19: 429,
  // The token is invalid or expired: the relay requests a new one.
  100: 401,
  110: 401,
  111: 401,
  336000: 502,
  336003: 400,
  336007: 400,
  336103: 400,
  336104: 400,
  336105: 400,
  336106: 400,
};

/**
 * Reads `error_code` with status 200 (docs/reference/providers/own-protocols.md#baidu-ernie).
 * @returns null if there is none
 */
function baiduError(answer: Fields): UpstreamError | null {
  const code = someNumber(answer['error_code']) ?? 0;
  return code === 0 ? null : providerError('baidu_error', code, asText(answer['error_msg']), statuses[code]);
}

/** The key `APIKey|SecretKey` is exchanged for an access token that is valid for a month. */
const baiduCredential: CredentialExchange = {
  toRequest(target) {
    const [id = '', secret = '', ...more] = target.key.split('|').map((part) => part.trim());
    if (id === '' || secret === '' || more.length > 0) {
      throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form APIKey|SecretKey');
    }
    const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    return {
      method: 'POST',
      url: `${baseOf(target)}/oauth/2.0/token?${query.toString()}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: null,
    };
  },
  fromAnswer({ body }) {
    const answer = parseFields(body.toString('utf8'));
    const credential = someText(answer?.['access_token']);
    if (credential !== undefined) return { credential, secondsToLive: someNumber(answer?.['expires_in']) ?? 3600 };
    const code = someText(answer?.['error']);
    if (code === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The provider returned no access token');
    const message = someText(answer?.['error_description']) ?? code;
    throw new UpstreamError(401, { message, type: 'baidu_error', code });
  },
};

/** The token is a query parameter, because the API accepts it nowhere else. */
const addressOf = (kind: 'chat' | 'embeddings', target: Target, model: string): string =>
  `${baseOf(target)}/rpc/2.0/ai_custom/v1/wenxinworkshop/${kind}/${placeOf(model)}?access_token=${encodeURIComponent(target.credential)}`;

/** Instructions are a separate field, and turns alternate, beginning and ending with the user. */
function write(request: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(request, {
    stop: true,
    user: true,
    maxOutput: true,
    sampling: ['temperature', 'topP', 'frequencyPenalty'],
  });
  const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
  const { temperature, topP, frequencyPenalty } = request.sampling;
  const body = omitUndefined<Json>({
    messages: alternating(turns).map(({ role, text }) => ({ role, content: text })),
    system: instructions || undefined,
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0.01), 1),
    top_p: topP,
    penalty_score: frequencyPenalty,
    stop: request.stop.length > 0 ? request.stop : undefined,
    stream: request.stream || undefined,
    user_id: request.user,
    max_output_tokens: request.maxOutput === 1 ? 2 : request.maxOutput,
  });
  return { body, dropped: dropped.names };
}

const finishOf = (answer: Fields): FinishReason => {
  if (answer['is_truncated'] === true) return 'length';
  const reason = someText(answer['finish_reason']);
  return reason === undefined || reason === 'normal' ? 'stop' : toFinishReason(reason);
};

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const error = answer ? baiduError(answer) : null;
  if (error) throw error;
  if (!answer || typeof answer['result'] !== 'string') {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not an ERNIE response');
  }
  const head = { id: asText(answer['id']), created: someNumber(answer['created']) };
  return oneAnswer(head, textPart(answer['result']), finishOf(answer), toUsage(answer['usage']));
}

class BaiduStreamReader implements StreamReader {
  private started = false;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const piece = parseFields(data);
    if (!piece) return [];
    const error = baiduError(piece);
    if (error) return [{ kind: 'error', error }];
    const events: NeutralEvent[] = [];
    if (!this.started) {
      this.started = true;
      events.push({ kind: 'start', id: asText(piece['id']), model: '', created: someNumber(piece['created']) });
    }
    const text = asText(piece['result']);
    if (text !== '') events.push({ kind: 'text', choice: 0, text });
    if (piece['is_end'] === true) {
      this.done = true;
      events.push({ kind: 'finish', choice: 0, reason: finishOf(piece) });
    }
    const usage = toUsage(piece['usage']);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }
}

const conversation: ConversationCapability = {
  codec: () => ({ dialect: 'own', write, read, openReader: () => new BaiduStreamReader() }),
  openFrames: plainJsonFrames,
  toUpstreamRequest: (body, { stream, model }, target) => ({
    method: 'POST',
    url: addressOf('chat', target, model),
    headers: jsonHeaders(stream),
    body: JSON.stringify(body),
  }),
};

const embeddings = oneShot(
  { credentials: () => ({}) },
  (_base, _call, target) => addressOf('embeddings', target, target.upstreamModel),
  {
    dropped: othersThan('input'),
    body: (body) => ({ input: embeddingTexts(body) }),
    answer: (answer, _request, target) => {
      const error = baiduError(answer);
      if (error) throw error;
      return omitUndefined({
        object: 'list',
        model: target.requestedModel,
        data: answer['data'],
        usage: answer['usage'],
      });
    },
  },
);

/** Type 15 (docs/reference/providers/own-protocols.md#baidu-ernie). */
export const baidu: Adapter = { conversation, embeddings, credential: baiduCredential };
