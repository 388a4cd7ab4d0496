import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadOne } from '../../platform/graphql/loaders.js';
import {
  InvitationObject,
  MemberObject,
  OrganisationObject,
  ProjectObject,
} from '../organisations/organisation.object.js';
import type { MemberView, OrganisationView, ProjectView } from '../organisations/index.js';
import { PlanObject, SubscriptionObject, toPlanObject } from '../plans/plan.object.js';
import { RedemptionObject } from '../redemptions/redemption.object.js';
import { TokenObject } from '../tokens/token.object.js';
import { toEndpointObject, WebhookDeliveryObject, WebhookEndpointObject } from '../webhooks/webhook.object.js';
import { scopeOfEither, type RelationSources, type Relations } from './relation.object.js';

/* Relations to organisations, their members and projects, to plans, and to endpoints of webhooks. */

/** Adds `organisation` to a type. Only readers of users see it. */
function withOrganisation<Row extends { readonly organisationId: number }>(type: ClassType<Row>): Relations {
  @Resolver(() => type)
  class WithOrganisation {
    constructor(private readonly sources: RelationSources) {}

    @Access('users.read')
    @FieldResolver(() => OrganisationObject, { nullable: true, description: 'As it is now. Null: deleted.' })
    organisation(@Root() { organisationId }: Row, @Ctx() context: GraphQLContext): Promise<OrganisationView | null> {
      return loadOne(context, this.sources.organisations, organisationId, 'ADMIN_READ');
    }
  }
  return WithOrganisation;
}

/** Adds `plan` to a type. */
function withPlan<Row extends { readonly planId: number | null }>(type: ClassType<Row>): Relations {
  @Resolver(() => type)
  class WithPlan {
    constructor(private readonly sources: RelationSources) {}

    @Access('common')
    @FieldResolver(() => PlanObject, {
      nullable: true,
      description: 'As the plan is now. Null: none, deleted, or not on sale for a caller who may not change prices.',
    })
    async plan(@Root() { planId }: Row, @Ctx() context: GraphQLContext): Promise<PlanObject | null> {
      const plan = await loadOne(context, this.sources.plans, planId, scopeOfEither(context.actor));
      return plan && toPlanObject(plan);
    }
  }
  return WithPlan;
}

@Resolver(() => TokenObject)
class KeyOfOrganisation {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => MemberObject, { nullable: true, description: 'For whom the key was made. Null: no member.' })
  member(@Root() { memberId }: TokenObject, @Ctx() context: GraphQLContext): Promise<MemberView | null> {
    return loadOne(context, this.sources.members, memberId, 'ADMIN_READ');
  }

  @Access('users.read')
  @FieldResolver(() => ProjectObject, { nullable: true, description: 'That its calls belong to. Null: none.' })
  project(@Root() { projectId }: TokenObject, @Ctx() context: GraphQLContext): Promise<ProjectView | null> {
    return loadOne(context, this.sources.projects, projectId, 'ADMIN_READ');
  }
}

@Resolver(() => WebhookDeliveryObject)
class DeliveryRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('webhooks')
  @FieldResolver(() => WebhookEndpointObject, { nullable: true, description: 'Null: deleted.' })
  async endpoint(
    @Root() { endpointId }: WebhookDeliveryObject,
    @Ctx() context: GraphQLContext,
  ): Promise<WebhookEndpointObject | null> {
    const endpoint = await loadOne(context, this.sources.endpoints, endpointId, 'ADMIN_READ');
    return endpoint && toEndpointObject(endpoint);
  }
}

export const relationsByNoun: readonly Relations[] = [
  ...[KeyOfOrganisation, DeliveryRelations],
  ...[MemberObject, ProjectObject, InvitationObject].map((type) =>
    withOrganisation<{ readonly organisationId: number }>(type),
  ),
  ...[SubscriptionObject, RedemptionObject].map((type) => withPlan<{ readonly planId: number | null }>(type)),
];
