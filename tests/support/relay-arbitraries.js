import fc, {} from 'fast-check';
/* Calls as clients make them, in each dialect: the common features, and those of one dialect. */
const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() === text && text !== '\n');
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
const bytes = fc.uint8Array({ minLength: 6, maxLength: 24 }).map((raw) => Buffer.from(raw).toString('base64'));
const picture = bytes
    .map((rest) => `iVBORw0KGgo${rest.replace(/=+$/, '')}`)
    .map((text) => text.padEnd(Math.ceil(text.length / 4) * 4, 'A'));
const object = fc.dictionary(name, fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 });
const schema = fc
    .dictionary(name, fc.constantFrom('string', 'integer', 'boolean'), { minKeys: 1, maxKeys: 3 })
    .map((fields) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, { type }])),
    required: Object.keys(fields),
    additionalProperties: false,
}));
const maybe = (value) => fc.option(value, { nil: undefined });
const share = fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 20);
const tool = fc.record({ name, description: word, parameters: schema });
export const talk = fc
    .record({
    system: maybe(word),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (each) => each.name }),
    last: word,
    schema: maybe(schema),
    temperature: maybe(share),
    stop: fc.uniqueArray(word, { maxLength: 3 }),
    limit: maybe(fc.integer({ min: 1, max: 4000 })),
    effort: maybe(fc.constantFrom('low', 'medium', 'high')),
    stream: fc.boolean(),
})
    .chain((head) => {
    const call = head.tools.length === 0
        ? null
        : fc.record({
            name: fc.constantFrom(...head.tools.map((each) => each.name)),
            input: object,
            result: word,
        });
    const turn = fc.record({
        texts: fc.array(word, { minLength: 1, maxLength: 2 }),
        image: maybe(picture),
        answer: word,
        calls: call ? fc.array(call, { maxLength: 2 }) : fc.constant([]),
    });
    const choice = head.tools.length === 0
        ? fc.constant(undefined)
        : maybe(fc.constantFrom('auto', 'required', 'none'));
    return fc.record({ turns: fc.array(turn, { maxLength: 3 }), choice }).map((rest) => ({ ...head, ...rest }));
});
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const ids = (turn, call) => `call_${turn}_${call}`;
export function asChat(talk, model) {
    const messages = talk.system === undefined ? [] : [{ role: 'system', content: talk.system }];
    talk.turns.forEach((turn, at) => {
        const parts = turn.texts.map((text) => ({ type: 'text', text }));
        if (turn.image !== undefined)
            parts.push({ type: 'image_url', image_url: { url: `data:image/png;base64,${turn.image}` } });
        messages.push({ role: 'user', content: parts.length === 1 ? turn.texts[0] : parts });
        const calls = turn.calls.map((call, index) => ({
            id: ids(at, index),
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.input) },
        }));
        messages.push({ role: 'assistant', content: turn.answer, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
        turn.calls.forEach((call, index) => messages.push({ role: 'tool', tool_call_id: ids(at, index), content: call.result }));
    });
    messages.push({ role: 'user', content: talk.last });
    return given({
        model,
        messages,
        tools: talk.tools.length > 0 ? talk.tools.map((each) => ({ type: 'function', function: each })) : undefined,
        tool_choice: talk.choice,
        response_format: talk.schema && {
            type: 'json_schema',
            json_schema: { name: 'answer', schema: talk.schema, strict: true },
        },
        temperature: talk.temperature,
        stop: talk.stop.length > 0 ? talk.stop : undefined,
        max_tokens: talk.limit,
        reasoning_effort: talk.effort,
        stream: talk.stream || undefined,
    });
}
export function asMessages(talk, model) {
    const messages = [];
    let results = [];
    talk.turns.forEach((turn, at) => {
        const parts = [...results, ...turn.texts.map((text) => ({ type: 'text', text }))];
        if (turn.image !== undefined)
            parts.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: turn.image } });
        messages.push({ role: 'user', content: parts });
        const calls = turn.calls.map((call, index) => ({
            type: 'tool_use',
            id: ids(at, index),
            name: call.name,
            input: call.input,
        }));
        messages.push({ role: 'assistant', content: [{ type: 'text', text: turn.answer }, ...calls] });
        results = turn.calls.map((call, index) => ({
            type: 'tool_result',
            tool_use_id: ids(at, index),
            content: call.result,
        }));
    });
    messages.push({
        role: 'user',
        content: results.length > 0 ? [...results, { type: 'text', text: talk.last }] : talk.last,
    });
    const choices = { auto: 'auto', required: 'any', none: 'none' };
    return given({
        model,
        system: talk.system,
        messages,
        tools: talk.tools.length > 0
            ? talk.tools.map(({ name: called, description, parameters }) => ({
                name: called,
                description,
                input_schema: parameters,
            }))
            : undefined,
        tool_choice: talk.choice && { type: choices[talk.choice] },
        output_config: talk.schema && { format: { type: 'json_schema', schema: talk.schema } },
        temperature: talk.temperature,
        stop_sequences: talk.stop.length > 0 ? talk.stop : undefined,
        max_tokens: talk.limit ?? 512,
        stream: talk.stream || undefined,
    });
}
export function asGemini(talk) {
    const contents = [];
    let results = [];
    talk.turns.forEach((turn, at) => {
        const parts = [...results, ...turn.texts.map((text) => ({ text }))];
        if (turn.image !== undefined)
            parts.push({ inlineData: { mimeType: 'image/png', data: turn.image } });
        contents.push({ role: 'user', parts });
        const calls = turn.calls.map((call, index) => ({
            functionCall: { id: ids(at, index), name: call.name, args: call.input },
        }));
        contents.push({ role: 'model', parts: [{ text: turn.answer }, ...calls] });
        results = turn.calls.map((call, index) => ({
            functionResponse: { id: ids(at, index), name: call.name, response: { result: call.result } },
        }));
    });
    contents.push({ role: 'user', parts: [...results, { text: talk.last }] });
    const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' };
    const config = given({
        temperature: talk.temperature,
        maxOutputTokens: talk.limit,
        stopSequences: talk.stop.length > 0 ? talk.stop : undefined,
        responseMimeType: talk.schema && 'application/json',
        responseJsonSchema: talk.schema,
    });
    return given({
        contents,
        systemInstruction: talk.system === undefined ? undefined : { parts: [{ text: talk.system }] },
        tools: talk.tools.length > 0
            ? [{ functionDeclarations: talk.tools.map((each) => ({ ...each, parameters: shouted(each.parameters) })) }]
            : undefined,
        toolConfig: talk.choice && { functionCallingConfig: { mode: modes[talk.choice] } },
        generationConfig: Object.keys(config).length > 0 ? config : undefined,
    });
}
/** Google's own client writes types in capitals and does not support closed objects. */
function shouted(parameters) {
    const fields = parameters['properties'];
    return {
        type: 'OBJECT',
        properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, { type: field.type.toUpperCase() }])),
        required: parameters['required'],
    };
}
export function asResponses(talk, model) {
    const input = [];
    talk.turns.forEach((turn, at) => {
        const parts = turn.texts.map((text) => ({ type: 'input_text', text }));
        if (turn.image !== undefined)
            parts.push({ type: 'input_image', image_url: `data:image/png;base64,${turn.image}`, detail: 'auto' });
        input.push({ role: 'user', content: parts.length === 1 ? turn.texts[0] : parts });
        input.push({ role: 'assistant', content: [{ type: 'output_text', text: turn.answer, annotations: [] }] });
        turn.calls.forEach((call, index) => input.push({
            type: 'function_call',
            call_id: ids(at, index),
            name: call.name,
            arguments: JSON.stringify(call.input),
        }));
        turn.calls.forEach((call, index) => input.push({ type: 'function_call_output', call_id: ids(at, index), output: call.result }));
    });
    input.push({ role: 'user', content: talk.last });
    return given({
        model,
        instructions: talk.system,
        input,
        tools: talk.tools.length > 0 ? talk.tools.map((each) => ({ type: 'function', ...each, strict: false })) : undefined,
        tool_choice: talk.choice,
        text: talk.schema && { format: { type: 'json_schema', name: 'answer', schema: talk.schema, strict: true } },
        temperature: talk.temperature,
        max_output_tokens: talk.limit,
        reasoning: talk.effort && { effort: talk.effort },
        stream: talk.stream || undefined,
    });
}
