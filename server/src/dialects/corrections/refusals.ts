import { withoutRelay, type UpstreamError } from '../errors/upstream-error.js';
import { choiceModes } from '../neutral/request.js';
import type { Correction, Remedy } from './correction.js';
import { isOptional } from './essential-fields.js';

/**
 * A refusal of providers. It is recognized by the beginning of its message, because the rest may repeat text of a
 * client. A message that names several fields has one line for each.
 */
interface Refusal {
  readonly says: RegExp;
  readonly correct: (found: readonly string[]) => readonly Correction[];
  /** Whether the refusal depends on the rest of the call, so that the next call is sent without the correction. */
  readonly isOnce?: true;
}

const pathOf = (name: string): string[] =>
  name
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((each) => (/^\d+$/.test(each) ? '*' : each));
const camel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const omit = (...names: readonly string[]): Correction[] => names.map((name) => ({ kind: 'omit', path: pathOf(name) }));
const quoted = (text: string): string[] => [...text.matchAll(/['"`]([\w-]+)['"`]/g)].map(([, word = '']) => word);
const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
const atMost = (limit: string, ...names: readonly string[]): Correction[] =>
  names.map((name) => ({ kind: 'atMost', path: pathOf(name), limit: Number(limit) }));
const toResponses = (calls: 'tools' | 'all'): Correction[] => [{ kind: 'responses', calls }];
const thoughts: Correction[] = [{ kind: 'thoughts' }];

/** Refusals of OpenAI and Azure, and of servers that copy them. */
const openAI: readonly Refusal[] = [
  // BerriAI/litellm#34569 (on the real API, July 2026); LibreChat#14231, #14355; opencode#40257 (Azure).
  {
    says: /^Function tools with reasoning_effort are not supported for \S+ in \/v1\/chat\/completions/,
    correct: () => toResponses('tools'),
  },
  // The `-pro` and `-codex` models return 404.
  {
    says: /^This (?:model is only supported in v1\/responses|is not a chat model and thus not supported in the v1\/chat)/,
    correct: () => toResponses('all'),
  },
  // Azure returns this as `OperationNotSupported`.
  {
    says: /^The chatCompletion operation does not work with the specified model/,
    correct: () => toResponses('all'),
  },
  // mellea#270 (December 2025), Operit#1048 (August 2026).
  {
    says: /^Unrecognized request arguments? supplied: ([\w, .]+)/,
    correct: ([names = '']) => omit(...names.split(/[, ]+/).filter(Boolean)),
  },
  // 9router#560 (April 2026).
  {
    says: /^Unsupported parameter: '(\w+)' is not supported with this model\. Use '(\w+)' instead/,
    correct: ([from = '', to = '']) => [{ kind: 'rename', from, to }],
  },
  {
    says: /^Unsupported value: '(reasoning_effort|reasoning\.effort)' does not support '\w+' with this model\. Supported values are: ([^.]+)/,
    correct: ([name = '', values = '']) => [{ kind: 'effort', path: pathOf(name), efforts: quoted(values) }],
  },
  {
    says: /^(?:Unsupported (?:parameter|value)|Unknown parameter): '([\w.[\]]+)'/,
    correct: ([name = '']) => omit(name),
  },
  // Modes of Mistral and of Gemini, which clients of these models also send when the name is mapped to another model.
  {
    says: /^Invalid value: '(any|validated)'\. Supported values are: 'none', 'auto', and 'required'/,
    correct: ([from = '']) => [{ kind: 'replace', path: ['tool_choice'], from, to: choiceModes[from] ?? 'auto' }],
  },
  // Organizations that are not verified get no reasoning summaries: openai-cookbook#2271 (December 2025), windmill#10147 (July 2026).
  {
    says: /^Your organization must be verified to generate reasoning summaries/,
    correct: () => omit('reasoning.summary'),
  },
  // cline#8337, #13229 (August 2026).
  {
    says: /^max_tokens is too large: \d+\. This model supports at most (\d+) completion tokens/,
    correct: ([limit = '']) => atMost(limit, ...limits),
  },
  {
    says: /^Invalid '([\w.]+)': integer above maximum value\. Expected a value <= (\d+)/,
    correct: ([name = '', limit = '']) => atMost(limit, name),
  },
  // The thoughts belong to another organization: codex#8145 (December 2025), sub2api#2863 (May 2026).
  { says: /^The encrypted content .{1,200}could not be verified/, correct: () => thoughts, isOnce: true },
  // CLIProxyAPI#5713 (September 2026).
  {
    says: /^Invalid 'input\[\d+\]\.content': array too long\. Expected an array with maximum length 0/,
    correct: () => thoughts,
    isOnce: true,
  },
];

/** Refusals of Anthropic, Bedrock and Vertex. */
const anthropic: readonly Refusal[] = [
  // codex2api#613 (measured on Opus 5), krouter#11, llxprt-code#2335.
  {
    says: /^messages\.\d+\.content\.\d+(?:\.thinking\.signature)?: (?:Invalid `signature` in `thinking` block|Field required)/,
    correct: () => thoughts,
    isOnce: true,
  },
  {
    says: /^messages\.\d+\.content\.\d+: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    correct: () => thoughts,
    isOnce: true,
  },
  // claude-code#70563, #46105 (2026).
  {
    says: /^Unexpected value\(s\) ((?:`[\w-]+`(?:, )?)+) for the `anthropic-beta` header/,
    correct: ([values = '']) => [{ kind: 'betas', values: quoted(values) }],
  },
  // CLIProxyAPI#2758.
  {
    says: /^max_tokens: \d+ > (\d+), which is the maximum allowed number of output tokens/,
    correct: ([limit = '']) => atMost(limit, 'max_tokens'),
  },
  {
    says: /^The maximum tokens you requested exceeds the model limit of (\d+)/,
    correct: ([limit = '']) => atMost(limit, 'max_tokens'),
  },
  // Roo-Code#12162 (April 2026), pr-agent#2456 (June 2026).
  { says: /^`(temperature|top_p|top_k)` is deprecated for this model/, correct: ([name = '']) => omit(name) },
  // bedrock-access-gateway#191 (October 2025).
  {
    says: /^`temperature` and `top_p` cannot both be specified/,
    correct: () => omit('top_p'),
    isOnce: true,
  },
  // vellum-assistant#37276 (July 2026).
  { says: /^adaptive thinking is not supported on this model/, correct: () => omit('thinking') },
  // aelix-ai#258 (September 2026, measured), bifrost#5934: Opus 4.8 and later take no budget.
  {
    says: /^"thinking\.type\.enabled" is not supported for this model\. Use "thinking\.type\.adaptive"/,
    correct: () => [
      { kind: 'replace', path: ['thinking', 'type'], from: 'enabled', to: 'adaptive' },
      ...omit('thinking.budget_tokens'),
    ],
  },
  { says: /^This model does not support the effort parameter/, correct: () => omit('output_config.effort') },
];

/** Refusals of Gemini and Vertex, whose messages have the names of protocol buffers. */
const google: readonly Refusal[] = [
  // gemini-cli#13972 (November 2025), zed#44875 (December 2025), free-claude-code#542 (May 2026).
  {
    says: /^Invalid JSON payload received\. Unknown name "(\w+)"(?: at '([\w.[\]]+)')?: Cannot find field/,
    correct: ([name = '', at = '']) => omit(camel(at === '' ? name : `${at}.${name}`)),
  },
  // goose#11364 (August 2026).
  {
    says: /^Unable to submit request because it has a maxOutputTokens value of \d+ but the supported range is from 1 \(inclusive\) to (\d+)/,
    correct: ([limit = '']) => atMost(String(Number(limit) - 1), 'generationConfig.maxOutputTokens'),
  },
  // Roo-Code#10700 (January 2026), vellum-assistant#32687 (May 2026), opencode-gemini-auth#14 (Vertex, December 2025), Veloera#41,
  // lobehub#7985 (May 2025).
  {
    says: /^(?:Unable to submit request because )?(?:thinking[ _](?:level|budget|config)\b.{0,40}is (?:not supported|only enabled when)|thinking is not enabled for)/i,
    correct: () => omit('generationConfig.thinkingConfig'),
  },
  // gemini-cli#13467 (November 2025), Roo-Code#10554 (January 2026).
  { says: /^Corrupted thought signature/, correct: () => thoughts, isOnce: true },
];

/** Refusals of DeepSeek, Qwen, xAI, Moonshot, Groq, Ollama, vLLM, Mistral and other members of OpenAI's family. */
const family: readonly Refusal[] = [
  // Pydantic produces this message: at Anthropic, Mistral (crush#1590, December 2025; litellm#30835, June 2026), and servers in Python.
  { says: /^([\w.[\]-]+): Extra inputs are not permitted/, correct: ([name = '']) => omit(name) },
  {
    says: /^\[\{'type': 'extra_forbidden', 'loc': \('body', '(\w+)'/,
    correct: ([name = '']) => omit(name),
  },
  // DeepSeek: openclaude#35 (April 2026).
  {
    says: /^Invalid max_tokens value, the valid range of max_tokens is \[1, ?(\d+)\]/,
    correct: ([limit = '']) => atMost(limit, ...limits),
  },
  // Qwen: claude-code-router#1327 (April 2026), opencode#40770 (August 2026).
  {
    says: /^(?:<\d+> )?(?:InternalError\.Algo\.InvalidParameter: )?Range of (max_\w+) should be \[1, ?(\d+)\]/,
    correct: ([name = '', limit = '']) => atMost(limit, name),
  },
  // Groq: opencode#1000 (July 2025), free-claude-code#955 (July 2026).
  {
    says: /^`?(max_\w+)`?(?: for `[^`]{1,200}`)? must be less than or equal to `?(\d+)/,
    correct: ([name = '', limit = '']) => atMost(limit, name),
  },
  // Volcano Ark: TOKENICODE#3 (March 2026).
  {
    says: /^The parameter `?(max_\w+)`? specified in the request is not valid: integer above maximum value, expected a value <= (\d+)/,
    correct: ([name = '', limit = '']) => atMost(limit, name),
  },
  { says: /^`(\w+)` is not supported with this model/, correct: ([name = '']) => omit(name) },
  // xAI: lobehub#7370 (April 2025), open-webui#21266 (February 2026), NativeTavern#83 (September 2026).
  { says: /^Argument not supported on this model: (\w+)/, correct: ([name = '']) => omit(snake(name)) },
  { says: /^Model \S+ does not support parameter (\w+)/, correct: ([name = '']) => omit(snake(name)) },
  // Moonshot: new-api#5372 (June 2026), AINO#223 (August 2026).
  { says: /^invalid (temperature|top_p): only [\d.]+ is allowed/, correct: ([name = '']) => omit(name) },
  // Ollama: openclaude#1371 (May 2026), ollama#12561 (October 2025).
  {
    says: /^(?:"[^"]{1,200}" does not support thinking|think value "[^"]{1,40}" is not supported for this model)/,
    correct: () => omit('reasoning_effort', 'think'),
  },
];

/** Rules of model templates and validators for a history, which the client cannot change. */
const histories: readonly Refusal[] = [
  // An agent that is stopped in the middle of a call sends no result: ellmer#459, kimi-code#269 (June 2026, at Moonshot and DeepSeek).
  {
    says: /^An assistant message with 'tool_calls' must be followed by tool messages/i,
    correct: () => [{ kind: 'results' }],
    isOnce: true,
  },
  // openaidy#400 (July 2026, at MiniMax).
  {
    says: /^(?:invalid params, )?tool call result does not follow tool call/,
    correct: () => [{ kind: 'results' }],
    isOnce: true,
  },
  // codex#394, codex-lb#1168 (July 2026).
  {
    says: /^No tool output found for (?:function|custom tool) call/,
    correct: () => [{ kind: 'results' }],
    isOnce: true,
  },
  // pi#4189, copilot-cli#3183, opencode#5750 (to July 2026).
  {
    says: /^messages\.\d+: `tool_use` ids were found without `tool_result` blocks immediately after/,
    correct: () => [{ kind: 'results' }],
    isOnce: true,
  },
  // vscode#299295 (March 2026), gemini-cli#6379.
  {
    says: /^Please ensure that the number of function response parts is equal to the number of function call parts/,
    correct: () => [{ kind: 'results' }],
    isOnce: true,
  },
  // mistral-common#169, zed#37021 (April 2026): code 3230, also at vLLM.
  {
    says: /^(?:Unexpected role 'user' after role 'tool'|Expected last role|Unexpected role "user" after role "tool")/,
    correct: () => [{ kind: 'answeredResults' }],
  },
  // A session that another maker's model began: cc-switch#1181, maple-proxy#18 (February 2026).
  {
    says: /^messages\.\d+\.content\.\d+\.tool_(?:use\.id|result\.tool_use_id): String should match pattern/,
    correct: () => [{ kind: 'callIds' }],
    isOnce: true,
  },
  // ollama#17774, vllm#41114, Qwen3.8#186.
  {
    says: /^System message must be at the beginning/,
    correct: () => [{ kind: 'firstInstructions' }],
  },
  // Hosts of Messages without the role (CLIProxyAPI#3608, copilot-api#273).
  {
    says: /^messages(?:: Unexpected role "system"|\.\d+\.role: Input should be 'user' or 'assistant')/,
    correct: () => [{ kind: 'firstInstructions' }],
  },
  // kimi-cli#2141, hermes-agent#15478, routatic/proxy#34 (April and May 2026).
  {
    says: /^The `?reasoning_content`? in the thinking mode must be passed back/,
    correct: () => [{ kind: 'thoughtsWanted' }],
  },
  // LibreChat-AI/agents#124.
  {
    says: /^(?:messages|system).{0,40}: text content blocks must (?:be non-empty|contain non-whitespace text)/,
    correct: () => [{ kind: 'blanks' }],
    isOnce: true,
  },
];

const refusals: readonly Refusal[] = [...histories, ...openAI, ...anthropic, ...google, ...family];

/** Statuses with which providers refuse a request because of its content. */
const ofRequest = new Set([400, 404, 422]);

/** Returns the values that a refusal names, line by line, as far as the lines have its words. */
function valuesOf({ says }: Refusal, message: string): string[][] {
  const found: string[][] = [];
  for (const line of message.split('\n')) {
    const values = says.exec(line);
    if (!values) break;
    found.push(values.slice(1));
  }
  return found;
}

/**
 * Returns the corrections that make a refused request acceptable, if the provider's message names them
 * (docs/reference/providers/README.md#refused-requests).
 * @returns null if there is none, or if the call would have another meaning with it
 */
export function remedyFor({ status, message }: UpstreamError): Remedy | null {
  if (!ofRequest.has(status)) return null;
  const words = withoutRelay(message);
  for (const refusal of refusals) {
    const corrections = valuesOf(refusal, words).flatMap((values) => refusal.correct(values));
    if (corrections.length === 0) continue;
    if (corrections.some((each) => each.kind === 'omit' && !isOptional(each.path))) return null;
    const unique = new Map(corrections.map((each) => [JSON.stringify(each), each]));
    return { corrections: [...unique.values()], isLasting: refusal.isOnce !== true };
  }
  return null;
}
