import { isDeepStrictEqual } from 'node:util';
import { holds, requireConfirmed, requireScope, type Actor } from '../../shared/actor.js';
import { ForbiddenError } from '../../shared/errors.js';
import type { Channel } from './channel.entity.js';
import type { ChannelFields } from './channel-input.js';

/** Fields that decide where the stored keys are sent, and in which form. */
export const destinations = ['type', 'baseUrl', 'other', 'setting', 'headers'] as const;

/**
 * Checks that the actor may change where stored keys are sent. Another address reveals the keys, so the change requires
 * what reading them requires: the permission, the scope, and a recent confirmation.
 * @param before the stored channel; null for several channels, when every such field counts as a change
 * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED
 */
export function assertMayRedirect(actor: Actor, before: Channel | null, fields: Partial<ChannelFields>): void {
  const changed = destinations.find(
    (name) => fields[name] !== undefined && !isDeepStrictEqual(fields[name], before?.[name]),
  );
  if (!changed) return;
  if (!holds(actor, 'channels.secrets')) {
    throw new ForbiddenError(`Changing ${changed} of a channel with keys needs channels.secrets`);
  }
  requireScope(actor, 'KEYS_READ');
  requireConfirmed(actor);
}
