import { createHash, createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ReceivedRequest } from './upstream.js';

/* Keys and refusals of providers of videos. */

/** The secret of the channel's key, by which tokens or requests are signed: `AccessKey|SecretKey`. */
const signingSecret = 'a-secret-that-signs';

/** Returns the key of a channel of this provider. */
export const videoKey = (kind: string): string =>
  kind === 'kling' || kind === 'jimeng' ? `key-of-${kind}|${signingSecret}` : `key-of-${kind}-channel`;

const decoded = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The access key of a request, with its secret if that signed a token that is valid now. */
export function klingKeyOf({ headers }: ReceivedRequest): string {
  const [head, claims, signature] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
  const { iss, exp, nbf } = decoded(claims);
  const seconds = Date.now() / 1000;
  const isNow = Number(nbf) < seconds && seconds < Number(exp) && Number(exp) <= seconds + 1801;
  const isSigned = createHmac('sha256', signingSecret).update(`${head}.${claims}`).digest('base64url') === signature;
  const isJwt = isDeepStrictEqual(decoded(head), { alg: 'HS256', typ: 'JWT' });
  return isNow && isSigned && isJwt ? `${String(iss)}|${signingSecret}` : `${String(iss)}|unsigned`;
}

/** Returns what Kling says against a submission. */
export function klingRefusal({ body, path }: ReceivedRequest): string | null {
  const { model_name: model = '', duration, mode, sound, aspect_ratio: ratio, image } = body ?? {};
  const name = String(model);
  const isThird = name.startsWith('kling-v3');
  const lengths = isThird ? range(3, 15) : ['5', '10'];
  if (typeof duration !== 'string' || !lengths.includes(duration)) return 'duration is not supported';
  const modes: readonly unknown[] = name.endsWith('-master')
    ? [undefined]
    : isThird
      ? ['std', 'pro', '4k']
      : ['std', 'pro'];
  if (!modes.includes(mode)) return 'mode is not supported by this model';
  const hasSound = isThird || name === 'kling-v2-6';
  if (sound !== undefined && !hasSound) return 'sound is not supported by this model';
  if (sound === 'on' && !isThird && mode !== 'pro') return 'sound is not supported in this mode';
  const isText = path.endsWith('/text2video');
  if (isText && !['16:9', '9:16', '1:1'].includes(String(ratio))) return 'aspect_ratio is invalid';
  if (!isText && (typeof image !== 'string' || image.startsWith('data:'))) return 'image is invalid';
  return null;
}

/** Returns what MiniMax says against a submission of H3. */
export function h3Refusal({ body }: ReceivedRequest): string | null {
  const { duration, resolution, ratio, content } = body ?? {};
  const parts = (content ?? []) as ReadonlyArray<{ type: string; text?: string }>;
  if (!Number.isInteger(duration) || Number(duration) < 4 || Number(duration) > 15) return 'invalid params, duration';
  if (resolution !== '768P' && resolution !== '2K') return 'invalid params, resolution';
  if (!parts.some(({ type, text }) => type === 'text' && text)) return 'invalid params, content';
  const isText = parts.every(({ type }) => type === 'text');
  const ratios = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16', ...(isText ? [] : ['adaptive'])];
  return ratios.includes(String(ratio)) ? null : 'invalid params, ratio';
}

/** Returns what MiniMax says against a submission of Hailuo 2.3. */
export function hailuoRefusal({ body }: ReceivedRequest): string | null {
  const { model, duration, resolution, first_frame_image: image } = body ?? {};
  if (duration !== 6 && duration !== 10) return 'invalid params, duration';
  if (resolution !== '768P' && resolution !== '1080P') return 'invalid params, resolution';
  if (duration === 10 && resolution === '1080P') return 'invalid params, 1080P has 6 seconds';
  return model === 'MiniMax-Hailuo-2.3-Fast' && image === undefined ? 'invalid params, first_frame_image' : null;
}

const hashOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const mac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** The access key of a request, with its secret if that signed the request as Volcano Engine documents it. */
export function jimengKeyOf({ headers, path, rawBody }: ReceivedRequest): string {
  const { authorization = '', host = '' } = headers;
  const [, accessKey = '', day = '', names = '', signature = ''] =
    /^HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/cn-north-1\/cv\/request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  const time = String(headers['x-date']);
  const digest = hashOf(rawBody);
  const signedHeaders = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const query = (path.split('?')[1] ?? '').split('&').sort().join('&');
  const canonical = ['POST', '/', query, signedHeaders.join(''), names, digest].join('\n');
  const text = ['HMAC-SHA256', time, `${day}/cn-north-1/cv/request`, hashOf(canonical)].join('\n');
  const key = mac(mac(mac(mac(signingSecret, day), 'cn-north-1'), 'cv'), 'request');
  const at = Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
  const isSigned =
    names === 'content-type;host;x-content-sha256;x-date' &&
    host !== '' &&
    headers['x-content-sha256'] === digest &&
    Math.abs(Date.now() - at) < 900_000 &&
    mac(key, text).toString('hex') === signature;
  return isSigned ? `${accessKey}|${signingSecret}` : `${accessKey}|unsigned`;
}

/** Returns what Jimeng says against a submission (https://www.volcengine.com/docs/85621/1792710, November 2026). */
export function jimengRefusal(request: ReceivedRequest): string | null {
  const {
    req_key: key,
    prompt,
    frames,
    aspect_ratio: ratio,
    image_urls: urls,
    binary_data_base64: data,
  } = request.body ?? {};
  if (!jimengKeyOf(request).endsWith(signingSecret)) return 'SignatureDoesNotMatch';
  const keys = ['t2v_v30', 'i2v_first_v30', 't2v_v30_1080p', 'i2v_first_v30_1080', 'ti2v_v30_pro'];
  const name = String(key).replace('jimeng_', '');
  if (!keys.includes(name)) return 'req_key is not known';
  if (frames !== 121 && frames !== 241) return 'frames is invalid';
  const hasImage = urls !== undefined || data !== undefined;
  if (!hasImage && (typeof prompt !== 'string' || prompt === '')) return 'prompt is required';
  if (hasImage ? name.startsWith('t2v') : name.startsWith('i2v')) return 'images do not fit req_key';
  if (!hasImage && !['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'].includes(String(ratio)))
    return 'aspect_ratio is invalid';
  return null;
}

/** Returns what Vidu says against a submission (https://platform.vidu.com/docs/text-to-video, November 2026). */
export function viduRefusal({ body, path, headers }: ReceivedRequest): string | null {
  const { model, duration, resolution, aspect_ratio: ratio, images, audio } = body ?? {};
  if (!headers.authorization?.startsWith('Token ')) return 'unauthorized';
  const name = String(model);
  const isText = path.endsWith('/text2video');
  const isThird = name.startsWith('viduq3');
  const longest = isThird ? 16 : name.startsWith('viduq2') ? 10 : 5;
  if (isText && !['viduq3-pro', 'viduq3-turbo', 'viduq2', 'viduq1'].includes(name)) return 'model is not supported';
  if (!Number.isInteger(duration) || Number(duration) < 1 || Number(duration) > longest) return 'duration is invalid';
  if (name.startsWith('viduq1') && (duration !== 5 || resolution !== '1080p'))
    return 'duration or resolution is invalid';
  if (!['540p', '720p', '1080p'].includes(String(resolution))) return 'resolution is invalid';
  if (isText && !['16:9', '9:16', '1:1', '4:3', '3:4'].includes(String(ratio))) return 'aspect_ratio is invalid';
  if (!isText && (!Array.isArray(images) || images.length !== 1 || ratio !== undefined)) return 'images is invalid';
  return isThird === (typeof audio === 'boolean') ? null : 'audio is invalid';
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
