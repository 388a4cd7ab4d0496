import { Field, Float, ObjectType } from 'type-graphql';
import type { UsableGroup } from './group.service.js';

@ObjectType('UsableGroup', { description: 'A group that the caller can choose.' })
export class UsableGroupObject implements UsableGroup {
  @Field(() => String)
  name: string;

  @Field(() => String)
  description: string;

  @Field(() => Float, { description: 'Factor of every price.' })
  ratio: number;
}
