import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { Drawing } from './drawing.entity.js';

type WithImage = Pick<Drawing, 'id' | 'mjId' | 'imageUrl' | 'status'>;

interface LinkSettings {
  readonly MjForwardUrlEnabled: boolean;
  readonly ServerAddress: string;
}

/**
 * Returns the URL of an image (docs/reference/relay/tasks.md#midjourney): a signed link of this site, or the provider's
 * URL. An unfinished image changes, so its link does too.
 */
export function imageLink(drawing: WithImage, settings: LinkSettings, secrets: Secrets, now: number): string {
  if (drawing.imageUrl === '' || !settings.MjForwardUrlEnabled) return drawing.imageUrl;
  const address = settings.ServerAddress.replace(/\/+$/, '');
  const changing = drawing.status === 'SUCCESS' ? '' : `&rand=${now}`;
  return `${address}/mj/image/${encodeURIComponent(drawing.mjId)}?key=${signature(drawing, secrets)}${changing}`;
}

/** @returns the id of the row that a link's key belongs to; null for any other text */
export function rowOfImageKey(key: string): number | null {
  const found = /^(\d{1,10})-[\w-]{32}$/.exec(key);
  return found ? Number(found[1]) : null;
}

export const isImageKey = (key: string, drawing: WithImage, secrets: Secrets): boolean =>
  sameSecret(key, signature(drawing, secrets));

const signature = ({ id, mjId }: Pick<WithImage, 'id' | 'mjId'>, secrets: Secrets): string =>
  `${id}-${secrets.hash(`mj-image:${id}:${mjId}`).toString('base64url').slice(0, 32)}`;
