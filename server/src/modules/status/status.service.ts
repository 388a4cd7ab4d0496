import type { DataSource } from 'typeorm';
import { LRUCache } from 'lru-cache';
import sanitize from 'sanitize-html';
import { type MaybeActor, requirePermission } from '../../shared/actor.js';
import { type Clock, seconds } from '../../shared/clock.js';
import { UnavailableError } from '../../shared/errors.js';
import { version } from '../../shared/version.js';
import type { OptionValues } from '../options/option.service.js';
import type { SetupService } from '../setup/setup.service.js';
import { type Status, toStatus } from './status.js';

const pingEveryMilliseconds = 10_000;

export interface StatusServiceDeps {
  readonly options: { readonly values: OptionValues };
  readonly setup: Pick<SetupService, 'isDone'>;
  readonly database: Pick<DataSource, 'query'>;
  readonly clock: Clock;
}

/** Public facts about the site, and the database check. */
export class StatusService {
  private readonly startTime: number;
  private readonly cleaner = new Cleaner();
  private lastPing: { readonly at: number; readonly works: Promise<boolean> } | undefined;

  constructor(private readonly deps: StatusServiceDeps) {
    this.startTime = seconds(deps.clock);
  }

  async get(): Promise<Status> {
    const setup = await this.deps.setup.isDone();
    const status = toStatus(this.deps.options.values, { version, startTime: this.startTime, setup });
    return { ...status, footerHtml: this.cleaner.clean(status.footerHtml) };
  }

  /**
   * Checks the database at most once in ten seconds.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  async test(actor: MaybeActor): Promise<void> {
    requirePermission(actor, 'options');
    const now = this.deps.clock.now();
    if (!this.lastPing || now - this.lastPing.at >= pingEveryMilliseconds) {
      const works = this.deps.database.query('SELECT 1').then(
        () => true,
        () => false,
      );
      this.lastPing = { at: now, works };
    }
    if (!(await this.lastPing.works)) throw new UnavailableError('Database connection failed');
  }

  /** Admin texts: Markdown, HTML or one https URL. Active content is removed. */
  get notice(): string {
    return this.cleaner.clean(this.deps.options.values.Notice);
  }

  get about(): string {
    return this.cleaner.clean(this.deps.options.values.About);
  }

  get homePageContent(): string {
    return this.cleaner.clean(this.deps.options.values.HomePageContent);
  }
}

const rules: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'img', 'del', 'ins', 'details', 'summary', 'center', 'font'],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    font: ['color', 'size'],
    '*': ['align'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer' }) },
};

/** Markdown links with an active scheme. */
const activeLink = /(\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?)(?:javascript|vbscript|data):/gim;

/**
 * Sanitizes admin texts that every visitor reads: Markdown, HTML or one URL. Text without tags stays unchanged. HTML
 * loses scripts, handlers, styles, frames and forms.
 */
class Cleaner {
  /** Cached, because the same few texts are requested repeatedly. */
  private readonly known = new LRUCache<string, string>({ max: 8 });

  clean(text: string): string {
    if (text === '') return '';
    const held = this.known.get(text);
    if (held !== undefined) return held;
    const cleaned = clean(text);
    this.known.set(text, cleaned);
    return cleaned;
  }
}

function clean(text: string): string {
  const html = text.includes('<') ? withQuotes(sanitize(text, rules)) : text;
  return html.replace(activeLink, '$1#');
}

/** Restores `>` at the beginning of a line, which is a Markdown quotation. */
const withQuotes = (html: string): string =>
  html.replace(/^(?:&gt;[ \t]?)+/gm, (marks) => marks.replaceAll('&gt;', '>'));
