import { withoutRelay, type UpstreamError } from './upstream-error.js';

/**
 * A conversation that is longer than the context of its model. Figures are tokens. Absent figures are not stated by the
 * provider.
 */
export interface Overflow {
  readonly limit?: number;
  readonly prompt?: number;
  /** The output limit of the call. If present, the prompt alone may fit. */
  readonly output?: number;
}

/** OpenAI's code for this error, which agents react to. */
export const overflowCode = 'context_length_exceeded';

type Figure = keyof Overflow;

/** Patterns for the beginning of provider messages, with the figures in them. */
const words: ReadonlyArray<readonly [says: RegExp, ...figures: Figure[]]> = [
  // vLLM, DeepSeek and OpenAI's older models: claude-code-router#1799 (September 2026), smol-ai/developer#7.
  [
    /^This model's maximum context length is (\d+) tokens\. However, you requested \d+ tokens \((\d+) in the messages, (\d+) in the completion\)/,
    ...(['limit', 'prompt', 'output'] as const),
  ],
  [
    /^This model's maximum context length is (\d+) tokens\. However, (?:your messages resulted in|your request has) (\d+)/,
    'limit',
    'prompt',
  ],
  [/^This model's maximum context length is (\d+)/, 'limit'],
  // OpenRouter, whose figure is an estimate: refly#1177 (July 2025).
  [
    /^This endpoint's maximum context length is (\d+) tokens\. However, you requested about (\d+) tokens/,
    ...(['limit', 'prompt'] as const),
  ],
  // xAI: cline#3120 (April 2025).
  [/^This model's maximum prompt length is (\d+) but the request contains (\d+)/, 'limit', 'prompt'],
  // OpenAI: opencode#6071, eca#385 (March 2026).
  [/^Your input exceeds the context window/],
  // Anthropic, Vertex and Bedrock: exe.dev#62, continue#9592 (January 2026), mulder#192.
  [/^prompt is too long: (\d+) tokens > (\d+) maximum/i, 'prompt', 'limit'],
  [/^prompt is too long/i],
  [
    /^input length and `max_tokens` exceed context limit: (\d+) \+ (\d+) > (\d+)/,
    ...(['prompt', 'output', 'limit'] as const),
  ],
  [/^Input is too long for requested model/],
  // Gemini: gemini-cli#13006 (November 2025).
  [/^The input token count \((\d+)\) exceeds the maximum number of tokens allowed \((\d+)\)/, 'prompt', 'limit'],
  [/^The input token count exceeds the maximum number of tokens allowed \(?(\d+)\)?/, 'limit'],
  // Moonshot: cc-haha#1162 (with status 401), kimi-cli#2011 (April 2026).
  [/^\S+ supports only \d+[KM] context/],
  [/^(?:Invalid request: )?Your request exceeded model token limit: (\d+)/, 'limit'],
  // Qwen: qwen-code#2068 (March 2026).
  [/^(?:<\d+> )?(?:InternalError\.Algo\.InvalidParameter: )?Range of input length should be \[1, ?(\d+)\]/, 'limit'],
  // Zhipu: zeroclaw#4124 (March 2026).
  [/^Prompt exceeds max length/],
  // Mistral. No public report of the last years has these words.
  [/^Prompt contains (\d+) tokens.{0,80}too large for model with (\d+) maximum context length/, 'prompt', 'limit'],
  // llama.cpp: textgen#7257, llama.cpp#19774 (February 2026).
  [/^the request exceeds the available context size/],
  [/^request \((\d+) tokens\) exceeds the available context size \((\d+) tokens\)/, 'prompt', 'limit'],
];

const ofRequest = new Set([400, 401, 413, 422, 502]);

/**
 * Returns what a failure reports about the length of its conversation.
 * @returns null if the failure has another cause
 */
export function overflowIn({ status, message, detail }: UpstreamError): Overflow | null {
  if (!ofRequest.has(status)) return null;
  const said = withoutRelay(message);
  for (const [says, ...figures] of words) {
    const found = says.exec(said);
    if (found) return Object.fromEntries(figures.map((name, at) => [name, Number(found[at + 1])]));
  }
  return detail.code === overflowCode ? {} : null;
}

/** Anthropic's wording. Claude Code reads the figures: it lowers its limit, or compacts the conversation. */
export function anthropicOverflow({ prompt, output, limit }: Overflow, message: string): string {
  if (prompt === undefined || limit === undefined) {
    return /^prompt is too long/i.test(message) ? message : `prompt is too long: ${message}`;
  }
  return output !== undefined && prompt < limit
    ? `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${limit}`
    : `prompt is too long: ${prompt} tokens > ${limit} maximum`;
}

/** Google's wording. */
export const geminiOverflow = ({ prompt, limit }: Overflow, message: string): string =>
  prompt === undefined || limit === undefined
    ? message
    : `The input token count (${prompt}) exceeds the maximum number of tokens allowed (${limit}).`;
