import { AppError } from '../../../shared/errors.js';
import type { ChatAnswer, ChatRequest, StreamTransform, Transcript } from '../../contract.js';
import type { Target } from '../../target.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import { asFields, asFieldsList, asText, parseFields, someText, type Fields } from '../../neutral/fields.js';
import { addOverride } from '../../overrides/body-override.js';
import { minimalChange } from '../../wire/pass-through/native-body.js';
import { NativeStream, type NativeListener } from '../../wire/pass-through/native-stream.js';
import { reportAnswer } from '../../neutral/report.js';
import { attributionName, withoutAttribution } from '../../neutral/attribution.js';
import { claudeTraits } from './claude-model.js';
import { maxTokensFor, type ClaudeSettings } from './claude-settings.js';
import { readAnthropicError } from './error.js';
import { readMessage } from './messages-read.js';
import { MessagesStreamReader } from './messages-stream-reader.js';
import { cutThinkingSuffix, planThinking } from './thinking.js';
import { continuesWithoutThought, withoutForeignBlocks } from './own-thoughts.js';
import { idsOfMessage, idsOfMessageEvent } from '../provider-ids.js';
import { threadLeftOut, threadName } from '../../neutral/thread.js';
import { ClaudeUsage, toClaudeUsage } from './usage.js';

/** A Messages body for Anthropic, and its differences from the client's body. */
export interface NativeBody {
  readonly bytes: Buffer | string;
  readonly model: string;
  /** Names of fields that were left out, because the host does not use them. */
  readonly dropped: readonly string[];
}

/** Whether the path counts tokens. The body is the same, but no response is generated. */
export const countsTokens = (path: string): boolean => (path.split('?', 1)[0] ?? '').endsWith('/count_tokens');

/**
 * A Messages body for Anthropic: unchanged except for the model, the limit and thinking requested by name
 * (docs/reference/providers/anthropic.md#native-messages).
 */
export function nativeMessagesBody(
  request: ChatRequest,
  target: Target,
  settings: ClaudeSettings,
  options?: NativeOptions,
): NativeBody {
  const { changes, model } = nativeMessagesChanges(request, target, settings, options);
  if (request.body['anthropic_beta'] !== undefined && !target.passThrough) changes['anthropic_beta'] = undefined;
  if (options?.isHost !== true) return { bytes: minimalChange(request, changes), model, dropped: [] };
  const dropped = [...('system' in changes ? [attributionName] : []), ...threadLeftOut(request.body)];
  if (dropped.includes(threadName)) changes[threadName] = undefined;
  return { bytes: minimalChange(request, changes), model, dropped };
}

interface NativeOptions {
  /**
   * Whether the provider hosts Claude and is not Anthropic itself. Anthropic's models accept the reasoning of any
   * maker, and it sends no billing header.
   */
  readonly isHost?: boolean;
}

/** Returns the changes as fields to set, for hosts that change more. Undefined removes a field. */
export function nativeMessagesChanges(
  request: ChatRequest,
  target: Target,
  settings: ClaudeSettings,
  { isHost = false }: NativeOptions = {},
): { readonly changes: Record<string, unknown>; readonly model: string } {
  const { body } = request;
  const { model, suffixed } = target.passThrough
    ? { model: target.upstreamModel, suffixed: false }
    : cutThinkingSuffix(target.upstreamModel, settings);
  const changes: Record<string, unknown> = {};
  if (body['model'] !== model) changes['model'] = model;
  if (!target.passThrough) {
    const system = isHost ? withoutAttribution(body['system']) : body['system'];
    if (system !== body['system']) changes['system'] = system;
    const messages = isHost ? null : withoutForeignBlocks(body['messages']);
    if (messages) {
      changes['messages'] = messages;
      if (asFields(body['thinking'])?.['type'] === 'enabled' && continuesWithoutThought(messages)) {
        Object.assign(changes, withoutThinking(body));
      }
    }
    if (!countsTokens(request.path)) Object.assign(changes, limitAndThinking(request, model, suffixed, settings));
    addOverride(body, changes, target);
  }
  return { changes, model };
}

