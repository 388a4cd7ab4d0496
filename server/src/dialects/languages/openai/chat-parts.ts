import type { Transcript } from '../../contract.js';
import { asFields, type Fields } from '../../neutral/fields.js';

/**
 * Reports the content of a response's or chunk's choices to a transcript.
 * @param part `message` or `delta`
 * @returns whether a choice has a finish reason
 */
export function reportChoices(choices: unknown, part: 'message' | 'delta', transcript: Transcript): boolean {
  if (!Array.isArray(choices)) return false;
  let finished = false;
  for (const choice of choices) {
    const fields = asFields(choice);
    if (!fields) continue;
    if (typeof fields['finish_reason'] === 'string' && fields['finish_reason'] !== '') finished = true;
    // Legacy completions have their text here.
    reportText(fields['text'], transcript);
    const content = asFields(fields[part]);
    if (content) reportContent(content, transcript);
  }
  return finished;
}

function reportContent(content: Fields, transcript: Transcript): void {
  for (const name of ['reasoning_content', 'reasoning', 'content', 'refusal']) reportText(content[name], transcript);
  if (content['audio'] || content['images']) transcript.otherContent();
  const calls = content['tool_calls'];
  if (Array.isArray(calls)) for (const call of calls) reportToolCall(asFields(call), transcript);
  const legacy = asFields(content['function_call']);
  if (legacy) reportToolCall({ function: legacy }, transcript);
}

/** Text, or a list of parts as some providers send it. */
function reportText(value: unknown, transcript: Transcript): void {
  if (typeof value === 'string') {
    if (value !== '') transcript.text(value);
    return;
  }
  if (!Array.isArray(value)) return;
  for (const part of value) {
    const fields = asFields(part);
    if (typeof fields?.['text'] === 'string') transcript.text(fields['text']);
    else if (fields) transcript.otherContent();
  }
}

/** The name arrives once per call, the arguments in pieces. Custom tools have `custom: {name, input}`. */
function reportToolCall(call: Fields | null, transcript: Transcript): void {
  const tool = asFields(call?.['function']) ?? asFields(call?.['custom']);
  if (!tool) return;
  if (typeof tool['name'] === 'string' && tool['name'] !== '') {
    transcript.toolCall();
    transcript.text(tool['name']);
  }
  const input = tool['arguments'] ?? tool['input'];
  if (typeof input === 'string' && input !== '') transcript.text(input);
}
