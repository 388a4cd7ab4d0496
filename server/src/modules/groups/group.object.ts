import { Field, Float, ObjectType } from 'type-graphql';
import type { UsableGroup } from './group.service.js';

@ObjectType('UsableGroup')
export class UsableGroupObject implements UsableGroup {
  @Field(() => String)
  name: string;

  @Field(() => String)
  description: string;

  @Field(() => Float, { description: 'Price factor.' })
  ratio: number;
}
