import { InvalidInputError } from '../../../shared/errors.js';
import { RelayError } from '../../errors/relay-error.js';
import { maxTokenCount } from '../../../shared/limits.js';

/** The fields of a chat call that the relay itself needs. All other fields travel unchanged. */
export interface ChatCall {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  /** The larger of `max_tokens` and `max_completion_tokens`; 0 when neither is given. */
  readonly maxOutput: number;
}

const malformed = (reason: string): RelayError =>
  new RelayError('INVALID_INPUT', `Invalid request, ${reason}`, 'invalid_request');

/** The model that a call names. Read before any other field. */
export function modelOf(body: Readonly<Record<string, unknown>>): string {
  const model = body['model'];
  if (model === undefined || model === null || model === '') throw new InvalidInputError('model is required', 'model');
  if (typeof model !== 'string') throw malformed('model must be text');
  if (model.length > 256) throw malformed('model is too long');
  return model;
}

/** @throws AppError INVALID_INPUT with the messages that clients of the OpenAI dialect expect */
export function toChatCall(body: Readonly<Record<string, unknown>>): ChatCall {
  const model = modelOf(body);
  const messages = body['messages'];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidInputError('field messages is required', 'messages');
  }
  const stream = optionalFlag(body, 'stream');
  const options = body['stream_options'];
  const wantsUsage =
    stream &&
    typeof options === 'object' &&
    options !== null &&
    (options as Record<string, unknown>)['include_usage'] === true;
  return {
    body,
    model,
    stream,
    wantsUsage,
    maxOutput: Math.max(outputLimit(body, 'max_tokens'), outputLimit(body, 'max_completion_tokens')),
  };
}

function optionalFlag(body: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw malformed(`${name} must be true or false`);
  return value;
}

/** A non-negative, bounded integer, because the price is multiplied by it. */
function outputLimit(body: Readonly<Record<string, unknown>>, name: string): number {
  const value = body[name];
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxTokenCount) {
    throw new InvalidInputError(`${name} is invalid`, name);
  }
  return value;
}
