import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../shared/html.js';

/**
 * The single page of the console. Its policy allows scripts from this origin only and styles by a nonce that changes with
 * every answer; the page finds the nonce in `<meta name="csp-nonce">`.
 */
export class ConsolePage {
  private readonly template: string;

  /** @param clientRoot folder of the built console, null when there is none */
  constructor(
    clientRoot: string | null,
    private readonly systemName: () => string,
  ) {
    const file = clientRoot === null ? null : join(clientRoot, 'index.html');
    this.template = file && existsSync(file) ? readFileSync(file, 'utf8') : notBuilt;
  }

  send(reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .status(200)
      .headers(pageHeaders)
      .header('content-security-policy', policy(nonce))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(this.render(nonce));
  }

  private render(nonce: string): string {
    const title = escapeHtml(this.systemName());
    return this.template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`)
      .replace('<head>', () => `<head><meta name="csp-nonce" content="${nonce}">`);
  }
}

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const policy = (nonce: string): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // logos, QR codes and pictures that models answer with come from anywhere
    "img-src 'self' data: blob: https: http:",
    "media-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    // an About page may be one https address, shown in a frame
    'frame-src https:',
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self' https:",
    "frame-ancestors 'none'",
  ].join('; ');

const notBuilt =
  '<!doctype html><html lang="en"><head><title></title></head>' +
  '<body><p>The console is not built. Run <code>npm run build</code> and start again.</p></body></html>';
