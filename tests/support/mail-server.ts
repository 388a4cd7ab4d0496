import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** The decoded HTML. */
  readonly html: string;
  /** The raw message. */
  readonly source: string;
}

/** A real SMTP server on a free port that stores what it receives. */
export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /**
   * Resolves with the newest mail to this address, or with the next one.
   * @param part HTML that the mail contains, where others may come to the same address
   */
  mailTo(address: string, part?: string): Promise<ReceivedMail>;
  reset(): void;
  /** Refuses every recipient until it is reset. */
  refuse(): void;
  stop(): Promise<void>;
}

export const mailAccount = { user: 'postman@mail.example', password: 'postman password' };

/** @param options overrides; the default server requires `mailAccount` and does not use TLS */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refuses = false;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === mailAccount.user && password === mailAccount.password
        ? done(null, { user: username })
        : done(new Error('bad credentials of planted-smtp-detail')),
    onRcptTo: (_address, _session, done) => done(refuses ? new Error('planted-smtp-detail: mailbox full') : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const source = Buffer.concat(chunks).toString();
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...parse(source),
          source,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    async mailTo(address, part = '') {
      const isTo = ({ to }: ReceivedMail): boolean => to.some((one) => one.toLowerCase() === address.toLowerCase());
      for (let tries = 0; tries < 200; tries++) {
        const found = mails.findLast((mail) => isTo(mail) && mail.html.includes(part));
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no mail came for ${address}`);
    },
    reset() {
      mails.length = 0;
      refuses = false;
    },
    refuse() {
      refuses = true;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

function parse(source: string): { subject: string; html: string } {
  const [head = '', ...body] = source.split('\r\n\r\n');
  const header = (name: string): string =>
    new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head)?.[1]?.replace(/\r\n[ \t]/g, ' ') ?? '';
  return { subject: header('Subject'), html: decode(body.join('\r\n\r\n'), header('Content-Transfer-Encoding')) };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_all, hex: string) => `%${hex}`);
  return decodeURIComponent(bytes.replace(/%(?![0-9A-F]{2})/g, '%25'));
}
