import { createHmac } from 'node:crypto';
import { AppError, InvalidInputError } from '../../../shared/errors.js';
import type { Target } from '../../target.js';

/**
 * Path of a version, and the provider's name for its model (docs/reference/providers/own-protocols.md#iflytek-spark).
 */
export interface SparkModel {
  readonly version: string;
  readonly path: string;
  readonly domain: string;
}

const named: Readonly<Record<string, string>> = {
  'spark-lite': 'v1.1',
  'spark-pro': 'v3.1',
  'spark-max': 'v3.5',
  'spark-4.0-ultra': 'v4.0',
};

const places: Readonly<Record<string, SparkModel>> = {
  'spark-pro-128k': { version: 'pro-128k', path: '/chat/pro-128k', domain: 'pro-128k' },
  'spark-max-32k': { version: 'max-32k', path: '/chat/max-32k', domain: 'max-32k' },
};

const domains: Readonly<Record<string, string>> = {
  'v1.1': 'lite',
  'v2.1': 'generalv2',
  'v3.1': 'generalv3',
  'v3.5': 'generalv3.5',
  'v4.0': '4.0Ultra',
};

/**
 * The version is in the model's name, else in the channel's field `other`.
 * @throws AppError INVALID_INPUT when neither names a version
 */
export function sparkModel({ upstreamModel, other }: Pick<Target, 'upstreamModel' | 'other'>): SparkModel {
  const name = upstreamModel.toLowerCase();
  const place = places[name];
  if (place) return place;
  const parts = upstreamModel.split('-');
  const version = named[name] ?? (parts.length === 2 ? parts[1] : undefined) ?? (other.trim() || 'v1.1');
  if (!/^[\w.-]+$/.test(version)) throw new InvalidInputError('model contains no version of Spark', 'model');
  return { version, path: `/${version}/chat`, domain: domains[version] ?? `general${version}` };
}

/** Credentials of Spark's WebSocket. */
export interface SparkKeys {
  readonly appId: string;
  readonly secret: string;
  readonly key: string;
}

/** `APPID|APISecret|APIKey`. @throws AppError UPSTREAM_UNREACHABLE */
export function sparkKeys({ key }: Pick<Target, 'key'>): SparkKeys {
  const [appId = '', secret = '', apiKey = '', ...more] = key.split('|').map((part) => part.trim());
  if (appId === '' || secret === '' || apiKey === '' || more.length > 0) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form APPID|APISecret|APIKey');
  }
  return { appId, secret, key: apiKey };
}

const publicHost = 'wss://spark-api.xf-yun.com';

/** A channel whose base URL names a WebSocket: a region, the provider's host of tuned models, or a private installation. */
export const isSocketBase = (baseUrl: string): boolean => /^wss?:\/\//i.test(baseUrl.trim());

/**
 * The URL of a WebSocket with signed credentials in its query.
 * @param now Unix milliseconds
 * @param baseUrl of the channel; the provider's public host unless it names a WebSocket
 */
export function signedAddress(model: SparkModel, { secret, key }: SparkKeys, now: number, baseUrl = ''): string {
  const base = new URL(isSocketBase(baseUrl) ? baseUrl.trim() : publicHost);
  const { host } = base;
  const path = base.pathname.replace(/\/+$/, '') + model.path;
  const date = new Date(now).toUTCString();
  const signature = createHmac('sha256', secret)
    .update(`host: ${host}\ndate: ${date}\nGET ${path} HTTP/1.1`)
    .digest('base64');
  const authorization = `hmac username="${key}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const query = new URLSearchParams({ authorization: Buffer.from(authorization).toString('base64'), date, host });
  return `${base.protocol}//${host}${path}?${query.toString()}`;
}
