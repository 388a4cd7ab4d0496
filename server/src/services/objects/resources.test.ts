import { definitionOf } from '../../options/option-registry.js';
import { nameOf, resources } from './resources.js';

it('paid objects are those that the setting may allow', () => {
  const paid = resources.filter((resource) => resource.paid).map(nameOf);
  const { parse } = definitionOf('files.allowed_paid');
  expect(parse(paid.join(','))).toEqual(paid);
  for (const free of resources.filter((resource) => !resource.paid)) expect(() => parse(nameOf(free))).toThrow();
});

it('an API has one resource of each name', () => {
  const names = resources.flatMap((resource) => resource.apis.map((api) => `${api}/${nameOf(resource)}`));
  expect(new Set(names).size).toBe(names.length);
});
