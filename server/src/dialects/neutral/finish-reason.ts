import type { Dialect } from './dialect.js';

/** The reason why a model stopped. */
export type FinishReason = 'stop' | 'length' | 'toolCalls' | 'contentFilter';

interface Names {
  /** How the reason is written, by dialect. Responses uses status and details instead. */
  readonly written: Readonly<Record<Dialect, string>>;
  /** All names that are read as this reason, in any dialect. */
  readonly read: readonly string[];
}

/**
 * The only table of finish reasons (docs/reference/providers/anthropic.md#message-to-chat-completion,
 * docs/reference/providers/anthropic.md#chat-completion-to-message and
 * docs/reference/providers/gemini-and-vertex.md#gemini-responses).
 */
const reasons: Readonly<Record<FinishReason, Names>> = {
  stop: {
    written: {
      'openai-chat': 'stop',
      'anthropic-messages': 'end_turn',
      'gemini-generate': 'STOP',
      'openai-responses': 'completed',
    },
    read: [
      'stop',
      'eos',
      'end_turn',
      'stop_sequence',
      'pause_turn',
      'STOP',
      'completed',
      // Gemini reasons that no other dialect has a name for.
      'OTHER',
      'LANGUAGE',
      'MALFORMED_FUNCTION_CALL',
      'UNEXPECTED_TOOL_CALL',
    ],
  },
  length: {
    written: {
      'openai-chat': 'length',
      'anthropic-messages': 'max_tokens',
      'gemini-generate': 'MAX_TOKENS',
      'openai-responses': 'max_output_tokens',
    },
    read: [
      'length',
      'max_tokens',
      'model_context_window_exceeded',
      'MAX_TOKENS',
      'max_output_tokens',
      'model_length',
      // DeepSeek and GLM stopped in the middle, so the response is not complete.
      'insufficient_system_resource',
      'network_error',
    ],
  },
  toolCalls: {
    written: {
      'openai-chat': 'tool_calls',
      'anthropic-messages': 'tool_use',
      'gemini-generate': 'STOP',
      'openai-responses': 'completed',
    },
    read: ['tool_calls', 'function_call', 'tool_use'],
  },
  contentFilter: {
    written: {
      'openai-chat': 'content_filter',
      'anthropic-messages': 'refusal',
      'gemini-generate': 'SAFETY',
      'openai-responses': 'content_filter',
    },
    read: [
      'content_filter',
      'refusal',
      'sensitive',
      'SAFETY',
      'RECITATION',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'MODEL_ARMOR',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
    ],
  },
};

const byName = new Map<string, FinishReason>(
  (Object.keys(reasons) as FinishReason[]).flatMap((reason) =>
    reasons[reason].read.map((name) => [name, reason] as const),
  ),
);

/** Names unknown to this table count as a normal stop. */
export const toFinishReason = (name: string): FinishReason => byName.get(name) ?? 'stop';

/** The name of a finish reason in a dialect. */
export const fromFinishReason = (reason: FinishReason, dialect: Dialect): string => reasons[reason].written[dialect];
