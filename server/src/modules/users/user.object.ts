import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import type { User } from './user.entity.js';
import type { NewUserInput, SelfPatch, UserPatch } from './user-input.service.js';
import type { UserFilter } from './user.service.js';

@ObjectType('User')
export class UserObject implements Omit<User, 'passwordHash' | 'accessTokenHash' | 'accessTokenSealed'> {
  @Field(() => Int)
  id: number;

  @Field(() => String)
  username: string;

  @Field(() => String)
  displayName: string;

  @Field(() => Int, { description: '1 common user, 10 admin, 100 root.' })
  role: number;

  @Field(() => Int, { description: '1 enabled, 2 banned.' })
  status: number;

  @Field(() => String)
  email: string;

  @Field(() => String)
  githubId: string;

  @Field(() => String)
  oidcId: string;

  @Field(() => String)
  wechatId: string;

  @Field(() => String)
  telegramId: string;

  @Field(() => String)
  linuxDoId: string;

  @Field(() => GraphQLSafeInt, { description: 'Remaining quota.' })
  quota: number;

  @Field(() => GraphQLSafeInt)
  usedQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls that were charged.' })
  requestCount: number;

  @Field(() => String)
  group: string;

  @Field(() => String, { nullable: true, description: 'Invite code.' })
  affCode: string | null;

  @Field(() => Int, { description: 'Invitations that were rewarded.' })
  affCount: number;

  @Field(() => GraphQLSafeInt, { description: 'Invite earnings not yet transferred.' })
  affQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Invite earnings of all time.' })
  affHistoryQuota: number;

  @Field(() => Int, { description: '0 when nobody invited the user.' })
  inviterId: number;

  @Field(() => String, { description: 'JSON. Without secrets for everybody but its owner.' })
  setting: string;

  @Field(() => Date, { nullable: true })
  lastCheckInTime: Date | null;

  @Field(() => Date)
  createdAt: Date;

  @Field(() => Date, { nullable: true })
  deletedAt: Date | null;
}

export const UserPage = pageType(UserObject, 'UserPage');

@InputType('UserFilter')
export class UserFilterInput implements UserFilter {
  @Field(() => String, { nullable: true, description: 'Part of name, address or display name, or a whole id.' })
  keyword?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => Int, { nullable: true })
  role?: number | null;

  @Field(() => Int, { nullable: true })
  status?: number | null;
}

@ArgsType()
export class UserListArgs extends PageArgs {
  @Field(() => UserFilterInput, { nullable: true })
  filter?: UserFilterInput | null;
}

@InputType('UserInput')
export class UserInputObject implements NewUserInput {
  @Field(() => String)
  username: string;

  @Field(() => String, { description: '8 characters to 72 bytes.' })
  password: string;

  @Field(() => String, { nullable: true })
  displayName?: string;

  @Field(() => String, { nullable: true })
  group?: string;
}

@InputType('UserPatch', { description: 'Absent fields stay as they are.' })
export class UserPatchInput implements UserPatch {
  @Field(() => String, { nullable: true })
  username?: string;

  @Field(() => String, { nullable: true, description: 'Empty stays unchanged; a new one ends the user’s sessions.' })
  password?: string;

  @Field(() => String, { nullable: true })
  displayName?: string;

  @Field(() => String, { nullable: true })
  group?: string;

  @Field(() => String, { nullable: true })
  email?: string;
}

@InputType('SelfPatch', { description: 'Absent and empty fields stay as they are.' })
export class SelfPatchInput implements SelfPatch {
  @Field(() => String, { nullable: true })
  username?: string;

  @Field(() => String, { nullable: true })
  displayName?: string;

  @Field(() => String, { nullable: true, description: 'A new one ends all other sessions.' })
  password?: string;

  @Field(() => String, { nullable: true, description: 'Checked when given.' })
  originalPassword?: string;
}
