import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { AppError } from '../../shared/errors.js';
import { version } from '../../shared/version.js';

export interface Release {
  /** The tag, such as `v1.2.0`. */
  readonly tag: string;
  /** The notes in Markdown. */
  readonly notes: string;
  /** Whether it is the running version. */
  readonly current: boolean;
}

/** A release as code hosts describe it. */
const releaseShape = z.object({ tag_name: z.string().min(1).max(100), body: z.string().nullish() });

const maxNotes = 100_000;

/** Looks for a newer release at RELEASES_URL. */
export class ReleaseService {
  constructor(
    private readonly fetch: Pick<GuardedFetch, 'fetch'>,
    /** Undefined disables the lookup. */
    private readonly releasesUrl: string | undefined,
  ) {}

  /**
   * @returns null when no URL is configured
   * @throws AppError INSUFFICIENT_PRIVILEGES, UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_INVALID_RESPONSE
   */
  async latest(actor: MaybeActor): Promise<Release | null> {
    requirePermission(actor, 'options');
    if (this.releasesUrl === undefined) return null;
    const answer = await this.fetch.fetch({
      url: this.releasesUrl,
      policy: 'admin',
      headers: { accept: 'application/json', 'user-agent': `tollgate/${version}` },
      timeoutMs: 8000,
      maxBytes: 1024 * 1024,
    });
    if (answer.status !== 200) {
      throw new AppError('UPSTREAM_UNREACHABLE', `The release URL returned status ${answer.status}`);
    }
    const { tag_name: tag, body } = parseRelease(answer.body.toString());
    return { tag, notes: (body ?? '').slice(0, maxNotes), current: bare(tag) === bare(version) };
  }
}

function parseRelease(text: string): z.infer<typeof releaseShape> {
  try {
    return releaseShape.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response is not a release', { cause: error });
  }
}

/** Returns the version without the `v` with which tags begin. */
const bare = (text: string): string => text.trim().replace(/^v/i, '');
