import { json } from './replies.js';
import type { ReceivedRequest, Reply } from './upstream.js';

/** Non-streaming responses, each in the dialect of the called provider. */

/** @param vectors one per text of the call */
export function embeds(vectors: ReadonlyArray<readonly number[]>): Reply {
  const openai = {
    object: 'list',
    model: 'scripted',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 4, total_tokens: 4 },
  };
  const google = { embeddings: vectors.map((values) => ({ values })) };
  const ali = {
    output: { embeddings: vectors.map((embedding, index) => ({ text_index: index, embedding })) },
    usage: { total_tokens: 4 },
    request_id: 'r',
  };
  const cohere = { id: 'e', embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 4 } } };
  const ollama = { model: 'scripted', embeddings: vectors, prompt_eval_count: 4 };
  return byPath({
    ':batchEmbedContents': json(google),
    '/services/embeddings/': json(ali),
    '/v2/embed': json(cohere),
    '/api/embed': json(ollama),
    '/embeddings': json(openai),
  });
}

/** @param picture base64 */
export function draws(picture: string): Reply {
  const task = { task_id: 't', task_status: 'SUCCEEDED', results: [{ b64_image: picture }] };
  return byPath({
    ':predict': json({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: picture }] }),
    '/image-synthesis': json({ output: task, usage: { image_count: 1 }, request_id: 'r' }),
    '/ai/run/': json({ result: { image: picture }, success: true, errors: [] }),
    '/images/generations': json({ created: 1_763_600_000, data: [{ b64_json: picture }] }),
  });
}

export function speaks(sound: Buffer): Reply {
  const told = {
    data: { audio: sound.toString('hex'), status: 2 },
    base_resp: { status_code: 0, status_msg: 'success' },
  };
  return byPath({
    '/v1/t2a_v2': json(told),
    '/audio/speech': (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound),
  });
}

export const hears = (text: string): Reply =>
  byPath({
    '/ai/run/': json({ result: { text }, success: true, errors: [] }),
    '/audio/transcriptions': json({ text }),
  });

/** The first reply whose path fragment is part of the request's path. */
function byPath(replies: Readonly<Record<string, Reply>>): Reply {
  return (response, request: ReceivedRequest) => {
    const found = Object.entries(replies).find(([part]) => request.path.includes(part));
    const reply = found?.[1] ?? json({ error: { message: `no such path: ${request.path}` } }, 404);
    return reply(response, request);
  };
}
