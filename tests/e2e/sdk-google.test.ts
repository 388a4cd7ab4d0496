import { ApiError, GoogleGenAI, Modality, Type, type Content, type GenerateContentResponse } from '@google/genai';
import { json } from '../support/upstream/replies.js';
import { says } from '../support/upstream/families.js';
import { wav } from '../support/wav.js';
import { picture, question, texts, toolResult, weather, type Place, type Results } from './clients/sdk-client.js';
import { chat } from './clients/sdk-site.js';
import { testClient } from './clients/sdk-grid.js';

const at = ({ url, key }: Place): GoogleGenAI => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] };
const config = { tools: [{ functionDeclarations: [{ ...weather, parameters }] }] };
const asked: Content = { role: 'user', parts: [{ text: question }] };

const told = (text: string, usage: GenerateContentResponse['usageMetadata']): Results['chat'] => ({
  text,
  prompt: usage?.promptTokenCount,
  completion: usage?.candidatesTokenCount,
});

async function afterTool(
  { model, ...place }: Place,
  calls: NonNullable<GenerateContentResponse['functionCalls']>,
): Promise<Results['tools']> {
  const contents: Content[] = [
    asked,
    { role: 'model', parts: calls.map((functionCall) => ({ functionCall })) },
    {
      role: 'user',
      parts: calls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), name, response: { sky: toolResult } },
      })),
    },
  ];
  const last = await at({ model, ...place }).models.generateContent({ model, contents, config });
  return { calls: calls.map(({ name = '', args }) => ({ name, input: args })), answer: last.text ?? '' };
}

const bytesOf = (answer: GenerateContentResponse): Buffer => Buffer.from(answer.data ?? '', 'base64');
const answered = (mimeType: string, data: string) =>
  json({
    candidates: [
      { content: { role: 'model', parts: [{ inlineData: { mimeType, data } }] }, finishReason: 'STOP', index: 0 },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 30, totalTokenCount: 33 },
  });
const spoken = Buffer.from([73, 68, 51, 4, 0, 255, 0, 17]);

testClient({
  name: '@google/genai',
  features: {
    async chat(place) {
      const answer = await at(place).models.generateContent({ model: place.model, contents: question });
      return told(answer.text ?? '', answer.usageMetadata);
    },
    async stream(place) {
      let text = '';
      let pieces = 0;
      let usage: GenerateContentResponse['usageMetadata'];
      const stream = await at(place).models.generateContentStream({ model: place.model, contents: question });
      for await (const chunk of stream) {
        if (chunk.text) pieces++;
        text += chunk.text ?? '';
        usage = chunk.usageMetadata ?? usage;
      }
      return { ...told(text, usage), pieces };
    },
    async tools(place) {
      const answer = await at(place).models.generateContent({ model: place.model, contents: [asked], config });
      return afterTool(place, answer.functionCalls ?? []);
    },
    async streamedTools(place) {
      const calls = [];
      const stream = await at(place).models.generateContentStream({ model: place.model, contents: [asked], config });
      for await (const chunk of stream) calls.push(...(chunk.functionCalls ?? []));
      return afterTool(place, calls);
    },
    async vision(place) {
      const parts = [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: picture } }];
      const contents = [{ role: 'user', parts }];
      return (await at(place).models.generateContent({ model: place.model, contents })).text ?? '';
    },
    async json(place) {
      const answer = await at(place).models.generateContent({
        model: place.model,
        contents: question,
        config: { responseMimeType: 'application/json', responseSchema: parameters },
      });
      return JSON.parse(answer.text ?? '') as unknown;
    },
    responses: {
      absent: 'it has no Responses',
      proof: () => !('responses' in new GoogleGenAI({ apiKey: 'none' })),
    },
    async embeddings(place) {
      const { embeddings = [] } = await at(place).models.embedContent({ model: place.model, contents: texts });
      return embeddings.map(({ values }) => values ?? []);
    },
    // The package uses Imagen's own method only for Vertex, so images are drawn in a chat.
    async images(place) {
      const answer = await at(place).models.generateContent({
        model: place.model,
        contents: 'Draw a house',
        config: { responseModalities: [Modality.TEXT, Modality.IMAGE] },
      });
      return [answer.data ?? ''];
    },
    // Speech is a chat whose response is audio.
    async speech(place) {
      const answer = await at(place).models.generateContent({
        model: place.model,
        contents: 'Say hello',
        config: {
          responseModalities: [Modality.AUDIO],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      });
      return new Uint8Array(bytesOf(answer));
    },
    // A transcript is a chat's response to a recording.
    async transcription(place) {
      const inlineData = { mimeType: 'audio/wav', data: wav(2).toString('base64') };
      const contents = [{ role: 'user', parts: [{ text: 'Write down what is said.' }, { inlineData }] }];
      return (await at(place).models.generateContent({ model: place.model, contents })).text ?? '';
    },
  },
  families: { images: chat, speech: chat, transcription: chat },
  scripts: {
    images: [answered('image/png', picture)],
    speech: [answered('audio/L16;rate=24000', spoken.toString('base64'))],
    transcription: [says({ text: 'Good morning.' })],
  },
  refused: {
    images: { at: ['OpenAI', 'Anthropic'], field: 'responseModalities' },
    speech: { at: ['OpenAI', 'Anthropic'], field: 'responseModalities' },
    transcription: { at: ['Anthropic'], field: 'contents' },
  },
  fail: (place) =>
    at(place)
      .models.generateContent({ model: place.model, contents: question })
      .then(
        () => null,
        (error: unknown) => error,
      ),
  isTyped: (error, status) => error instanceof ApiError && error.status === status,
  async leave(place) {
    const controller = new AbortController();
    const stream = await at(place).models.generateContentStream({
      model: place.model,
      contents: question,
      config: { abortSignal: controller.signal },
    });
    for await (const chunk of stream) if (chunk.text) break;
    controller.abort();
  },
});
