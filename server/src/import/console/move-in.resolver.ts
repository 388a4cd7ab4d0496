import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { User } from '../../console/users/index.js';
import { CheckMoveInInput, MoveInObject, MoveInPayload, toChoices, toMoveIn } from './move-in.object.js';
import type { MoveInService, MoveInView } from './move-in.service.js';
import { UserObject } from '../../console/users/user.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

/** Moving in from another program. A file is uploaded at `POST /api/move_in/file`. */
@Resolver()
export class MoveInResolver {
  constructor(private readonly service: MoveInService) {}

  @Access('root')
  @Query(() => MoveInObject, { description: 'Moving in from another program, and how far it is.' })
  async moveIn(@Ctx() { actor }: GraphQLContext): Promise<MoveInObject> {
    return toMoveIn(await this.service.view(actor));
  }

  @Access('root')
  @Mutation(() => MoveInPayload, { description: 'Begins a dry run, which writes nothing.' })
  async checkMoveIn(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CheckMoveInInput) { choices, ...source }: CheckMoveInInput,
  ): Promise<{ moveIn: MoveInObject }> {
    const { connection = null, logConnection = null, keysConnection = null, environment = null } = source;
    const given = { connection, logConnection, keysConnection, environment };
    return shown(await this.service.check(actor, given, toChoices(choices)));
  }

  @Access('root')
  @PayloadMutation(
    { moveIn: () => MoveInObject, user: () => UserObject },
    'Begins or continues the move of a checked source.',
    { user: 'The caller. Root gets an id that no user of the source has.' },
  )
  async startMoveIn(@Ctx() { actor }: GraphQLContext): Promise<{ moveIn: MoveInObject; user: User }> {
    const { user, ...view } = await this.service.start(actor);
    return { ...shown(view), user };
  }

  @Access('root')
  @Mutation(() => MoveInPayload, { description: 'Stops a dry run or a move. What was moved stays.' })
  async cancelMoveIn(@Ctx() { actor }: GraphQLContext): Promise<{ moveIn: MoveInObject }> {
    return shown(await this.service.cancel(actor));
  }

  @Access('root')
  @Mutation(() => MoveInPayload, { description: 'Forgets the source and deletes the uploaded file.' })
  async discardMoveIn(@Ctx() { actor }: GraphQLContext): Promise<{ moveIn: MoveInObject }> {
    return shown(await this.service.discard(actor));
  }
}

const shown = (view: MoveInView): { moveIn: MoveInObject } => ({ moveIn: toMoveIn(view) });