/**
 * Removes thinking where Claude refuses it: with a budget in a turn that another provider began, and the clearing of
 * thoughts in a call without thinking.
 */
export function withoutThinking(body: Fields): Record<string, unknown> {
  const management = asFields(body['context_management']);
  const edits = asFieldsList(management?.['edits']);
  const kept = edits.filter(({ type }) => !asText(type).startsWith('clear_thinking'));
  if (kept.length === edits.length) return { thinking: undefined };
  return { thinking: undefined, context_management: kept.length === 0 ? undefined : { ...management, edits: kept } };
}

function limitAndThinking(
  { body, stream }: ChatRequest,
  model: string,
  suffixed: boolean,
  settings: ClaudeSettings,
): Record<string, unknown> {
  const given = typeof body['max_tokens'] === 'number' && body['max_tokens'] > 0 ? body['max_tokens'] : undefined;
  const changes: Record<string, unknown> = given === undefined ? { max_tokens: maxTokensFor(model, settings) } : {};
  // The client wants a stream, but the channel cannot stream.
  if (!stream && body['stream'] === true) changes['stream'] = false;
  if (!suffixed || asFields(body['thinking'])) return changes;
  const plan = planThinking(model, true, undefined, given, settings);
  changes['max_tokens'] = plan.maxTokens;
  changes['thinking'] = plan.thinking;
  changes['temperature'] = claudeTraits(model).sampling && body['temperature'] !== undefined ? 1 : undefined;
  for (const name of ['top_p', 'top_k']) changes[name] = undefined;
  return changes;
}

/**
 * A complete message in the client's own dialect: the bytes stay unchanged.
 * @param isThread see `idsOfMessage`
 * @throws UpstreamError when a success reports an error; AppError UPSTREAM_INVALID_RESPONSE
 */
export function nativeMessage(body: Buffer, isThread = false): ChatAnswer {
  const message = parseFields(body.toString('utf8'));
  if (!message) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
  const error = readAnthropicError(message);
  if (error) throw error;
  return {
    body,
    usage: toClaudeUsage(message['usage']),
    givenIds: idsOfMessage(message, isThread),
    report: (transcript) => {
      if (Array.isArray(message['content'])) reportAnswer(readMessage(message), transcript);
    },
  };
}

/**
 * A stream of Messages for a client of the same dialect.
 * @param isThread see `idsOfMessage`
 */
export const nativeMessageStream = (transcript: Transcript, isThread = false): StreamTransform =>
  new NativeStream(new MessagesListener(isThread), new MessagesStreamReader(), transcript);

/**
 * Usage is in the first event and in the last but one, which also marks the response as complete. Tool calls are in the
 * events between them.
 */
class MessagesListener implements NativeListener {
  readonly marks = /"message_(?:start|delta|stop)"|"error"|"file_id"|"server_tool_use"|"web_search_tool_result_error"/;
  private readonly reported = new ClaudeUsage();
  readonly givenIds: string[] = [];
  complete = false;
  done = false;
  failure: UpstreamError | null = null;

  constructor(private readonly isThread: boolean) {}

  read(event: Fields): boolean {
    this.givenIds.push(...idsOfMessageEvent(event, this.isThread));
    switch (event['type']) {
      case 'message_start':
      case 'content_block_start':
        this.reported.add(event);
        return false;
      case 'message_delta':
        this.reported.add(event);
        this.complete ||= someText(asFields(event['delta'])?.['stop_reason']) !== undefined;
        return true;
      case 'message_stop':
        this.complete = true;
        this.done = true;
        return true;
      case 'error':
        this.failure = readAnthropicError(event);
        return false;
      default:
        return false;
    }
  }

  usage(): Usage | null {
    return this.reported.usage();
  }
}
