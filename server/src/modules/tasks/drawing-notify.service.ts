import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../options/option.service.js';

/** The address at which a Midjourney channel may tell of its drawings: a secret of the channel's own stands in it. */
export class DrawingNotifyService {
  constructor(
    private readonly secrets: Secrets,
    private readonly options: { readonly values: OptionValues },
  ) {}

  /** @throws AppError INSUFFICIENT_PRIVILEGES below admin */
  address(actor: MaybeActor, channelId: number): string {
    requireRole(actor, 'admin');
    const server = this.options.values.ServerAddress.replace(/\/+$/, '');
    return `${server}/mj/notify/${channelId}/${this.secretOf(channelId)}`;
  }

  isGood(channelId: number, secret: string): boolean {
    return this.options.values.MjNotifyEnabled && sameSecret(secret, this.secretOf(channelId));
  }

  private secretOf(channelId: number): string {
    return this.secrets.hash(`mj-notify:${channelId}`).toString('base64url').slice(0, 32);
  }
}
