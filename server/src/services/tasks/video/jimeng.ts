import { createHash, createHmac } from 'node:crypto';
import { AppError } from '../../../shared/errors.js';
import { asFields, asText, parseFields, someText, type Fields } from '../../../dialects/neutral/fields.js';
import type { TaskTarget } from '../task-target.js';
import {
  nameOf,
  publicVideo,
  reportOf,
  stateIn,
  termsWithin,
  urlOf,
  type VideoDialect,
  type VideoOffer,
  type VideoReport,
  type VideoRequest,
} from './video-dialect.js';
import type { Reference } from './video-submission.js';

const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'];
const fiveOrTen = { least: 5, most: 10, usual: 5, only: [5, 10] };

/** Returns the terms of a model. Each makes one resolution. */
const offerOf = (model: string): VideoOffer => ({
  resolutions: [/1080|pro/.test(model) ? '1080p' : '720p'],
  ratios,
  seconds: fiveOrTen,
});

/**
 * Returns the name under which the API has a model: Jimeng 3.0 has names of its own for videos from text and from an image.
 * Other names are sent as they are.
 */
function requestKey(model: string, hasImage: boolean): string {
  if (model === 'jimeng_v30_pro') return 'jimeng_ti2v_v30_pro';
  if (model === 'jimeng_v30') return hasImage ? 'jimeng_i2v_first_v30' : 'jimeng_t2v_v30';
  if (model === 'jimeng_v30_1080p') return hasImage ? 'jimeng_i2v_first_v30_1080' : 'jimeng_t2v_v30_1080p';
  return model;
}

/** The code of a response that is no failure (https://www.volcengine.com/docs/85621/1792710, November 2026). */
const success = 10_000;
const framesPerSecond = 24;

const states: Readonly<Record<string, VideoReport['state']>> = {
  in_queue: 'queued',
  generating: 'running',
  done: 'done',
  expired: 'failed',
};

/** Jimeng on Volcano Engine. Requests are signed, and a lookup names the model too. */
export const jimeng: VideoDialect = {
  takes: new Set(),
  terms(submission, model) {
    const offer = offerOf(model);
    // An image has a ratio, and the API none beside it.
    const asked = submission.reference ? { ...submission, ratio: null } : submission;
    return termsWithin(asked, offer, submission.resolution ?? offer.resolutions[0]);
  },
  toRequest: ({ prompt, reference, ratio }, { seconds }, model, target) =>
    request('CVSync2AsyncSubmitTask', target, {
      req_key: requestKey(model, reference !== null),
      prompt,
      frames: seconds * framesPerSecond + 1,
      ...(reference ? imageOf(reference) : { aspect_ratio: ratio ?? '16:9' }),
    }),
  nameIn(answer, { body }) {
    const id = nameOf(asFields(answer['data'])?.['task_id']);
    const key = Buffer.isBuffer(body) ? parseFields(body.toString())?.['req_key'] : '';
    return id === '' ? '' : `${asText(key)}/${id}`;
  },
  lookup(name, target) {
    const at = name.lastIndexOf('/');
    return request('CVSync2AsyncGetResult', target, { req_key: name.slice(0, at), task_id: name.slice(at + 1) });
  },
  // A video that failed is reported as a request that failed.
  isFailure: ({ code }) => typeof code === 'number',
  report(answer) {
    if (answer['code'] !== success) return { state: 'failed', reason: someText(answer['message']) };
    const status = asFields(answer['data'])?.['status'];
    return reportOf(stateIn(states, status) ?? 'queued', addressIn(answer), status);
  },
  // An address is valid for an hour, and each lookup returns a new one.
  locate(name, _data, target) {
    return this.lookup(name, target);
  },
  source: publicVideo((data) => addressIn(data)),
};

function request(action: string, target: TaskTarget, fields: Fields): VideoRequest {
  const path = `/?Action=${action}&Version=2022-08-31`;
  const body = Buffer.from(JSON.stringify(fields));
  return { method: 'POST', path, headers: {}, body, sign: (now) => signed(target, path, body, now) };
}

const region = 'cn-north-1';
const service = 'cv';
const hashOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const mac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * Returns the headers that sign a request (https://www.volcengine.com/docs/6369/67269, November 2026).
 * @param now Unix milliseconds
 * @throws AppError UPSTREAM_UNREACHABLE
 */
function signed({ key, baseUrl }: TaskTarget, path: string, body: Buffer, now: number): Record<string, string> {
  const [accessKey = '', secret = '', ...more] = key.split('|').map((part) => part.trim());
  if (accessKey === '' || secret === '' || more.length > 0)
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form AccessKey|SecretKey');
  const { host, pathname, searchParams } = new URL(baseUrl + path);
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const digest = hashOf(body);
  const headers = { 'content-type': 'application/json', host, 'x-content-sha256': digest, 'x-date': time };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  searchParams.sort();
  const canonical = ['POST', pathname, searchParams.toString(), lines.join(''), names, digest].join('\n');
  const scope = `${day}/${region}/${service}/request`;
  const text = ['HMAC-SHA256', time, scope, hashOf(canonical)].join('\n');
  const signing = mac(mac(mac(mac(secret, day), region), service), 'request');
  const signature = mac(signing, text).toString('hex');
  return {
    'x-content-sha256': digest,
    'x-date': time,
    authorization: `HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const imageOf = (reference: Reference): Fields =>
  reference.kind === 'base64' ? { binary_data_base64: [reference.data] } : { image_urls: [urlOf(reference)] };

const addressIn = (answer: Fields): string => asText(asFields(answer['data'])?.['video_url']);
