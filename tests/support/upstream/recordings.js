import { readFileSync } from 'node:fs';
import { join } from 'node:path';
const folder = join(import.meta.dirname, '../../recorded');
/** A real non-streaming response of a provider: `recordedAnswer('openai/openai-text')`. The bytes of the file. */
export function recordedAnswer(name) {
    return readFileSync(join(folder, `${name}.json`));
}
/** The events of a provider's real stream, in order, without their `data: ` prefix. */
export function recordedEvents(name) {
    const text = readFileSync(join(folder, `${name}.chunks.txt`), 'utf8');
    return text.split('\n').filter((line) => line.trim() !== '');
}
/** The recorded stream as an OpenAI-compatible server sends it, including the final event. */
export function recordedStream(name) {
    return Buffer.from([...recordedEvents(name), '[DONE]'].map(toEvent).join(''));
}
/** One server-sent event. */
export const toEvent = (data) => `data: ${data}\n\n`;
