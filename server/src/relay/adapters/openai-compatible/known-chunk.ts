type Fields = Record<string, unknown>;

const pick = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

const asFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/**
 * Channel setting `force_format`: only what the chunk schema knows, for clients that choke on more
 * (docs/reference/relay/routing.md#per-channel-settings).
 */
export function knownChunk(chunk: Fields): Fields {
  const choices = Array.isArray(chunk['choices']) ? (chunk['choices'] as Fields[]) : [];
  return {
    id: chunk['id'] ?? '',
    object: 'chat.completion.chunk',
    created: chunk['created'] ?? 0,
    model: chunk['model'] ?? '',
    system_fingerprint: chunk['system_fingerprint'] ?? null,
    choices: choices.map((choice, position) => ({
      index: choice['index'] ?? position,
      delta: pick(asFields(choice['delta']), ['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']),
      logprobs: choice['logprobs'] ?? null,
      finish_reason: choice['finish_reason'] ?? null,
    })),
    usage: chunk['usage'] ?? null,
  };
}
