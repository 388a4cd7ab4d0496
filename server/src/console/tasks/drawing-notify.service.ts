import { requireConfirmed, requirePermission, type MaybeActor } from '../../shared/actor.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../../options/option.service.js';

/** The URL at which a Midjourney channel may report its drawings. It contains a secret of the channel. */
export class DrawingNotifyService {
  constructor(
    private readonly secrets: Secrets,
    private readonly options: { readonly values: OptionValues },
  ) {}

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, CONFIRMATION_NEEDED */
  address(actor: MaybeActor, channelId: number): string {
    requireConfirmed(requirePermission(actor, 'channels.secrets'));
    const server = this.options.values.ServerAddress.replace(/\/+$/, '');
    return `${server}/mj/notify/${channelId}/${this.secretOf(channelId)}`;
  }

  /** Whether the secret belongs to the channel. */
  isGood(channelId: number, secret: string): boolean {
    return this.options.values.MjNotifyEnabled && sameSecret(secret, this.secretOf(channelId));
  }

  private secretOf(channelId: number): string {
    return this.secrets.hash(`mj-notify:${channelId}`).toString('base64url').slice(0, 32);
  }
}
