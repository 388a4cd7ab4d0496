import { holds, type Actor } from '../../shared/actor.js';
import { ForbiddenError } from '../../shared/errors.js';
import type { Channel } from './channel.entity.js';
import type { ChannelFields } from './channel-input.js';

/** Fields that decide where the stored keys are sent, and in which form. */
const destinations = ['type', 'baseUrl', 'other', 'setting', 'headerOverride'] as const;

/**
 * A caller who may not read keys must not send stored keys to an address of their own: that would reveal them.
 * @param before the stored channel; null: many, so that every such field counts as a change
 * @throws AppError INSUFFICIENT_PRIVILEGES
 */
export function assertMayRedirect(actor: Actor, before: Channel | null, fields: Partial<ChannelFields>): void {
  if (holds(actor, 'channels.secrets')) return;
  const changed = destinations.find((name) => fields[name] !== undefined && fields[name] !== before?.[name]);
  if (changed) throw new ForbiddenError(`Changing ${changed} of a channel with keys needs channels.secrets`);
}
