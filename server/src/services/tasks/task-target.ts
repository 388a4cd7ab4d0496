import type { ChannelCost } from '../../billing/prices/index.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { Secrets } from '../../shared/secrets.js';

/** The channel and account of one task. Credentials and URL are one object, so that no key reaches another host. */
export interface TaskTarget {
  readonly channelId: number;
  /** The channel as it was when it was selected. */
  readonly channel: RoutedChannel;
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** Identifies the key without revealing it. */
  readonly keyPrint: string;
  readonly proxy: string | undefined;
  readonly cost: ChannelCost;
}

/** Returns the target of one key of a channel. */
export function targetOf(channel: RoutedChannel, key: string, secrets: Secrets): TaskTarget {
  return {
    channelId: channel.id,
    channel,
    baseUrl: channel.baseUrl.replace(/\/+$/, ''),
    key,
    keyPrint: printOf(channel.id, key, secrets),
    proxy: channel.setting.proxy,
    cost: channel.cost,
  };
}

/** Returns the account that created a task, identified by its key, if the channel still has that key. */
export function targetOfTask(channel: RoutedChannel, keyPrint: string, secrets: Secrets): TaskTarget {
  const key = channel.keys.find((one) => printOf(channel.id, one, secrets) === keyPrint) ?? channel.keys[0] ?? '';
  return targetOf(channel, key, secrets);
}

const printOf = (channelId: number, key: string, secrets: Secrets): string =>
  secrets.hash(`task-key:${channelId}:${key}`).toString('base64url').slice(0, 22);

/**
 * Returns the URL of a path, or of a whole URL. These channels have no default base URL.
 * @throws RelayError
 */
export function addressOf({ baseUrl }: TaskTarget, path: string): string {
  if (path.startsWith('https://')) return path;
  if (baseUrl !== '') return baseUrl + path;
  throw new RelayError('UPSTREAM_UNREACHABLE', 'The channel has no base URL', 'do_request_failed');
}
