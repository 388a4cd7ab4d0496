import { isAppError } from '../../shared/errors.js';
import type { Usage } from '../../shared/usage.js';
import type { ChatAnswer } from '../adapter.js';
import { parseFields } from '../neutral/fields.js';
import { bodyTexts, withTexts } from './body-texts.js';
import type { CallGuard } from './call-guard.js';

/** The response after every rule for output: the same, masked, or with the reason why the client must not get it. */
export async function guardedAnswer(
  answer: ChatAnswer,
  guard: CallGuard,
): Promise<{ readonly answer: ChatAnswer; readonly refused?: unknown }> {
  const body = parseFields(answer.body.toString('utf8'));
  if (!body) return { answer };
  const texts = bodyTexts(body);
  try {
    const passed = await guard.apply(texts, 'output');
    if (passed === texts) return { answer };
    const masked = Buffer.from(JSON.stringify(withTexts(body, passed)));
    const withUsage = answer.withUsage?.bind(answer);
    const usageIn = (bytes: Buffer): Buffer => withUsageOf(masked, bytes);
    return {
      answer: {
        body: masked,
        usage: answer.usage,
        id: answer.id,
        proof: answer.proof,
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
  return Buffer.from(JSON.stringify({ ...parseFields(masked.toString('utf8')), ...usage }));
}
