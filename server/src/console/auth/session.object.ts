import { Field, ID, ObjectType } from 'type-graphql';
import type { OwnSession } from './own-sessions.service.js';

@ObjectType('Session', { description: 'A browser in which the caller is signed in.' })
export class SessionObject {
  @Field(() => ID, { description: 'Names the session in `revokeSession`. It is not the cookie.' })
  id: string;

  @Field(() => Date, { description: 'When the user signed in.' })
  createdAt: Date;

  @Field(() => Date, { description: 'Accurate to about five minutes.' })
  lastSeenAt: Date;

  @Field(() => Date, { description: 'When the browser must sign in again.' })
  expiresAt: Date;

  @Field(() => String, { nullable: true, description: 'IP address of the sign-in.' })
  ip: string | null;

  @Field(() => String, { nullable: true, description: 'As the browser sent it at the sign-in.' })
  userAgent: string | null;

  @Field(() => Boolean, { description: 'The session of this request.' })
  isCurrent: boolean;
}

export const toSessionObject = ({ current, ip, userAgent, ...session }: OwnSession): SessionObject => ({
  ...session,
  ip: ip || null,
  userAgent: userAgent || null,
  isCurrent: current,
});
