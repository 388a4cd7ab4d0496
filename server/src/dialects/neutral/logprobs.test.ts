/** Log probabilities of a chat provider, for clients of the other dialects that support them. */
import {
  clients,
  collect,
  contextFor,
  payloads,
  providers,
  sse,
  usage,
  type Json,
} from '../../../../tests/support/relay-dialects.js';

const chat = providers['openai-chat'];
const token = (text: string): Json => ({
  token: text,
  logprob: -0.5,
  bytes: [...Buffer.from(text)],
  top_logprobs: [{ token: text, logprob: -0.5, bytes: [...Buffer.from(text)] }],
});
const [first, second] = [token('Hi'), token(' you')];
const answer = {
  id: 'c',
  model: 'm',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi you' },
      logprobs: { content: [first, second] },
      finish_reason: 'stop',
    },
  ],
};
const chunk = (content: string, logprob: Json): Json => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: { content }, logprobs: { content: [logprob] }, finish_reason: null }],
});
const stream = sse([
  chunk('Hi', first),
  chunk(' you', second),
  { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  '[DONE]',
]);

/** Returns the stream, read and written event by event. */
function streamed(dialect: 'gemini-generate' | 'openai-responses'): Json[] {
  const reader = chat.openReader();
  const writer = clients[dialect].openWriter(contextFor());
  const out = payloads(stream).map((each) =>
    writer.push(reader.push({ type: '', data: typeof each === 'string' ? each : JSON.stringify(each) })),
  );
  return payloads(out.join('') + writer.end() + writer.closing(usage)) as Json[];
}

describe('Responses', () => {
  const client = clients['openai-responses'];
  const asked = (body: Json): Json => chat.write(client.parse({ body: { model: 'm', input: 'hi', ...body } })).body;

  it.each([
    ['a number', { top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
    ['an entry of include', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
  ])('asks for them with %s', (_what, body, sent) => {
    expect(asked(body)).toMatchObject(sent);
    expect(asked({})).not.toHaveProperty('logprobs');
  });

  it('has them in its text', () => {
    const text = { type: 'output_text', text: 'Hi you', logprobs: [first, second] };
    const response = client.toAnswer(chat.read(answer), contextFor());
    expect(response['output']).toMatchObject([{ content: [text] }]);
    const events = streamed('openai-responses');
    const of = (type: string): unknown[] =>
      events.filter((event) => event['type'] === type).map((event) => event['logprobs']);
    expect(of('response.output_text.delta')).toEqual([[first], [second]]);
    expect(of('response.output_text.done')).toEqual([[first, second]]);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [text] }] } });
  });
});

describe('Gemini', () => {
  const result = (...tokens: Json[]): Json => {
    const candidates = tokens.map((each) => ({ token: each['token'], logProbability: -0.5 }));
    return { chosenCandidates: candidates, topCandidates: candidates.map((each) => ({ candidates: [each] })) };
  };

  it('has them in its candidate', () => {
    const whole = clients['gemini-generate'].toAnswer(chat.read(answer), contextFor());
    expect(whole['candidates']).toMatchObject([{ logprobsResult: result(first, second) }]);
    const found = streamed('gemini-generate').flatMap(({ candidates }) =>
      (candidates as Json[]).map((candidate) => candidate['logprobsResult']),
    );
    expect(found).toEqual([result(first), result(second), undefined]);
  });

  it('gives back what it was given', () => {
    const whole = clients['gemini-generate'].toAnswer(collect(chat, stream).answer(), contextFor());
    expect(providers['gemini-generate'].read(whole).choices[0]?.logprobs).toEqual({ content: [first, second] });
  });
});
