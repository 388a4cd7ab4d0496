import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { nullWhenNotFound } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';
import type { Invitation } from '../../billing/accounts/index.js';
import type { InvitationPreview, InvitationService } from './invitation.service.js';
import type { MemberService, MemberView } from './member.service.js';
import {
  AddMemberInput,
  CreateOrganisationInput,
  CreateProjectInput,
  InvitationObject,
  InvitationPreviewObject,
  InviteMemberInput,
  MemberObject,
  OrganisationListArgs,
  OrganisationObject,
  OrganisationPage,
  ProjectObject,
  RenameOrganisationInput,
  SetMemberRoleInput,
  toOrganisationFilter,
  UpdateProjectInput,
} from './organisation.object.js';
import type { OrganisationService, OrganisationView } from './organisation.service.js';
import type { ProjectService, ProjectView } from './project.service.js';

export interface OrganisationServices {
  readonly organisations: OrganisationService;
  readonly members: MemberService;
  readonly projects: ProjectService;
  readonly invitations: InvitationService;
}

@Resolver(() => OrganisationObject)
export class OrganisationResolver {
  constructor(private readonly services: OrganisationServices) {}

  @Access('users.read')
  @Cost(1, ['pageSize'])
  @Query(() => OrganisationPage, { description: 'All organisations of the site.' })
  async organisations(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OrganisationListArgs) args: OrganisationListArgs,
  ): Promise<PageOf<OrganisationView>> {
    const filter = toOrganisationFilter(args.filter);
    return PageOf.from(await this.services.organisations.list(actor, filter, listQueryOf(args)), (view) => view);
  }

  @Access('common')
  @Cost(20)
  @Query(() => [OrganisationObject], { description: 'The organisations of which the caller is a member, by name.' })
  myOrganisations(@Ctx() { actor }: GraphQLContext): Promise<OrganisationView[]> {
    return this.services.organisations.listOwn(actor);
  }

  @Access('common')
  @Query(() => OrganisationObject, {
    nullable: true,
    description: 'An organisation. Null: none that the caller may see.',
  })
  organisation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Organisation.id`.' }) id: number,
  ): Promise<OrganisationView | null> {
    return nullWhenNotFound(this.services.organisations.get(actor, id));
  }

  @Access('common')
  @Cost(100)
  @Query(() => [MemberObject], {
    description: 'Members of an organisation, owners first. The role MEMBER sees the own membership only.',
  })
  members(
    @Ctx() { actor }: GraphQLContext,
    @Arg('organisationId', () => Int, { description: '`Organisation.id`.' }) organisationId: number,
    @Arg('formerToo', () => Boolean, { defaultValue: false, description: 'True: also those who left.' })
    formerToo: boolean,
  ): Promise<MemberView[]> {
    return this.services.members.list(actor, organisationId, formerToo);
  }

  @Access('common')
  @Cost(50)
  @Query(() => [ProjectObject], { description: 'Projects of an organisation, open ones first, by name.' })
  projects(
    @Ctx() { actor }: GraphQLContext,
    @Arg('organisationId', () => Int, { description: '`Organisation.id`.' }) organisationId: number,
  ): Promise<ProjectView[]> {
    return this.services.projects.list(actor, organisationId);
  }

  @Access('common')
  @Cost(20)
  @Query(() => [InvitationObject], { description: 'Invitations to an organisation that can still be accepted.' })
  invitations(
    @Ctx() { actor }: GraphQLContext,
    @Arg('organisationId', () => Int, { description: '`Organisation.id`.' }) organisationId: number,
  ): Promise<Invitation[]> {
    return this.services.invitations.list(actor, organisationId);
  }

  @NotInPanels()
  @Access('common')
  @Query(() => InvitationPreviewObject, {
    nullable: true,
    description: 'What a link invites to. Null: the link is unknown, used, revoked or expired.',
  })
  invitation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('token', () => String, { description: 'The last part of the link.' }) token: string,
  ): Promise<InvitationPreview | null> {
    return nullWhenNotFound(this.services.invitations.preview(actor, token));
  }

  @Access('common')
  @PayloadMutation(
    { organisation: [() => OrganisationObject, 'The new organisation, or that of the first call.'], replayed },
    'Creates an organisation without quota, whose owner is the caller.',
  )
  createOrganisation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateOrganisationInput, { description: 'Its name.' })
    { name, idempotencyKey }: CreateOrganisationInput,
  ): Promise<{ organisation: OrganisationView; replayed: boolean }> {
    return this.services.organisations.create(actor, name, idempotencyKey ?? null);
  }

  @Access('common')
  @PayloadMutation(
    { organisation: [() => OrganisationObject, 'The organisation after the change.'] },
    'Renames an organisation.',
  )
  async renameOrganisation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RenameOrganisationInput, { description: 'The organisation and its name.' })
    { id, name }: RenameOrganisationInput,
  ): Promise<{ organisation: OrganisationView }> {
    return { organisation: await this.services.organisations.rename(actor, id, name) };
  }

  @Access('common')
  @PayloadMutation(
    { id: [() => Int, 'The id of the deleted organisation.'] },
    'Deletes an organisation. Its keys stop at once, its name stays reserved, its log and ledger stay.',
  )
  async deleteOrganisation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Organisation.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.services.organisations.delete(actor, id);
    return { id };
  }

  @Access('users.write')
  @PayloadMutation(
    { member: [() => MemberObject, 'The new member.'] },
    'Makes a person a member without an invitation.',
  )
  async addMember(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => AddMemberInput, { description: 'The organisation, the person and the role.' })
    { organisationId, userId, role }: AddMemberInput,
  ): Promise<{ member: MemberView }> {
    return { member: await this.services.members.add(actor, organisationId, userId, role) };
  }

  @Access('common')
  @PayloadMutation(
    { member: [() => MemberObject, 'The member after the change.'] },
    'Changes the role of a member. An organisation keeps at least one owner.',
  )
  async setMemberRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetMemberRoleInput, { description: 'The member and the role.' })
    { id, role }: SetMemberRoleInput,
  ): Promise<{ member: MemberView }> {
    return { member: await this.services.members.setRole(actor, id, role) };
  }

  @Access('common')
  @PayloadMutation(
    { id: [() => Int, 'The id of the ended membership.'] },
    'Removes a member, whose keys of the organisation are deleted. Calls that run are settled.',
  )
  async removeMember(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Member.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.services.members.remove(actor, id);
    return { id };
  }

  @Access('common')
  @PayloadMutation(
    { id: [() => Int, 'The id of the organisation that the caller left.'] },
    'Ends the caller’s membership. The caller’s keys of the organisation are deleted.',
  )
  async leaveOrganisation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Organisation.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.services.members.leave(actor, id);
    return { id };
  }

  @Access('common')
  @PayloadMutation(
    {
      invitation: [() => InvitationObject, 'The invitation.'],
      link: [() => String, 'The link, which works once.'],
    },
    'Invites a person by a link. Only this response contains the link.',
  )
  inviteMember(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => InviteMemberInput, { description: 'The organisation and the role.' })
    { organisationId, role, email, days }: InviteMemberInput,
  ): Promise<{ invitation: Invitation; link: string }> {
    return this.services.invitations.create(actor, organisationId, { role, email: email ?? '', days: days ?? 7 });
  }

  @Access('common')
  @PayloadMutation({ id: [() => Int, 'The id of the invitation.'] }, 'Revokes an invitation. Its link stops working.')
  async revokeInvitation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Invitation.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.services.invitations.revoke(actor, id);
    return { id };
  }

  @Access('common')
  @PayloadMutation(
    { organisation: [() => OrganisationObject, 'The organisation of which the caller is a member now.'] },
    'Accepts an invitation.',
  )
  async acceptInvitation(
    @Ctx() { actor }: GraphQLContext,
    @Arg('token', () => String, { description: 'The last part of the link.' }) token: string,
  ): Promise<{ organisation: OrganisationView }> {
    const id = await this.services.invitations.accept(actor, token);
    return { organisation: await this.services.organisations.get(actor, id) };
  }

  @Access('common')
  @PayloadMutation({ project: [() => ProjectObject, 'The new project.'] }, 'Creates a project of an organisation.')
  async createProject(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateProjectInput, { description: 'The organisation and the name.' })
    { organisationId, name }: CreateProjectInput,
  ): Promise<{ project: ProjectView }> {
    return { project: await this.services.projects.create(actor, organisationId, name) };
  }

  @Access('common')
  @PayloadMutation(
    { project: [() => ProjectObject, 'The project after the change.'] },
    'Renames a project, archives it or opens it again.',
  )
  async updateProject(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateProjectInput, { description: 'What changes.' })
    { id, name, isArchived }: UpdateProjectInput,
  ): Promise<{ project: ProjectView }> {
    const changes = { name: name ?? undefined, isArchived: isArchived ?? undefined };
    return { project: await this.services.projects.update(actor, id, changes) };
  }
}
