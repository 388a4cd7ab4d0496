import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Target } from '../../target.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { alternating, droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { ProviderCodec, StreamReader, WrittenRequest } from '../../neutral/codec.js';
import { AnswerCollector } from '../../neutral/collect.js';
import type { NeutralEvent } from '../../neutral/event.js';
import {
  asFields,
  asFieldsList,
  asText,
  parseFields,
  someNumber,
  type Fields,
  type Json,
} from '../../neutral/fields.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { toUsage } from '../../languages/openai/usage.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { providerError } from '../openai-compatible/own-dialect.js';
import { sparkModel } from './address.js';

/** These versions support no instructions: they become a turn that the model has agreed to. */
const withoutSystem = ['v1.1', 'v2.1'];

const statuses: Readonly<Record<number, number>> = {
  10013: 400,
  10014: 400,
  10163: 400,
  10907: 400,
  11200: 401,
  11201: 429,
  11202: 429,
  11203: 429,
};

function instructionTurns(content: string, version: string): Json[] {
  if (content === '') return [];
  if (!withoutSystem.includes(version)) return [{ role: 'system', content }];
  return [
    { role: 'user', content },
    { role: 'assistant', content: 'Okay' },
  ];
}

/** Instructions stand first, and the other turns alternate. */
function write(request: NeutralRequest, target: Target): WrittenRequest {
  const { version, domain } = sparkModel(target);
  const dropped = droppedBy(request, { user: true, maxOutput: true, sampling: ['temperature', 'topK'] });
  const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
  const text = [
    ...instructionTurns(instructions, version),
    ...alternating(turns).map(({ role, text: content }) => ({ role, content })),
  ];
  const { temperature, topK } = request.sampling;
  const chat = omitUndefined<Json>({ domain, temperature, top_k: topK, max_tokens: request.maxOutput });
  const header = request.user === undefined ? {} : { uid: request.user.slice(0, 32) };
  return { body: { header, parameter: { chat }, payload: { message: { text } } }, dropped: dropped.names };
}

/** @returns null when the frame contains no error */
function errorOf(frame: Fields): UpstreamError | null {
  const header = asFields(frame['header']);
  const code = someNumber(header?.['code']) ?? 0;
  return code === 0 ? null : providerError('xunfei_error', code, asText(header?.['message']), statuses[code]);
}

/** True for the last message: the provider waits for us to close the socket. */
export function isLast(message: string): boolean {
  const frame = parseFields(message);
  return asFields(frame?.['header'])?.['status'] === 2 || (frame !== null && errorOf(frame) !== null);
}

class SparkStreamReader implements StreamReader {
  private started = false;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const frame = parseFields(data);
    return frame ? this.read(frame) : [];
  }

  read(frame: Fields): NeutralEvent[] {
    const error = errorOf(frame);
    if (error) return [{ kind: 'error', error }];
    const payload = asFields(frame['payload']);
    const choices = asFields(payload?.['choices']);
    const events: NeutralEvent[] = [];
    if (!this.started && choices) {
      this.started = true;
      events.push({ kind: 'start', id: asText(asFields(frame['header'])?.['sid']), model: '' });
    }
    for (const each of asFieldsList(choices?.['text'])) {
      const [thought, text] = [asText(each['reasoning_content']), asText(each['content'])];
      if (thought !== '') events.push({ kind: 'reasoning', choice: 0, text: thought });
      if (text !== '') events.push({ kind: 'text', choice: 0, text });
    }
    if (choices?.['status'] === 2) {
      this.done = true;
      events.push({ kind: 'finish', choice: 0, reason: 'stop' });
    }
    const usage = toUsage(asFields(payload?.['usage'])?.['text']);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }
}

/**
 * @throws UpstreamError when a frame reports an error; AppError UPSTREAM_INVALID_RESPONSE when the frames are not a
 * response
 */
function read(body: unknown): NeutralAnswer {
  const reader = new SparkStreamReader();
  const collector = new AnswerCollector();
  for (const frame of asFieldsList(body)) for (const event of reader.read(frame)) collector.push(event);
  if (collector.error) throw collector.error;
  if (!reader.done)
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream ended before its response was complete');
  return collector.answer();
}

/** Sends one frame and receives several (docs/reference/providers/own-protocols.md#iflytek-spark). */
export const sparkCodec = (target: Target): ProviderCodec => ({
  dialect: 'own',
  write: (request) => write(request, target),
  read,
  openReader: () => new SparkStreamReader(),
});
