/**
 * Runs features of one SDK of npm against a gateway: node_sdks.cjs SDK, with the folder of its packages in SDK_FOLDER. Its input and
 * output are those of python_sdks.py.
 */
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const load = createRequire(join(process.env.SDK_FOLDER, 'package.json'));
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const prompts = {
  talk: '<<READ>> Read notes.txt and tell me the word.',
  tool: '<<READ>> Read notes.txt and tell me the word.',
  slow: '<<SLOW>> Tell me everything.',
  image: '<<LOOK>> What is on the picture?',
};
const again = '<<AGAIN>> Say the word once more.';
const result = 'The word is SECRET-4f1c9a';
const schema = { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] };
const textOf = (content) => content.map(({ text = '' }) => text).join('');

/** The client and the commands of `@aws-sdk/client-bedrock-runtime`. */
function bedrock({ url, key }) {
  const { BedrockRuntimeClient, ...commands } = load('@aws-sdk/client-bedrock-runtime');
  const { NodeHttpHandler } = load('@smithy/node-http-handler');
  const client = new BedrockRuntimeClient({
    endpoint: url,
    region: 'us-east-1',
    token: { token: key },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    // By default this client begins with HTTP/2, which needs TLS to be negotiated.
    requestHandler: new NodeHttpHandler(),
  });
  return {
    send: (name, input) => client.send(new commands[`${name}Command`](input)),
    // A stream that is left keeps its connection open.
    close: () => client.destroy(),
  };
}

async function converse(send, { feature, model }) {
  const prompt = prompts[feature];
  const toolSpec = { name: 'read_file', description: 'Reads a file', inputSchema: { json: schema } };
  const asked = (messages) => ({ modelId: model, messages, toolConfig: { tools: [{ toolSpec }] } });
  const ask = async (messages) => (await send('Converse', asked(messages))).output.message;
  const user = (...content) => ({ role: 'user', content });
  if (feature === 'image') {
    const picture = { image: { format: 'png', source: { bytes: Buffer.from(png, 'base64') } } };
    return textOf((await ask([user({ text: prompt }, picture)])).content);
  }
  const messages = [user({ text: prompt })];
  if (feature === 'slow') {
    const { stream } = await send('ConverseStream', asked(messages));
    for await (const event of stream) if (event.contentBlockDelta) return 'left';
  }
  messages.push(await ask(messages));
  if (feature === 'talk') return textOf((await ask([...messages, user({ text: again })])).content);
  const { toolUse } = messages.at(-1).content.find((block) => block.toolUse);
  messages.push(user({ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: result }] } }));
  const said = await ask(messages);
  return `${textOf(said.content)} ${textOf((await ask([...messages, said, user({ text: again })])).content)}`;
}

async function invokeModel(send, { feature, model }) {
  const prompt = prompts[feature];
  const tools = [{ name: 'read_file', description: 'Reads a file', input_schema: schema }];
  const asked = (messages) => ({
    modelId: model,
    contentType: 'application/json',
    body: JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 500, messages, tools }),
  });
  const read = (bytes) => JSON.parse(Buffer.from(bytes).toString());
  const ask = async (messages) => read((await send('InvokeModel', asked(messages))).body).content;
  const user = (...content) => ({ role: 'user', content });
  const text = (words) => ({ type: 'text', text: words });
  if (feature === 'image') {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
    return textOf(await ask([user(text(prompt), picture)]));
  }
  const messages = [user(text(prompt))];
  if (feature === 'slow') {
    const { body } = await send('InvokeModelWithResponseStream', asked(messages));
    for await (const { chunk } of body) if (read(chunk.bytes).type === 'content_block_delta') return 'left';
  }
  messages.push({ role: 'assistant', content: await ask(messages) });
  if (feature === 'talk') return textOf(await ask([...messages, user(text(again))]));
  const call = messages.at(-1).content.find(({ type }) => type === 'tool_use');
  messages.push(user({ type: 'tool_result', tool_use_id: call.id, content: result }));
  const said = await ask(messages);
  return `${textOf(said)} ${textOf(await ask([...messages, { role: 'assistant', content: said }, user(text(again))]))}`;
}

const sdk = { converse, invoke_model: invokeModel }[process.argv[2]];
createInterface(process.stdin).on('line', async (line) => {
  const asked = JSON.parse(line);
  const { send, close } = bedrock(asked);
  const said = await sdk(send, asked).catch(String);
  close();
  console.log(JSON.stringify(said));
});
