import { sitePath } from '../../lib/basePath.js';
import { requestOf, type OtherCall } from './calls.js';
import { ChatFailure, pause, refusalOf, type ChatListener } from './chatStream.js';
import {
  imagesIn,
  moderationIn,
  rankingIn,
  textIn,
  vectorsIn,
  videoIn,
  type Output,
  type VideoState,
} from './outputs.js';

/** Receives the parts of a response that is no stream of text. */
export interface OtherListener extends Pick<ChatListener, 'started' | 'text'> {
  output(output: Output): void;
  /** How far a video is, in percent. */
  progress(percent: number): void;
}

export type OpenOther = (call: OtherCall, listener: OtherListener, signal: AbortSignal) => Promise<void>;

/** Milliseconds between two questions for a video. */
const pollEvery = 3000;

/**
 * Calls the model with the user's session. Resolves with the complete response.
 * @throws ChatFailure for error responses; the error of `fetch` when the server is unreachable or `signal` aborts
 */
export const openOther =
  (userId: number): OpenOther =>
  async (call, listener, signal) => {
    const { path, body, file } = requestOf(call);
    const group = `?group=${encodeURIComponent(call.group)}`;
    const ask = async (at: string, init: RequestInit = {}): Promise<Response> => {
      const response = await fetch(sitePath(`/pg${at}${group}`), {
        ...init,
        headers: { ...(init.headers as Record<string, string> | undefined), 'Veloera-User': String(userId) },
        credentials: 'same-origin',
        signal,
      });
      if (!response.ok) throw await refusalOf(response);
      return response;
    };
    const response = await ask(path, {
      method: 'POST',
      ...(file === undefined
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : { body: formOf(body, file, call.recording) }),
    });
    listener.started(response.headers.get('x-oneapi-request-id'));
    if (call.kind === 'SPEECH') {
      const format = typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3';
      listener.output({ type: 'audio', url: URL.createObjectURL(await response.blob()), fileName: `speech.${format}` });
      return;
    }
    const answer: unknown = await response.json();
    if (call.kind === 'VIDEO') {
      const { id } = await videoEnd(videoIn(answer), ask, listener, signal);
      const bytes = await ask(`/videos/${id}/content`);
      listener.output({ type: 'video', url: URL.createObjectURL(await bytes.blob()), fileName: `${id}.mp4` });
      return;
    }
    for (const output of outputsOf(call, answer)) listener.output(output);
    listener.text(textIn(answer));
  };

function outputsOf({ kind, fields }: OtherCall, answer: unknown): Output[] {
  switch (kind) {
    case 'IMAGE':
      return imagesIn(answer);
    case 'EMBEDDING':
      return vectorsIn(answer);
    case 'RERANK':
      return [rankingIn(answer, fields['documents'] as readonly string[])];
    case 'MODERATION':
      return [moderationIn(answer)];
    default:
      return [];
  }
}

/** Waits for the end of a video. @throws ChatFailure when it failed */
async function videoEnd(
  submitted: VideoState,
  ask: (path: string) => Promise<Response>,
  listener: OtherListener,
  signal: AbortSignal,
): Promise<VideoState> {
  for (let video = submitted; ;) {
    if (video.status === 'failed') throw new ChatFailure(video.error, null, 'video_failed');
    if (video.status === 'completed') return video;
    listener.progress(video.progress);
    await pause(pollEvery, signal);
    signal.throwIfAborted();
    video = videoIn(await (await ask(`/videos/${submitted.id}`)).json());
  }
}

/** @throws ChatFailure when the recording is gone: browsers keep no files */
function formOf(body: Readonly<Record<string, unknown>>, field: string, recording: File | undefined): FormData {
  if (!recording) throw new ChatFailure('', null, 'recording_gone');
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, String(value));
  form.append(field, recording, recording.name);
  return form;
}
