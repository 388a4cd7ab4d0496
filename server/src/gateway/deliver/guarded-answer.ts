import { parseExact, writeJson } from '../../shared/exact-json.js';
import { isAppError } from '../../shared/errors.js';
import type { Usage } from '../../shared/usage.js';
import type { ChatAnswer } from '../../dialects/contract.js';
import { asFields, asList, asText, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { bodyTexts, withTexts } from '../admit/guardrails/body-texts.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';

/**
 * Applies every rule for output to a response.
 * @returns the response, unchanged or masked, or the reason why the client must not get it
 */
export async function guardedAnswer(
  answer: ChatAnswer,
  guard: CallGuard,
): Promise<{ readonly answer: ChatAnswer; readonly refused?: unknown }> {
  const body = asFields(parseExact(answer.body.toString('utf8')));
  if (!body) return { answer };
  const texts = await bodyTexts(body);
  try {
    const passed = await guard.apply(texts, 'output');
    if (passed === texts) return { answer };
    const masked = Buffer.from(writeJson(await withTexts(body, passed)));
    const withUsage = answer.withUsage?.bind(answer);
    const usageIn = (bytes: Buffer): Buffer => withUsageOf(masked, bytes);
    return {
      answer: {
        body: masked,
        usage: answer.usage,
        id: answer.id,
        proof: answer.proof,
        givenIds: answer.givenIds,
        report: (transcript) => answer.report(transcript),
        ...(withUsage ? { withUsage: (usage: Usage) => usageIn(withUsage(usage)) } : {}),
      },
    };
  } catch (error) {
    if (isAppError(error)) return { answer, refused: error };
    throw error;
  }
}

const usageFields = ['usage', 'usageMetadata'] as const;

function withUsageOf(masked: Buffer, counted: Buffer): Buffer {
  const from = parseFields(counted.toString('utf8'));
  const usage = Object.fromEntries(usageFields.flatMap((name) => (from?.[name] ? [[name, from[name]]] : [])));
  return Buffer.from(writeJson({ ...asFields(parseExact(masked.toString('utf8'))), ...usage }));
}

/**
 * Applies every rule for output to a response that a provider stores, or to the list of its input. Parts that the
 * client sent are not output.
 * @throws AppError GUARDRAIL_BLOCKED; UnavailableError when a check that fails closed failed
 */
export async function guardedCopy(body: Buffer, guard: CallGuard): Promise<Buffer> {
  const copy = parseFields(body.toString('utf8'));
  if (!copy) return body;
  const items = asList(copy['data']);
  const { data: _data, ...own } = Object.fromEntries(Object.entries(copy).filter(([name]) => !givenFields.has(name)));
  const output: Fields = { ...own, items: items.map((item) => (isGiven(item) ? null : item)) };
  const texts = await bodyTexts(output);
  const passed = await guard.apply(texts, 'output');
  if (passed === texts) return body;
  const { items: checked, ...masked } = await withTexts(output, passed);
  const data = asList(checked).map((item, index) => item ?? items[index]);
  return Buffer.from(JSON.stringify({ ...copy, ...masked, ...('data' in copy ? { data } : {}) }));
}

/** Fields of a response that repeat what the client sent. */
const givenFields: ReadonlySet<string> = new Set([
  ...['instructions', 'metadata', 'tools', 'prompt'],
  // Interactions has these fields.
  ...['input', 'system_instruction', 'labels'],
]);

function isGiven(item: unknown): boolean {
  const { role, type } = asFields(item) ?? {};
  return role === 'user' || role === 'system' || role === 'developer' || asText(type).endsWith('_call_output');
}
