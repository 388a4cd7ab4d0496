import type { Mailer } from '../../platform/mail/mailer.js';
import type { GuardedFetch, GuardedRequest } from '../../platform/outbound/guarded-fetch.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { escapeHtml } from '../../shared/html.js';
import { siteAddress } from '../../shared/site-address.js';
import { filled, type Notice, signatureOf } from '../notifications/index.js';
import type { OptionValues } from '../../options/option.service.js';

export const alertTargets = ['MAIL', 'WEBHOOK', 'TELEGRAM', 'BARK'] as const;
export type AlertTarget = (typeof alertTargets)[number];

export interface AlertTargetsDeps {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

/** Sends messages where the operator wants them (docs/guide/operations.md#alerts-in-the-console). */
export class AlertTargets {
  constructor(private readonly deps: AlertTargetsDeps) {}

  /** The targets that are set up. */
  get active(): readonly AlertTarget[] {
    const { values } = this.deps.options;
    const isSet: Record<AlertTarget, boolean> = {
      MAIL: values['alerts.mail'].length > 0,
      WEBHOOK: values['alerts.webhook_url'] !== '',
      TELEGRAM: values['alerts.telegram_bot_token'] !== '' && values['alerts.telegram_chat_id'] !== '',
      BARK: values['alerts.bark_url'] !== '',
    };
    return alertTargets.filter((target) => isSet[target]);
  }

  /**
   * Makes one attempt to send a notice.
   * @throws Error with the reason, without secrets
   */
  async send(target: AlertTarget, notice: Notice): Promise<void> {
    const text = filled(notice.content, notice.values);
    if (target === 'MAIL') return this.mail(notice.title, text);
    if (target === 'WEBHOOK') return this.webhook(notice, text);
    return target === 'TELEGRAM' ? this.telegram(notice.title, text) : this.bark(notice.title, text);
  }

  private async mail(subject: string, text: string): Promise<void> {
    const link = this.link();
    const html = `<p>${escapeHtml(text)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`;
    await this.deps.mailer.send({ to: this.deps.options.values['alerts.mail'].join(';'), subject, html });
  }

  /** Sends a notice in the same form and with the same signature as the webhooks of users. */
  private async webhook({ type, title, values }: Notice, content: string): Promise<void> {
    const { 'alerts.webhook_url': url, 'alerts.webhook_secret': secret } = this.deps.options.values;
    const body = JSON.stringify({ type, title, content, values, timestamp: seconds(this.deps.clock) });
    await this.post('webhook', url, body, signatureOf(body, secret));
  }

  private async telegram(title: string, text: string): Promise<void> {
    const { values } = this.deps.options;
    const server = values['alerts.telegram_server'] || 'https://api.telegram.org';
    const url = `${server}/bot${values['alerts.telegram_bot_token']}/sendMessage`;
    const body = { chat_id: values['alerts.telegram_chat_id'], text: `${title}\n${text}\n${this.link()}` };
    await this.post('Telegram', url, JSON.stringify(body));
  }

  /** Sends a notice to Bark. The last part of the URL is the key of the device. */
  private async bark(title: string, body: string): Promise<void> {
    const { 'alerts.bark_url': given, SystemName } = this.deps.options.values;
    if (!URL.canParse(given)) throw new Error('The address of Bark is invalid');
    const url = new URL(given);
    const parts = url.pathname.split('/').filter(Boolean);
    const key = parts.pop() ?? '';
    url.pathname = [...parts, 'push'].join('/');
    url.search = '';
    await this.post(
      'Bark',
      url.href,
      JSON.stringify({ device_key: key, title, body, group: SystemName, url: this.link() }),
    );
  }

  private async post(name: string, url: string, body: string, headers: Record<string, string> = {}): Promise<void> {
    const request: GuardedRequest = {
      // A redirect would carry secrets to an address that the operator did not configure.
      url,
      policy: 'admin',
      method: 'POST',
      body,
      timeoutMs,
      maxBytes,
      followRedirects: false,
      headers: { 'content-type': 'application/json', ...headers },
    };
    const { status } = await this.deps.fetch.fetch(request);
    if (status < 200 || status > 299) throw new Error(`${name} answered with status ${status}`);
  }

  private link(): string {
    return `${siteAddress(this.deps.options.values.ServerAddress)}/alert`;
  }
}
