import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultOptionValues } from '../../server/src/modules/options/option-registry.js';
import { familySettings } from '../../server/src/relay/attempt/attempt.js';
import { AnswerCollector } from '../../server/src/relay/neutral/collect.js';
import { TranslatedStream } from '../../server/src/relay/neutral/translated-stream.js';
import { defaultClaudeSettings } from '../../server/src/relay/protocols/anthropic/claude-settings.js';
import { messagesClient } from '../../server/src/relay/protocols/anthropic/messages-client.js';
import { messagesProvider } from '../../server/src/relay/protocols/anthropic/messages-write.js';
import { geminiClient } from '../../server/src/relay/protocols/gemini/gemini-client.js';
import { defaultGeminiSettings } from '../../server/src/relay/protocols/gemini/gemini-settings.js';
import { geminiProvider } from '../../server/src/relay/protocols/gemini/gemini-write.js';
import { chatClient } from '../../server/src/relay/protocols/openai/chat-client.js';
import { chatProvider } from '../../server/src/relay/protocols/openai/chat-write.js';
import { responsesClient } from '../../server/src/relay/protocols/responses/responses-client.js';
import { responsesProvider } from '../../server/src/relay/protocols/responses/responses-write.js';
import { providerOf, providers as providerTable } from '../../server/src/relay/providers/providers.js';
import { EventParser, eventsOf } from '../../server/src/relay/sse/event-parser.js';
const folder = join(import.meta.dirname, '..');
export function fixture(family, id) {
    const all = JSON.parse(readFileSync(join(folder, `fixtures/relay-providers/${family}.json`), 'utf8'));
    const found = all.find((each) => each.id === id);
    if (!found)
        throw new Error(`no fixture ${id}`);
    return found;
}
/** Expected objects are subsets, arrays match in order and length, `<any>` matches anything, `!absent` must not exist. */
export function expectSubset(actual, expected, at = '$') {
    if (expected === '<any>')
        return;
    if (Array.isArray(expected)) {
        if (!Array.isArray(actual) || actual.length !== expected.length)
            expect({ at, actual }).toEqual({ at, actual: expected });
        expected.forEach((each, index) => expectSubset(actual[index], each, `${at}[${index}]`));
    }
    else if (typeof expected === 'object' && expected !== null) {
        const fields = (actual ?? {});
        for (const [name, value] of Object.entries(expected)) {
            if (value === '!absent')
                expect({ at, has: fields[name] }).toEqual({ at, has: undefined });
            else
                expectSubset(fields[name], value, `${at}.${name}`);
        }
    }
    else
        expect({ at, actual }).toEqual({ at, actual: expected });
}
/** Adapters by channel type, as the provider table has them. */
export const adapters = Object.fromEntries(providerTable.filter(({ adapter }) => Object.keys(adapter).length > 0).map(({ id, adapter }) => [id, adapter]));
/**
 * The fields of a target that come from the provider's row.
 * @param own base URL of the channel, may be empty
 */
export function targetOfRow(type, own = '', accepts = providerOf(type).accepts) {
    return { type, baseUrl: own || providerOf(type).defaultBaseUrl, accepts };
}
export const targetFor = (more = {}) => ({
    channelId: 1,
    key: 'sk-fake',
    organization: '',
    other: '',
    createdTime: 1,
    setting: {},
    upstreamModel: 'model-x',
    requestedModel: 'model-x',
    models: [],
    forceStreamUsage: true,
    override: null,
    passThrough: false,
    families: familySettings(defaultOptionValues()),
    credential: '',
    now: 1_763_600_000_000,
    ...more,
    ...targetOfRow(more.type ?? 0, more.baseUrl, more.accepts),
});
export const contextFor = (more = {}) => ({
    id: 'test',
    created: 1_763_600_000,
    model: 'model-x',
    promptTokens: 0,
    includeUsage: true,
    body: {},
    ...more,
});
export const clients = {
    'openai-chat': chatClient,
    'anthropic-messages': messagesClient,
    'gemini-generate': geminiClient,
    'openai-responses': responsesClient,
};
export const providers = {
    'openai-chat': chatProvider(),
    'anthropic-messages': messagesProvider(defaultClaudeSettings),
    'gemini-generate': geminiProvider(defaultGeminiSettings),
    'openai-responses': responsesProvider,
};
export const bodyOf = (request) => JSON.parse(String(request.body));
/** A call by a client of another dialect, translated as in the relay. */
export function send(client, provider, body, target) {
    const request = client.parse({ body, model: target.upstreamModel });
    const written = provider.codec(target).write(request);
    const call = { stream: request.stream, model: written.model ?? target.upstreamModel };
    return { written, upstream: provider.toUpstreamRequest(written.body, call, target) };
}
/** Payloads as a provider sends them: text unchanged, objects as JSON, with event names if the dialect has them. */
export const sse = (payloads, named = false) => payloads
    .map((payload) => {
    const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const type = named ? JSON.parse(data).type : undefined;
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`;
})
    .join('');
/** Payloads of a stream that a client received. */
export function payloads(stream) {
    return eventsOf({ bytes: Buffer.from(stream), text: Buffer.from(stream).toString('latin1') }).map(({ data }) => data === '[DONE]' ? data : JSON.parse(data));
}
export class Heard {
    constructor() {
        this.said = '';
        this.calls = 0;
        this.others = 0;
    }
    text(text) {
        this.said += text;
    }
    toolCall() {
        this.calls++;
    }
    otherContent() {
        this.others++;
    }
}
const nothing = {
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
};
/** The usage of a call, for tests that do not depend on it. */
export const usage = { ...nothing, promptTokens: 9, completionTokens: 7, cachedTokens: 2 };
/** The stream that a client of a dialect gets for these events, each batch in one read. */
export function written(dialect, batches) {
    const writer = clients[dialect].openWriter(contextFor());
    return batches.map((batch) => writer.push(batch)).join('') + writer.end() + writer.closing(usage);
}
/** Sends a stream through a transform, split at the positions in `cuts`. */
export function play(transform, stream, cuts = []) {
    const bytes = Buffer.from(stream);
    const out = [];
    const keep = (piece) => {
        if (piece !== null)
            out.push(Buffer.from(piece));
    };
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
        keep(transform.push(bytes.subarray(from, cut)));
        from = cut;
    }
    if (!transform.done)
        keep(transform.end());
    if (!transform.failure)
        keep(transform.closing(transform.usage() ?? nothing));
    return Buffer.concat(out).toString('utf8');
}
export const playThrough = (provider, client, stream, context = contextFor(), heard = new Heard()) => {
    const transform = new TranslatedStream(provider.openReader(), client.openWriter(context), heard);
    return { out: play(transform, stream), transform };
};
/** The content of a stream in the neutral form. */
export function collect(provider, stream) {
    const collector = new AnswerCollector();
    for (const event of eventsIn(provider, stream))
        collector.push(event);
    return collector;
}
export function eventsIn(provider, stream) {
    const reader = provider.openReader();
    const parser = new EventParser();
    return [...parser.push(Buffer.from(stream)), ...parser.end()].flatMap((event) => reader.push(event));
}
/** A stream of a real provider, one event per line. */
export const recordedLines = (name) => readFileSync(join(folder, 'recorded', name), 'utf8')
    .split('\n')
    .filter(Boolean);
export const recordedAnswer = (name) => JSON.parse(readFileSync(join(folder, 'recorded', name), 'utf8'));
export const recordedNames = (dialect, ending) => readdirSync(join(folder, 'recorded', dialect))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${dialect}/${name}`);
