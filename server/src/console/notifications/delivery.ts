import { createHash, createHmac } from 'node:crypto';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { escapeHtml } from '../../shared/html.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import type { GuardedFetch, GuardedRequest } from '../../platform/outbound/guarded-fetch.js';
import { seconds, type Clock } from '../../shared/clock.js';
import type { OptionValues } from '../../options/option.service.js';
import type { UserSetting } from '../../billing/accounts/index.js';

/** A notice. Each `{{value}}` in the content is replaced by the next value. */
export interface Notice {
  /** The kind of the notice, such as `quota_exceed` or `channel_update_3_3`. */
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly values: readonly string[];
}

export interface Recipient {
  readonly id: number;
  /** The account's address; may be empty. */
  readonly email: string;
  readonly setting: UserSetting;
}

export interface DeliveryDeps {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
  readonly state: Pick<SharedState, 'hit'>;
}

/** Limit of mails to unconfirmed addresses, for all users together, within this many seconds. */
const toOthers = { count: 6, seconds: 600 };

const timeoutMs = 5000;

/** Delivers a notice by mail or webhook (docs/reference/rest/notifications.md#notices). */
export class NoticeDelivery {
  constructor(private readonly deps: DeliveryDeps) {}

  /**
   * Makes one attempt to deliver. Users without an address are skipped.
   * @throws when the delivery failed
   */
  async deliver({ email, setting }: Recipient, notice: Notice): Promise<void> {
    if (setting.notifyType === 'webhook') return this.post(setting, notice);
    const to = await this.receivers(setting.notificationEmail || email, email);
    if (to === '') return;
    const html = `<p>${filled(escapeHtml(notice.content), notice.values.map(toHtml))}</p>`;
    await this.deps.mailer.send({ to, subject: notice.title, html });
  }

  /**
   * Returns the addresses, separated by `;`, that may get a mail now.
   * @param own the address of the account
   */
  private async receivers(addresses: string, own: string): Promise<string> {
    if (addresses === own) return own;
    const admitted: string[] = [];
    for (const address of addresses.split(';').map((one) => one.trim())) {
      if (address !== '' && (address === own || (await this.admits(address)))) admitted.push(address);
    }
    return admitted.join(';');
  }

  /**
   * Counts a mail to an address. Many accounts must not fill the mailbox of a stranger, so notices above the limit are
   * dropped.
   */
  private async admits(address: string): Promise<boolean> {
    const name = createHash('sha256').update(address.toLowerCase()).digest('base64url');
    return (await this.deps.state.hit(`notice:address:${name}`, toOthers.count, toOthers.seconds)).allowed;
  }

  private async post({ webhookUrl, webhookSecret }: UserSetting, notice: Notice): Promise<void> {
    if (webhookUrl === '') return;
    if (!webhookUrl.startsWith('https://')) throw new Error('webhook URL is not https');
    const { fetch, options, clock } = this.deps;
    const { WorkerUrl, WorkerValidKey } = options.values;
    const request = toWebhook(webhookUrl, webhookSecret, notice, seconds(clock));
    const answer = await fetch.fetch(WorkerUrl === '' ? request : throughWorker(request, WorkerUrl, WorkerValidKey));
    if (answer.status < 200 || answer.status > 299) throw new Error(`webhook returned status ${answer.status}`);
  }
}

/**
 * Returns the webhook request. The signature covers the sent body, which contains the time. The secret is also sent as
 * bearer token.
 */
function toWebhook(url: string, secret: string, notice: Notice, timestamp: number): GuardedRequest {
  const { type, title, content, values } = notice;
  const body = JSON.stringify({
    type,
    title,
    content: filled(content, values),
    ...(values.length > 0 ? { values } : {}),
    timestamp,
  });
  return {
    // A redirect would carry secret and body to an address that the user did not configure.
    url,
    policy: 'public-only',
    method: 'POST',
    body,
    timeoutMs,
    maxBytes: 64 * 1024,
    followRedirects: false,
    headers: { 'content-type': 'application/json', ...signatureOf(body, secret) },
  };
}

/** Returns the headers by which a webhook knows this server. */
export const signatureOf = (body: string, secret: string): Record<string, string> =>
  secret === ''
    ? {}
    : {
        'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
        authorization: `Bearer ${secret}`,
      };

/** Sends the request through the operator's worker, which hides this server's address. */
function throughWorker(request: GuardedRequest, workerUrl: string, key: string): GuardedRequest {
  const { url, method, headers, body } = request;
  return {
    url: workerUrl,
    policy: 'admin',
    method: 'POST',
    timeoutMs,
    maxBytes: 64 * 1024,
    headers: { 'content-type': 'application/json' },
    // The worker re-encodes the body to the same bytes, so the signature stays valid.
    body: JSON.stringify({ url, key, method, headers, body: JSON.parse(String(body)) as unknown }),
  };
}

/** Returns the content of a notice with its values. */
export function filled(content: string, values: readonly string[]): string {
  let next = 0;
  return content.replaceAll('{{value}}', () => values[next++] ?? '');
}

/** Converts URLs to links. */
const toHtml = (value: string): string =>
  /^https?:\/\/\S+$/.test(value) ? `<a href="${escapeHtml(value)}">${escapeHtml(value)}</a>` : escapeHtml(value);
