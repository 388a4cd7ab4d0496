import { AppError } from '../../../shared/errors.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, someNumber, someText, type Fields } from '../../neutral/fields.js';

const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
type Format = (typeof formats)[number];

/**
 * Returns the transcript format that the client requested.
 * @throws AppError UNSUPPORTED_BY_CHANNEL
 */
export function transcriptFormat({ response_format: given }: Fields): Format {
  const asked = asText(given) || 'json';
  const format = formats.find((each) => each === asked);
  if (!format) throw unsupported('response_format', `it writes ${formats.join(', ')}`);
  return format;
}

/**
 * Returns a transcript in OpenAI's form.
 * @throws AppError UPSTREAM_INVALID_RESPONSE if the format needs times and the transcript has none
 */
export function shownTranscript(result: Fields, format: Format): { contentType: string; body: Buffer } {
  const text = asText(result['text']);
  switch (format) {
    case 'text':
      return plain('text/plain; charset=utf-8', text);
    case 'vtt':
      return plain('text/vtt; charset=utf-8', cues(result));
    case 'srt':
      return plain('text/plain; charset=utf-8', srtOf(cues(result)));
    case 'json':
      return json({ text });
    case 'verbose_json':
      return json(verbose(result, text));
  }
}

const plain = (contentType: string, text: string): { contentType: string; body: Buffer } => ({
  contentType,
  body: Buffer.from(text),
});

const json = (value: unknown): { contentType: string; body: Buffer } =>
  plain('application/json', JSON.stringify(value));

function cues(result: Fields): string {
  const found = someText(result['vtt']);
  // The recording has no speech.
  if (found === undefined && asText(result['text']) === '') return 'WEBVTT\n\n';
  if (found === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response has no times');
  return found;
}

const timing = /^(?:(\d+):)?(\d\d:\d\d)[.,](\d{3})\s+-->\s+(?:(\d+):)?(\d\d:\d\d)[.,](\d{3})/;

/** SubRip numbers its cues, and writes hours always and milliseconds behind a comma. */
function srtOf(vtt: string): string {
  let count = 0;
  const written = vtt.split(/(?:\r?\n){2,}/).flatMap((block) => {
    const lines = block.trim().split(/\r?\n/);
    const at = lines.findIndex((line) => timing.test(line));
    const found = timing.exec(lines[at] ?? '');
    if (!found) return [];
    const [, fromHour = '00', from = '', fromMs = '', toHour = '00', to = '', toMs = ''] = found;
    const times = `${fromHour.padStart(2, '0')}:${from},${fromMs} --> ${toHour.padStart(2, '0')}:${to},${toMs}`;
    return [[++count, times, ...lines.slice(at + 1)].join('\n')];
  });
  return written.length === 0 ? '' : `${written.join('\n\n')}\n\n`;
}

function verbose(result: Fields, text: string): Record<string, unknown> {
  const info = asFields(result['transcription_info']);
  const segments = asFieldsList(result['segments']);
  const words = [...asFieldsList(result['words']), ...segments.flatMap((each) => asFieldsList(each['words']))];
  const last = segments.at(-1) ?? words.at(-1);
  return omitUndefined({
    task: 'transcribe',
    language: someText(info?.['language']),
    duration: someNumber(info?.['duration']) ?? someNumber(last?.['end']),
    text,
    segments: segments.length === 0 ? undefined : segments.map(({ words: _words, ...each }, id) => ({ id, ...each })),
    words: words.length === 0 ? undefined : words.map(({ word, start, end }) => ({ word, start, end })),
  });
}
