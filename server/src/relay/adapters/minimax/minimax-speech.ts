import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { OneShotCapability } from '../../adapter.js';
import { asFields, asText } from '../../neutral/fields.js';
import type { Dialect } from '../openai-compatible/dialect.js';
import { answerFields, oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { refuseBaseResponse } from './base-response.js';

const soundTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
};

const formatOf = (body: Readonly<Record<string, unknown>>): string => asText(body['response_format']) || 'mp3';

/** The audio arrives as hexadecimal digits inside JSON. */
export function minimaxSpeech(dialect: Dialect): OneShotCapability {
  const json = oneShot(dialect, '/v1/t2a_v2', {
    dropped: othersThan('input', 'voice', 'speed', 'response_format'),
    body: (body) => ({
      model: body['model'],
      text: body['input'],
      stream: false,
      voice_setting: omitUndefined({ voice_id: body['voice'], speed: body['speed'] }),
      audio_setting: { format: formatOf(body) },
    }),
  });
  return {
    toUpstreamRequest: (request, target) => json.toUpstreamRequest(request, target),
    fromUpstreamResponse(answer, request) {
      const fields = refuseBaseResponse({ ...answerFields(answer) });
      const sound = Buffer.from(asText(asFields(fields['data'])?.['audio']), 'hex');
      if (sound.length === 0)
        throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no audio');
      return { contentType: soundTypes[formatOf(request.body)] ?? 'audio/mpeg', body: sound, usage: null };
    },
  };
}
