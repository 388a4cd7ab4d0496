import { mediaNames } from './metering/media-tokens.js';
import type { PromptTexts } from './metering/prompt.js';
import { countBySample } from './metering/prompt-tokens.js';
import { always, ofEachPart, type Fields } from '../../dialects/neutral/fields.js';
import { mostToolCalls } from '../../dialects/server-tools.js';
import type { Call } from '../call.js';
import { type CallCost, largestPrompt, withToolCalls } from './call-charge.js';
import type { RequestTraits } from './metering/request-traits.js';

/** The usage that a reservation pays for (docs/reference/relay/billing.md#reservation). */
export interface Estimate {
  /** Quota. */
  readonly amount: number;
  readonly promptTokens: number;
  /** Output tokens of all choices together. */
  readonly outputTokens: number;
  /** Maximum output tokens that the provider is asked for, of all choices together. */
  readonly askedTokens: number;
  /** Whether the balance pays for less output than was requested. The provider is asked for no more than that. */
  readonly limited: boolean;
  /** The number of output tokens at which a stream is ended. Absent when streams are not ended here. */
  readonly stopAt?: number;
  /** The work that the reservation pays for besides tokens, such as calls of tools, and whether the provider may add to the prompt. */
  readonly traits: RequestTraits;
}

/** A balance this many times larger than a generous reservation does not need an exact one. */
export const ample = 16;
/** Output tokens. A call with fewer per choice is not worth making. */
export const minOutput = 256;
/** Minimum output tokens of a request with a thinking budget, which is at least 1,024. */
const minThinking = 1280;
/** Bytes. Parsing a larger body costs more than its small fields can cost. */
const smallFields = 256;
const promptFields = new Set([
  ...['model', 'messages', 'input', 'contents', 'prompt', 'query', 'documents', 'tools', 'image', 'mask'],
  ...['system', 'systemInstruction', 'system_instruction', 'instructions'],
]);

/** Returns the bytes of the prompt. Images count by their number, and not by their bytes. */
export function bytesOf({ request, endpoint, route }: Call): number {
  const prompt = endpoint.tariff.prompt(request, route.bareModel);
  const counted = bytesIn(prompt);
  return 2 * prompt.fixed + counted + uncountedBytes(request.body, counted) + otherBytes(request.body);
}

const bytesIn = (prompt: PromptTexts): number =>
  prompt.bytes ?? prompt.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Fields with media, or with what a provider has sealed. None of them reaches a model as text. */
const mediaFields = new Set([
  ...mediaNames,
  ...['fileData', 'mask', 'url', 'result'],
  ...['encrypted_content', 'signature', 'thought_signature', 'thoughtSignature', 'thinkingSignature'],
]);
/** Fields with short words, which the count of a prompt leaves out. */
const wordFields = new Set([
  ...['id', 'type', 'role', 'status', 'name', 'call_id', 'tool_call_id', 'tool_use_id', 'detail', 'format'],
  ...['media_type', 'mimeType', 'mime_type', 'server_label'],
]);
const maxWord = 64;
const maxVisited = 100_000;

/**
 * Returns the bytes of texts in the prompt beyond those that are counted. The count knows documented forms; a provider may
 * read a text in another one, such as an object in place of a list.
 * @param counted bytes
 */
function uncountedBytes(body: Fields, counted: number): number {
  let bytes = 0;
  let visited = 0;
  for (const name of promptFields) {
    if (name === 'model' || mediaFields.has(name)) continue;
    const held = body[name];
    for (const size of Array.isArray(held) ? sizesOf(held as unknown[]) : [sizeOf(held)]) {
      bytes += size.bytes;
      visited += size.visited;
    }
    if (visited > maxVisited) return Buffer.byteLength(JSON.stringify(body));
  }
  return Math.max(0, bytes - counted);
}

interface TextSize {
  readonly bytes: number;
  /** Lists and objects in which texts were looked for: more than the maximum if some were left out. */
  readonly visited: number;
}

const noText: TextSize = { bytes: 0, visited: 0 };

/** Returns the bytes of the texts in a value that may reach a model. */
function sizeOf(given: unknown): TextSize {
  let bytes = 0;
  let visited = 0;
  const open: object[] = [];
  const add = (held: unknown): void => {
    if (typeof held === 'string') bytes += Buffer.byteLength(held);
    else if (typeof held === 'object' && held !== null) open.push(held);
  };
  if (typeof given !== 'object' && typeof given !== 'string') return noText;
  add(given);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (++visited > maxVisited) break;
    if (Array.isArray(value)) {
      for (const each of value as unknown[]) add(each);
      continue;
    }
    const fields = value as Fields;
    for (const name in fields) {
      const held = fields[name];
      const isMedia = mediaFields.has(name) && fields['type'] !== 'text';
      const isWord = wordFields.has(name) && typeof held === 'string' && held.length <= maxWord;
      if (!isWord && !(isMedia && typeof held === 'string')) add(held);
    }
  }
  return { bytes, visited };
}

