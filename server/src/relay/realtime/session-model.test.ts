import { withSessionModel } from './session-model.js';

const known = { names: ['voice', 'own/voice'], upstreamModel: 'gpt-realtime' };

it('names the model as the provider does', () => {
  for (const model of [...known.names, 'gpt-realtime']) {
    const event = { type: 'session.update', session: { model, voice: 'alloy' } };
    const sent = { type: 'session.update', session: { model: 'gpt-realtime', voice: 'alloy' } };
    expect(withSessionModel(event, known)).toEqual(sent);
  }
  const response = { type: 'response.create', response: { model: 'voice' } };
  expect(withSessionModel(response, known)).toEqual({ type: 'response.create', response: { model: 'gpt-realtime' } });
});

it.each([
  { type: 'session.update', session: { voice: 'alloy' } },
  { type: 'session.update', session: { model: null } },
  { type: 'response.create' },
  { type: 'session.update', session: 'gpt-realtime' },
  { type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } },
])('leaves an event alone that names none: %j', (event) => {
  expect(withSessionModel(event, known)).toBe(event);
});

it.each([
  ['session.model', { type: 'session.update', session: { model: 'gpt-4o-realtime-preview' } }],
  ['response.model', { type: 'response.create', response: { model: 'gpt-4o-realtime-preview' } }],
  ['session.model', { type: 'session.update', session: { model: ['voice'] } }],
  ['session.model', { type: 'session.update', session: { model: '' } }],
])('refuses another one at %s', (field, event) => {
  expect(() => withSessionModel(event, known)).toThrow(
    expect.objectContaining({
      wireCode: 'invalid_request',
      message: expect.stringContaining(field) as string,
    }) as Error,
  );
});
