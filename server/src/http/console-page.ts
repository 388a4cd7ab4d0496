import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../shared/html.js';

/** What the console's page has to know of the settings. */
export interface ConsoleSite {
  readonly systemName: string;
  /** Cloudflare's check against bots is on: its script has to run. */
  readonly turnstile: boolean;
  /** Sign-in through Telegram is on: its frame opens a window that has to answer. */
  readonly telegram: boolean;
  /** Links of chat apps that are shown in a frame. */
  readonly chatLinks: readonly string[];
}

/**
 * The single page of the console. Its policy allows scripts from this origin only, and from Cloudflare's while their check
 * is on, and styles by a nonce that changes with every answer; the page finds the nonce in `<meta name="csp-nonce">`.
 */
export class ConsolePage {
  private readonly template: string;

  /** @param clientRoot folder of the built console, null when there is none */
  constructor(
    clientRoot: string | null,
    private readonly site: () => ConsoleSite,
  ) {
    const file = clientRoot === null ? null : join(clientRoot, 'index.html');
    this.template = file && existsSync(file) ? readFileSync(file, 'utf8') : notBuilt;
  }

  send(reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    const site = this.site();
    return reply
      .status(200)
      .headers(pageHeaders)
      .header('cross-origin-opener-policy', site.telegram ? 'same-origin-allow-popups' : 'same-origin')
      .header('content-security-policy', policy(nonce, site))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(this.render(nonce, site.systemName));
  }

  private render(nonce: string, systemName: string): string {
    const title = escapeHtml(systemName);
    return this.template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`)
      .replace('<head>', () => `<head><meta name="csp-nonce" content="${nonce}">`);
  }
}

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

const turnstileOrigin = 'https://challenges.cloudflare.com';

const policy = (nonce: string, { turnstile, chatLinks }: ConsoleSite): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...(turnstile ? [turnstileOrigin] : [])].join(' '),
    `style-src 'self' 'nonce-${nonce}'`,
    // logos, QR codes and pictures that models answer with come from anywhere
    "img-src 'self' data: blob: https: http:",
    "media-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    // an About page may be one https address, shown in a frame; chat apps inside a network often have no certificate
    ['frame-src https:', ...plainOrigins(chatLinks)].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self' https:",
    "frame-ancestors 'none'",
  ].join('; ');

/** Origins of the links that are plain http, each once. */
function plainOrigins(links: readonly string[]): string[] {
  const origins = links
    .map((link) => /^http:\/\/[\w.-]+(:\d{1,5})?(?=[/?#]|$)/i.exec(link)?.[0])
    .filter((origin) => origin !== undefined);
  return [...new Set(origins)];
}

const notBuilt =
  '<!doctype html><html lang="en"><head><title></title></head>' +
  '<body><p>The console is not built. Run <code>npm run build</code> and start again.</p></body></html>';