const sizesOf = ofEachPart((turns): TextSize => {
  let [bytes, visited] = [0, 0];
  for (const turn of turns) {
    const size = sizeOf(turn);
    bytes += size.bytes;
    visited += size.visited;
  }
  return { bytes, visited };
}, always);

/** Returns the bytes of schemas and other fields, besides messages and tools, that reach the model. */
function otherBytes(body: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in body) {
    const value = body[name];
    if (promptFields.has(name) || value === null) continue;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object') bytes += JSON.stringify(value).length;
  }
  return bytes > smallFields ? bytes : 0;
}

/** Models whose encoding is public. */
const publicEncoding = /^(?:gpt-|chatgpt-|o\d|text-|ft:|davinci|babbage)/;
/** All other models are counted by an encoding of OpenAI, and may need this many times the tokens. */
const otherEncoding = 1.4;
/** Claude adds instructions of about 350 to 600 tokens before the tools of a request. */
const claudeTools = 600;

/**
 * Counts prompt tokens here, for the reservation. Never fails.
 * @param areImagesLargest whether images of unknown size count as the largest
 */
export async function countedPrompt({ request, endpoint, route }: Call, areImagesLargest = false): Promise<number> {
  const { bareModel } = route;
  const prompt = endpoint.tariff.prompt(request, bareModel);
  const text = await countBySample(prompt, bareModel);
  const others = uncountedBytes(request.body, bytesIn(prompt)) + otherBytes(request.body);
  const counted = text + Math.ceil(others / 3) + (areImagesLargest ? (prompt.unsized ?? 0) : 0);
  if (publicEncoding.test(bareModel)) return Math.max(1, counted);
  const hasTools = bareModel.includes('claude') && Array.isArray(request.body['tools']);
  return Math.ceil(counted * otherEncoding) + (hasTools ? claudeTools : 1);
}

/**
 * The amounts to reserve for a call whose prompt is counted: the full amount, and the smallest that is worth a call.
 */
export interface Wanted {
  readonly amount: number;
  readonly least: number;
  readonly promptTokens: number;
  readonly leastOutput: number;
}

/** Returns the quota to reserve: for the full output, and the minimum for which the call is worth making. */
export function wantedFor(cost: CallCost, promptTokens: number): Wanted {
  const { traits, outputTokens, fixedOutput, choices, toolCalls } = cost;
  const leastOutput =
    fixedOutput || Math.min(outputTokens, (traits.hasThinkingBudget ? minThinking : minOutput) * choices);
  return {
    amount: cost.of(largestPrompt(cost, promptTokens), outputTokens),
    least: cost.of(promptTokens, leastOutput, toolCalls > 0 ? 1 : undefined),
    promptTokens,
    leastOutput,
  };
}

/** Returns the usage that `amount` pays for. */
export function estimateOf(given: CallCost, wanted: Wanted, amount: number): Estimate {
  const { promptTokens } = wanted;
  const cost = withAffordableTools(given, wanted, amount);
  const outputTokens = affordable(cost, promptTokens, amount);
  const limited = outputTokens < cost.outputTokens && cost.fixedOutput === 0;
  return {
    amount,
    promptTokens,
    outputTokens,
    askedTokens: outputTokens,
    limited,
    ...(limited || cost.outputIsGuessed ? { stopAt: outputTokens } : {}),
    traits: cost.traits,
  };
}

/**
 * Returns the maximum output tokens, the same whole number for each choice, that the amount pays for besides the
 * prompt.
 */
export function affordable(
  { of, outputTokens, choices }: Pick<CallCost, 'of' | 'outputTokens' | 'choices'>,
  promptTokens: number,
  amount: number,
): number {
  if (of(promptTokens, outputTokens) <= amount) return outputTokens;
  const most = largestWithin(outputTokens, (tokens) => of(promptTokens, tokens) <= amount);
  return Math.floor(most / choices) * choices;
}

/** Returns the cost with as many tool calls as the amount pays for besides the minimum output. */
function withAffordableTools(cost: CallCost, { promptTokens, leastOutput }: Wanted, amount: number): CallCost {
  const { of, toolCalls, traits } = cost;
  if (toolCalls === 0 || of(promptTokens, leastOutput) <= amount) return cost;
  const paid = largestWithin(toolCalls, (count) => of(promptTokens, leastOutput, count) <= amount);
  return {
    ...cost,
    toolCalls: paid,
    traits: withToolCalls(traits, paid),
    of: (prompt, output) => of(prompt, output, paid),
  };
}

/**
 * Returns the largest whole number up to `most` for which `isWithin` holds. It must hold for all smaller numbers, too.
 */
function largestWithin(most: number, isWithin: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isWithin(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns how often the provider may call each tool, when the balance does not pay for many more calls than are
 * reserved.
 * @returns null when the request needs no limit
 */
export function toolLimit({ caller }: Call, cost: CallCost, { amount, traits: { tools } }: Estimate): number | null {
  if (cost.toolCalls === 0) return null;
  const { user, token } = caller;
  const needed = ample * amount;
  const isAmple = user.quota >= needed && (token.unlimitedQuota || token.remainQuota >= needed);
  return isAmple ? null : Math.max(1, mostToolCalls(tools));
}
