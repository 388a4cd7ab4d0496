import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../shared/html.js';
import { sessionCookie } from './authenticate.js';
import { pathOf } from './cors.js';

/** Settings that the console's page depends on. */
export interface ConsoleSite {
  readonly systemName: string;
  /** Whether the bot check is on, so that its script must be allowed. */
  readonly turnstile: boolean;
  /** Whether sign-in through Telegram is on, so that its popup must be able to reply. */
  readonly telegram: boolean;
  /** Links of chat apps that are shown in a frame. */
  readonly chatLinks: readonly string[];
  /** Pages of payment providers to which an order is posted. */
  readonly checkoutAddresses: readonly string[];
  /** The content of `/api/status`, embedded in the page so that it can render without a request. */
  status(): Promise<Readonly<Record<string, unknown>>>;
}

/** Where browsers find `ConsolePage.manifest`. */
export const manifestPath = '/manifest.webmanifest';

/**
 * The single page of the console. Its policy allows scripts from this origin only, and from Cloudflare while the bot
 * check is on. Styles need a nonce that changes with every response; the page finds it in `<meta name="csp-nonce">`.
 */
export class ConsolePage {
  private readonly template: string;
  private readonly preloads: ConsolePreloads;

  /**
   * @param clientRoot folder of the built console, null when there is none
   * @param basePath the path of the site below its host
   */
  constructor(
    clientRoot: string | null,
    private readonly site: () => ConsoleSite,
    private readonly basePath = '',
  ) {
    const file = clientRoot === null ? null : join(clientRoot, 'index.html');
    const built = file && existsSync(file) ? readFileSync(file, 'utf8') : notBuilt;
    // The build names files relative to the page, whose path differs from screen to screen.
    this.template = built.replaceAll(/(src|href)="\.\//g, `$1="${basePath}/`);
    this.preloads = new ConsolePreloads(clientRoot, basePath);
  }

  /** Sends the page of the console with its status, preloads and security headers. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const nonce = randomBytes(16).toString('base64');
    const site = this.site();
    // Without a database there is no status. The console then requests it and shows the error.
    const status = await site.status().catch(() => null);
    const isSignedIn = (request.headers.cookie ?? '').includes(`${sessionCookie}=`);
    const page = {
      nonce,
      status,
      systemName: site.systemName,
      preloads: this.preloads.of(pathOf(request), isSignedIn),
    };
    return reply
      .status(200)
      .headers(pageHeaders)
      .header('cross-origin-opener-policy', site.telegram ? 'same-origin-allow-popups' : 'same-origin')
      .header('content-security-policy', policy(nonce, site))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(this.render(page));
  }

  /** The web app manifest, with which browsers install the console. Its addresses are relative to its own. */
  get manifest(): Readonly<Record<string, unknown>> {
    const name = this.site().systemName;
    const icon = (file: string, sizes: string, purpose: string) => ({ src: file, sizes, type: 'image/png', purpose });
    return {
      name,
      short_name: name,
      id: './',
      start_url: './console',
      scope: './',
      display: 'standalone',
      background_color: '#F5F7F7',
      theme_color: '#0E6A74',
      icons: [
        icon('icon-192.png', '192x192', 'any'),
        icon('icon-512.png', '512x512', 'any'),
        icon('icon-maskable.png', '512x512', 'maskable'),
      ],
    };
  }

  private render({ nonce, status, systemName, preloads }: Page): string {
    const name = escapeHtml(systemName);
    const texts = escapeHtml(JSON.stringify(preloads.texts));
    const before = `<meta name="csp-nonce" content="${nonce}"><meta name="texts" content="${texts}"><meta name="base-path" content="${this.basePath}">`;
    const after = [
      `<link rel="manifest" href="${this.basePath}${manifestPath}">`,
      `<link rel="apple-touch-icon" href="${this.basePath}/icon-maskable.png">`,
      ...preloads.files.map((file) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="${file}">`),
      ...(status ? [`<script id="site-status" type="application/json">${dataText(status)}</script>`] : []),
    ].join('');
    return this.template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${name}</title>`)
      .replace(/(<\w+ id="site-name">)[^<]*/, (_, tag: string) => tag + name)
      .replace('<head>', () => `<head>${before}`)
      .replace('</head>', () => `${after}</head>`);
  }
}

interface Page {
  readonly nonce: string;
  readonly status: Readonly<Record<string, unknown>> | null;
  readonly systemName: string;
  readonly preloads: Preloads;
}

/** Returns JSON that cannot end its HTML element, even if the settings contain markup. */
const dataText = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

const turnstileOrigin = 'https://challenges.cloudflare.com';

const policy = (nonce: string, { turnstile, chatLinks, checkoutAddresses }: ConsoleSite): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...(turnstile ? [turnstileOrigin] : [])].join(' '),
    `style-src 'self' 'nonce-${nonce}'`,
    // Logos, QR codes and images in responses come from any host.
    "img-src 'self' data: blob: https: http:",
    "media-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    // An About page may be one framed https address; chat apps in private networks often have no certificate.
    ['frame-src https:', ...plainOrigins(chatLinks)].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    // The browser posts an order to a payment gateway, which the operator may run without a certificate.
    ["form-action 'self' https:", ...plainOrigins(checkoutAddresses)].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');

/** Returns the origins of plain http links, each once. */
function plainOrigins(links: readonly string[]): string[] {
  const origins = links
    .map((link) => /^http:\/\/[\w.-]+(:\d{1,5})?(?=[/?#]|$)/i.exec(link)?.[0])
    .filter((origin) => origin !== undefined);
  return [...new Set(origins)];
}

const notBuilt =
  '<!doctype html><html lang="en"><head><title></title></head>' +
  '<body><p>The console is not built. Run <code>npm run build</code> and start again.</p></body></html>';

/** The console's manifest (`client/preloads.ts`). Files are URL paths of this site. */
interface Built {
  readonly screens: ReadonlyArray<{
    readonly path: string;
    /**
     * Absent for screens after sign-in (`client/src/app/screens.ts`). A `visitor` screen needs only the texts of public
     * pages.
     */
    readonly access?: 'visitor' | 'anyone';
    readonly files: readonly string[];
  }>;
  readonly texts: Readonly<Record<string, { readonly first: readonly string[]; readonly screens: readonly string[] }>>;
}

interface Preloads {
  /** Files of the screen, as URL paths. */
  readonly files: readonly string[];
  /** Text files by language, because only the browser knows which language applies. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/** Finds the files that a page of the console needs, so that the page can name them before any script runs. */
class ConsolePreloads {
  private readonly screens: ReadonlyArray<Built['screens'][number] & { readonly pattern: RegExp }>;
  private readonly texts: Built['texts'];

  /** @param clientRoot folder of the built console, null when there is none */
  constructor(
    clientRoot: string | null,
    private readonly basePath: string,
  ) {
    const file = clientRoot === null ? null : join(clientRoot, 'preloads.json');
    const built: Built =
      file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Built) : { screens: [], texts: {} };
    this.texts = built.texts;
    this.screens = built.screens.map((screen) => ({ ...screen, pattern: patternOf(screen.path) }));
  }

  /**
   * @param signedIn a guess based on the session cookie. If it is wrong, the browser requests the missing files itself.
   */
  of(path: string, signedIn: boolean): Preloads {
    const asked = this.screens.find(({ pattern }) => pattern.test(path));
    const needsSignIn = asked !== undefined && asked.access === undefined;
    const shown = needsSignIn && !signedIn ? this.screens.find((one) => one.path === '/login') : asked;
    const all = shown !== undefined && shown.access !== 'visitor';
    const onSite = (files: readonly string[]): string[] => files.map((file) => this.basePath + file);
    const texts = Object.entries(this.texts).map(([language, { first, screens }]) => [
      language,
      onSite(all ? [...first, ...screens] : first),
    ]);
    return { files: onSite(shown?.files ?? []), texts: Object.fromEntries(texts) as Preloads['texts'] };
  }
}

/** `:id` matches one segment of a path, as in the console's router. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`);
