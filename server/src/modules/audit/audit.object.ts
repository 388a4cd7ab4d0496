import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import type { AuditRecord, FieldChange } from './audit.entity.js';
import type { AuditFilter } from './audit.service.js';

@ObjectType('AuditFieldChange', { description: 'Values are text. Of secrets it is only kept that they changed.' })
export class AuditFieldChangeObject implements FieldChange {
  @Field(() => String)
  field: string;

  @Field(() => String, { nullable: true })
  before: string | null;

  @Field(() => String, { nullable: true })
  after: string | null;
}

@ObjectType('AuditEntry', { description: 'One change an admin made.' })
export class AuditEntryObject implements AuditRecord {
  @Field(() => String)
  id: string;

  @Field(() => Date)
  createdAt: Date;

  @Field(() => Int)
  actorId: number;

  @Field(() => String, { description: 'Name at that time.' })
  actorName: string;

  @Field(() => String, { description: 'Address the change came from.' })
  ip: string;

  @Field(() => String)
  action: string;

  @Field(() => String, { description: 'option, user, channel or redemption.' })
  subject: string;

  @Field(() => String, { description: 'Its id; of an option: its key.' })
  subjectId: string;

  @Field(() => [AuditFieldChangeObject])
  changes: FieldChange[];
}

export const AuditEntryPage = pageType(AuditEntryObject, 'AuditEntryPage');

@InputType('AuditFilter')
export class AuditFilterInput implements AuditFilter {
  @Field(() => String, { nullable: true, description: 'option, user, channel or redemption.' })
  subject?: string | null;

  @Field(() => String, { nullable: true })
  subjectId?: string | null;

  @Field(() => Int, { nullable: true })
  actorId?: number | null;

  @Field(() => Date, { nullable: true, description: 'Included.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Included.' })
  to?: Date | null;
}

@ArgsType()
export class AuditListArgs extends PageArgs {
  @Field(() => AuditFilterInput, { nullable: true })
  filter?: AuditFilterInput | null;
}
