/** The details of a log row: the JSON text in its `other`, under the names of the wire. */
export interface LogOther {
  readonly modelRatio: number;
  readonly groupRatio: number;
  readonly completionRatio: number;
  /** Dollars a call; null for calls by ratio. */
  readonly modelPrice: number | null;
  readonly cacheTokens: number;
  readonly cacheRatio: number;
  readonly cacheCreationTokens: number;
  readonly cacheCreationRatio: number;
  /** Realtime or audio: four kinds of tokens. */
  readonly audio: boolean;
  readonly audioInput: number;
  readonly audioOutput: number;
  readonly textInput: number;
  readonly textOutput: number;
  readonly audioRatio: number;
  readonly audioCompletionRatio: number;
  /** Milliseconds to the first token; null without a stream. */
  readonly firstTokenMs: number | null;
  readonly reasoningEffort: string;
  /** Empty when the name was not mapped. */
  readonly upstreamModel: string;
  readonly webSocket: boolean;
  /** Path the client called; empty in older rows. */
  readonly requestPath: string;
  readonly reasoningTokens: number;
  /** The provider told no usage: the gateway counted. */
  readonly countedLocally: boolean;
  /** The client left before the end. */
  readonly clientGone: boolean;
  /** What cut the stream; empty when nothing did. */
  readonly streamError: string;
  /** Stored texts of the conversation, where the site keeps them. */
  readonly systemPrompt: string;
  readonly context: string;
  readonly inputContent: string;
  readonly outputContent: string;
  /** Channels in the order they were tried; for admins. */
  readonly usedChannels: readonly string[];
}

/** @returns null when the row has no details */
export function parseLogOther(text: string): LogOther | null {
  let from: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text || 'null');
    if (typeof parsed !== 'object' || parsed === null) return null;
    from = parsed as Record<string, unknown>;
  } catch {
    return null;
  }
  const number = (key: string, fallback: number) => (typeof from[key] === 'number' ? from[key] : fallback);
  const words = (key: string) => (typeof from[key] === 'string' ? from[key] : '');
  const price = number('model_price', -1);
  const first = number('frt', -1000);
  const tried = (from['admin_info'] as { use_channel?: unknown } | undefined)?.use_channel;
  return {
    modelRatio: number('model_ratio', 0),
    groupRatio: number('user_group_ratio', -1) >= 0 ? number('user_group_ratio', 1) : number('group_ratio', 1),
    completionRatio: number('completion_ratio', 0),
    modelPrice: price < 0 ? null : price,
    cacheTokens: number('cache_tokens', 0),
    cacheRatio: number('cache_ratio', 1),
    cacheCreationTokens: number('cache_creation_tokens', 0),
    cacheCreationRatio: number('cache_creation_ratio', 1.25),
    audio: from['audio'] === true || from['ws'] === true,
    audioInput: number('audio_input', 0),
    audioOutput: number('audio_output', 0),
    textInput: number('text_input', 0),
    textOutput: number('text_output', 0),
    audioRatio: number('audio_ratio', 0),
    audioCompletionRatio: number('audio_completion_ratio', 0),
    firstTokenMs: first > 0 ? first : null,
    reasoningEffort: words('reasoning_effort'),
    upstreamModel: from['is_model_mapped'] === true ? words('upstream_model_name') : '',
    webSocket: from['ws'] === true,
    requestPath: words('request_path'),
    reasoningTokens: number('reasoning_tokens', 0),
    countedLocally: from['counted_locally'] === true,
    clientGone: from['client_gone'] === true,
    streamError: words('stream_error'),
    systemPrompt: words('system_prompt'),
    context: words('context'),
    inputContent: words('input_content'),
    outputContent: words('output_content'),
    usedChannels: Array.isArray(tried) ? tried.map(String) : [],
  };
}
