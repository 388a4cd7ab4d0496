import type { Logger } from 'pino';
import { AppError } from '../../shared/errors.js';

/** The options of the outgoing mail server, by their names on the wire. */
export interface MailOptions {
  readonly SystemName: string;
  readonly SMTPServer: string;
  readonly SMTPPort: number;
  readonly SMTPAccount: string;
  /** Sender address; the account is used when this is empty. */
  readonly SMTPFrom: string;
  /** Password of the account. */
  readonly SMTPToken: string;
  readonly SMTPSSLEnabled: boolean;
}

export interface Mail {
  /** One address, or several addresses separated by `;`. */
  readonly to: string;
  readonly subject: string;
  readonly html: string;
}

const timeout = 10_000;

/**
 * Sends mail through the server of the settings (docs/reference/rest/notifications.md#mail-transport). Certificates are
 * checked.
 */
export class Mailer {
  constructor(
    private readonly options: { readonly values: MailOptions },
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @throws AppError UPSTREAM_UNREACHABLE when no mail server is configured */
  assertConfigured(): void {
    const { SMTPServer } = this.options.values;
    if (SMTPServer === '') throw new AppError('UPSTREAM_UNREACHABLE', 'SMTP server not configured');
    if (!this.sender().includes('@')) throw new AppError('UPSTREAM_UNREACHABLE', 'Invalid SMTP account');
  }

  /** @throws AppError UPSTREAM_UNREACHABLE; the server's message goes to the log only */
  async send({ to, subject, html }: Mail): Promise<void> {
    this.assertConfigured();
    const transport = await this.transport();
    try {
      await transport.sendMail({
        from: { name: this.options.values.SystemName, address: this.sender() },
        to: to.split(';').map((address) => ({ name: '', address: address.trim() })),
        subject,
        html,
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'mail could not be sent');
      throw new AppError('UPSTREAM_UNREACHABLE', 'The mail could not be sent', { cause: error });
    } finally {
      transport.close();
    }
  }

  private sender(): string {
    const { SMTPFrom, SMTPAccount } = this.options.values;
    return SMTPFrom || SMTPAccount;
  }

  private async transport() {
    // Loaded with the first mail: many sites send none.
    const { createTransport } = await import('nodemailer');
    const { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass } = this.options.values;
    return createTransport({
      host,
      port,
      secure: port === 465 || this.options.values.SMTPSSLEnabled,
      ...(pass === '' ? {} : { auth: { user, pass } }),
      ...(wantsLogin(host, user) ? { authMethod: 'LOGIN' } : {}),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}

/** Microsoft's servers offer PLAIN but refuse it. */
const wantsLogin = (host: string, user: string): boolean =>
  /outlook|onmicrosoft/i.test(user) || host === 'smtp.azurecomm.net';
