import { AppError } from '../../../shared/errors.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import {
  asFields,
  asFieldsList,
  asText,
  parseFields,
  someNumber,
  someText,
  type Fields,
} from '../../neutral/fields.js';
import { toFinishReason } from '../../neutral/finish-reason.js';
import type { Part } from '../../neutral/message.js';
import { toCount } from '../../languages/openai/usage.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { providerError } from '../openai-compatible/own-dialect.js';

function statusOf(code: string): number {
  if (code.startsWith('AuthFailure')) return 401;
  if (code.startsWith('RequestLimitExceeded') || code.startsWith('LimitExceeded')) return 429;
  if (code.startsWith('ResourceInsufficient') || code.startsWith('ResourceUnavailable')) return 402;
  return code.startsWith('InternalError') ? 502 : 400;
}

/**
 * `Error` inside a response with status 200.
 * @returns null when there is none
 */
function errorOf(response: Fields | null): UpstreamError | null {
  const error = asFields(response?.['Error'] ?? response?.['ErrorMsg']);
  if (!error) return null;
  const code = someText(error['Code']) ?? String(someNumber(error['Code']) ?? 'unknown');
  return providerError('tencent_error', code, asText(error['Message']) || asText(error['Msg']), statusOf(code));
}

function toHunyuanUsage(raw: unknown): Usage | null {
  const usage = asFields(raw);
  const promptTokens = toCount(usage?.['PromptTokens']);
  const completionTokens = toCount(usage?.['CompletionTokens']);
  return promptTokens + completionTokens === 0 ? null : { ...noUsage, promptTokens, completionTokens };
}

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
export function readHunyuan(body: unknown): NeutralAnswer {
  const root = asFields(body);
  const answer = asFields(root?.['Response']) ?? root;
  const error = errorOf(answer);
  if (error) throw error;
  if (!answer || !Array.isArray(answer['Choices'])) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a Hunyuan response');
  }
  const created = someNumber(answer['Created']);
  return {
    id: asText(answer['Id']),
    model: '',
    ...(created === undefined ? {} : { created }),
    choices: asFieldsList(answer['Choices']).map((choice, index) => {
      const reason = someText(choice['FinishReason']);
      return {
        index,
        parts: partsOf(asFields(choice['Message']) ?? {}),
        finish: reason ? toFinishReason(reason) : null,
      };
    }),
    usage: toHunyuanUsage(answer['Usage']),
  };
}

function partsOf(message: Fields): Part[] {
  const [thought, text] = [asText(message['ReasoningContent']), asText(message['Content'])];
  return [
    ...(thought === '' ? [] : [{ kind: 'reasoning', text: thought } as const]),
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...asFieldsList(message['ToolCalls']).map((call): Part => {
      const called = asFields(call['Function']) ?? {};
      return {
        kind: 'toolCall',
        id: asText(call['Id']),
        name: asText(called['Name']),
        arguments: asText(called['Arguments']),
      };
    }),
  ];
}

/** Reads the stream without its wrapper, piece by piece; every piece contains the totals so far. */
export class HunyuanStreamReader implements StreamReader {
  private started = false;
  private readonly tools: string[] = [];
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const root = parseFields(data);
    if (!root) return [];
    const piece = asFields(root['Response']) ?? root;
    const error = errorOf(piece);
    if (error) return [{ kind: 'error', error }];
    const events: NeutralEvent[] = [];
    if (!this.started) {
      this.started = true;
      events.push({ kind: 'start', id: asText(piece['Id']), model: '', created: someNumber(piece['Created']) });
    }
    for (const choice of asFieldsList(piece['Choices'])) this.readChoice(choice, events);
    const usage = toHunyuanUsage(piece['Usage']);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }

  private readChoice(fields: Fields, events: NeutralEvent[]): void {
    const delta = asFields(fields['Delta']) ?? {};
    const [thought, text] = [asText(delta['ReasoningContent']), asText(delta['Content'])];
    if (thought !== '') events.push({ kind: 'reasoning', choice: 0, text: thought });
    if (text !== '') events.push({ kind: 'text', choice: 0, text });
    for (const call of asFieldsList(delta['ToolCalls'])) this.readCall(call, events);
    const reason = someText(fields['FinishReason']);
    if (reason === undefined) return;
    this.done = true;
    for (const index of this.tools.keys()) events.push({ kind: 'toolEnd', choice: 0, index });
    events.push({ kind: 'finish', choice: 0, reason: toFinishReason(reason) });
  }

  /** Pieces of a call repeat its id, or have none. */
  private readCall(call: Fields, events: NeutralEvent[]): void {
    const called = asFields(call['Function']) ?? {};
    const id = asText(call['Id']);
    let index = id === '' ? this.tools.length - 1 : this.tools.indexOf(id);
    if (index < 0) {
      index = this.tools.length;
      this.tools.push(id);
      events.push({ kind: 'toolStart', choice: 0, index, id: id || `call_${index}`, name: asText(called['Name']) });
    }
    const text = asText(called['Arguments']);
    if (text !== '') events.push({ kind: 'toolDelta', choice: 0, index, text });
  }
}
