import { ID, ObjectType } from 'type-graphql';
import { fields, flag, moment, of, text } from '../../platform/graphql/fields.js';
import type { OwnSession } from './own-sessions.service.js';

@ObjectType('Session', { description: 'A browser in which the caller is signed in.' })
export class SessionObject extends fields({
  id: of<string>(() => ID, 'Names the session in `revokeSession`. It is not the cookie.'),
  createdAt: moment('When the user signed in.'),
  lastSeenAt: moment('Accurate to about five minutes.'),
  expiresAt: moment('When the browser must sign in again.'),
  ip: text.orNull('IP address of the sign-in.'),
  userAgent: text.orNull('As the browser sent it at the sign-in.'),
  isCurrent: flag('The session of this request.'),
}) {}

export const toSessionObject = ({ current, ip, userAgent, ...session }: OwnSession): SessionObject => ({
  ...session,
  ip: ip || null,
  userAgent: userAgent || null,
  isCurrent: current,
});
