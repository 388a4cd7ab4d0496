import { seconds, type Clock } from '../../shared/clock.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { CreativeTask } from './creative-task.entity.js';

/** Value of `CreativeTask.platform`. */
export const videoPlatform = 'video';

/** Seconds for which a link is valid. It needs no key, so it must not be of use for long. */
const lifetime = 3600;

/** Links to finished videos that work without an API key, for players in a browser. */
export class VideoLinks {
  constructor(private readonly deps: { readonly secrets: Secrets; readonly clock: Clock }) {}

  /** @returns a path of this server; null when there is no video */
  of(task: Pick<CreativeTask, 'platform' | 'status' | 'taskId' | 'properties'>): string | null {
    const isThere = task.status === 'SUCCESS' && task.properties.deleted !== true;
    if (task.platform !== videoPlatform || !isThere) return null;
    const expires = seconds(this.deps.clock) + lifetime;
    return `/v1/videos/${task.taskId}/content?expires=${expires}&signature=${this.signature(task.taskId, expires)}`;
  }

  /** Whether the query belongs to a link to the video that has not expired. */
  isLink(taskId: string, query: URLSearchParams): boolean {
    const expires = query.get('expires') ?? '';
    if (!/^\d{1,12}$/.test(expires) || Number(expires) < seconds(this.deps.clock)) return false;
    return sameSecret(query.get('signature') ?? '', this.signature(taskId, Number(expires)));
  }

  private signature(taskId: string, expires: number): string {
    return this.deps.secrets.hash(`video-link:${taskId}:${expires}`).toString('base64url').slice(0, 32);
  }
}
