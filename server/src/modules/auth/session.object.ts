import { Field, ObjectType } from 'type-graphql';
import type { OwnSession } from './own-sessions.service.js';

@ObjectType('Session', { description: 'A browser in which the caller is signed in.' })
export class SessionObject implements OwnSession {
  @Field(() => String)
  id: string;

  @Field(() => Date)
  createdAt: Date;

  @Field(() => Date, { description: 'Accurate to about five minutes.' })
  lastSeenAt: Date;

  @Field(() => Date)
  expiresAt: Date;

  @Field(() => String, { description: 'IP address from which the session was opened.' })
  ip: string;

  @Field(() => String)
  userAgent: string;

  @Field(() => Boolean, { description: 'True for the session of this request.' })
  current: boolean;
}
